import type { z } from "zod";
import { networkOf } from "@/lib/auth/client-address";
import type { Call } from "@/lib/endpoint/call";
import { refuseCrossSite } from "@/lib/endpoint/credential";
import { readAdminInput } from "@/lib/endpoint/input";
import { handler, type Route } from "@/lib/endpoint/route";
import { writeJson } from "@/lib/json/raw-json";

interface PublicRouteOptions<Schema extends z.ZodType> {
  input: Schema;
  handle(request: { input: z.infer<Schema>; requestId: Call["requestId"]; address: string }): Promise<object>;
}

/**
 * Declares a method of a route that a page calls before anybody has signed in; no other site may. It has no deadline
 * beyond those of its queries: hashing a password may take long, and a link is used up whether or not we wait for it.
 */
export function publicRoute<Schema extends z.ZodType>({ input, handle }: PublicRouteOptions<Schema>): Route {
  return handler(async (call) => {
    const body = await call.readBody();
    refuseCrossSite(call);
    const answer = await handle({
      input: readAdminInput(call, body, input),
      requestId: call.requestId,
      address: networkOf(call.address()),
    });
    return { status: 200, headers: {}, body: `${writeJson({ success: 1, ...answer })}\n` };
  });
}
