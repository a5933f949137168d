import type { z } from "zod";
import { authenticateMember, type MemberCaller, requireRole, signedOut } from "@/lib/auth/member-caller";
import type { Role } from "@/lib/auth/role";
import type { Answer, Call } from "@/lib/endpoint/call";
import { originOf, refuseCrossSite } from "@/lib/endpoint/credential";
import { readAdminInput } from "@/lib/endpoint/input";
import { handler, outcome, type Route, within } from "@/lib/endpoint/route";
import { writeJson } from "@/lib/json/raw-json";

interface AdminRouteOptions<Schema extends z.ZodType> {
  /** the least role that may call it */
  role: Role;
  /** the names in the path, beside the query of a GET or the members of a body */
  input: Schema;
  handle(request: {
    caller: MemberCaller;
    input: z.infer<Schema>;
    /**
     * the address of the dashboard, for links to it
     * @throws {AppError} `conflict` where it is not known for sure
     */
    origin(): string;
  }): Promise<object>;
}

/** A method of a route under /api/admin; a test reads off it who may. */
export interface AdminRoute extends Route {
  role: Role;
}

/**
 * Declares a method of a route that only the dashboard calls: with a session cookie beside X-Environment, never an API token.
 */
export function adminRoute<Schema extends z.ZodType>({ role, input, handle }: AdminRouteOptions<Schema>): AdminRoute {
  return memberRoute({
    role,
    input,
    answer: async ({ call, ...request }) => {
      const body = await handle({ origin: () => originOf(call), ...request });
      return { status: 200, headers: {}, body: `${writeJson({ success: 1, ...body })}\n` };
    },
  });
}

interface MemberRouteOptions<Schema extends z.ZodType> extends Pick<AdminRouteOptions<Schema>, "role" | "input"> {
  answer(request: { call: Call; caller: MemberCaller; input: z.infer<Schema> }): Promise<Answer>;
}

/** Finds out who asks before it reads what is asked; the body is taken in first, so that every 401 comes in the same way. */
export function memberRoute<Schema extends z.ZodType>({ role, input, answer }: MemberRouteOptions<Schema>): AdminRoute {
  const route = handler(async (call) => {
    const body = await outcome(call.readBody());
    return within(async () => {
      const caller = await admit(call, role);
      if ("error" in body) throw body.error;
      return answer({ call, caller, input: readAdminInput(call, body.value, input) });
    });
  });
  return Object.assign(route, { role });
}

/**
 * Finds out which member asks, by the session cookie beside X-Environment.
 * @throws {AppError} `unauthorized`, or `forbidden` for a role below this and for what another site made a browser send
 */
async function admit(call: Call, role: Role): Promise<MemberCaller> {
  const { cookie = "", "x-environment": slug, authorization } = call.headers;
  if (typeof slug !== "string" || authorization !== undefined) throw signedOut();
  const caller = await authenticateMember({ cookie, slug, requestId: call.requestId });
  if (!caller) throw signedOut();
  refuseCrossSite(call);
  if (caller.environment) call.environment = caller.environment.slug;
  requireRole(caller, role);
  return caller;
}
