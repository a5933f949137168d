import type { z } from "zod";
import { AppError } from "@/lib/errors";
import type { Answer, Call } from "@/lib/http/call";
import { originOf, refuseCrossSite } from "@/lib/http/credential";
import { readAdminInput } from "@/lib/http/input";
import { answerRequest } from "@/lib/http/next";
import { answerWith, within } from "@/lib/http/route";
import { authenticateMember, type MemberCaller, requireRole, signedOut } from "@/lib/members/caller";
import type { Role } from "@/lib/members/schema";
import { writeJson } from "@/lib/raw-json";

interface AdminRouteOptions<Schema extends z.ZodType> {
  /** the least role that may call it */
  role: Role;
  /** the names in the path, beside the query of a GET or the members of a body */
  input: Schema;
  handle(request: {
    caller: MemberCaller;
    input: z.infer<Schema>;
    /** the address the dashboard is open at, for links to it */
    origin: string;
  }): Promise<object>;
}

export type Parameters = Record<string, string>;

/** A method of a route under /api/admin: Next calls it; a test reads off it who may. */
export interface AdminRoute {
  (request: Request, context: { params: Promise<Parameters> }): Promise<Response>;
  role: Role;
}

/**
 * Declares a method of a route that only the dashboard calls: with a session cookie beside X-Environment, never with an
 * API token. Who asks is found out before anything of what is asked is read.
 */
export function adminRoute<Schema extends z.ZodType>({ role, input, handle }: AdminRouteOptions<Schema>): AdminRoute {
  const answer = (call: Call, parameters: Parameters) =>
    within(async (): Promise<Answer> => {
      const caller = await admit(call, role);
      const values = await readAdminInput(call, parameters, input);
      const body = await handle({ caller, input: values, origin: originOf(call) });
      return { status: 200, headers: {}, body: `${writeJson({ success: 1, ...body })}\n` };
    });
  const serve = async (request: Request, { params }: { params: Promise<Parameters> }) => {
    const parameters = await params;
    return answerRequest(
      request,
      answerWith((call) => answer(call, parameters)),
    );
  };
  return Object.assign(serve, { role });
}

/**
 * Finds out which member asks, by the session cookie beside X-Environment.
 * @throws {AppError} `unauthorized`, or `forbidden` for a role below this and for what another site made a browser send
 */
export async function admit(call: Call, role: Role): Promise<MemberCaller> {
  const { cookie = "", "x-environment": slug, authorization } = call.headers;
  if (typeof slug !== "string" || authorization !== undefined) throw signedOut();
  const caller = await authenticateMember({ cookie, slug, requestId: call.requestId });
  if (!caller) throw signedOut();
  refuseCrossSite(call);
  requireRole(caller, role);
  return caller;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Handler = (request: Request, context: { params: Promise<Parameters> }) => Promise<Response>;
type Methods = Partial<Record<(typeof METHODS)[number], Handler>>;

/** The methods of one route; the rest are refused in our shape, where Next would answer with an empty 405. */
export function resource(methods: Methods): Record<(typeof METHODS)[number] | "OPTIONS", Handler> {
  const allowed = [...Object.keys(methods), "OPTIONS"].join(", ");
  const refuse: Handler = (request) =>
    answerRequest(
      request,
      answerWith(async () => {
        throw new AppError("method_not_allowed", `This takes ${allowed}.`, { headers: { Allow: allowed } });
      }),
    );
  // A test tells by it which methods there are.
  Object.assign(refuse, { isRefusal: true });
  const allow: Handler = async () => new Response(null, { status: 204, headers: { Allow: allowed } });
  const rest = Object.fromEntries(METHODS.map((method) => [method, methods[method] ?? refuse]));
  return { ...(rest as Record<(typeof METHODS)[number], Handler>), OPTIONS: allow };
}
