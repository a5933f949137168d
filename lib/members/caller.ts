import { type Caller, unauthorized } from "@/lib/api-tokens/caller";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";
import { auth } from "@/lib/members/auth";

interface SessionCall {
  cookie: string;
  /** the slug of the environment the request is about */
  environment: string;
  requestId: string;
}

/**
 * Finds out whose session this is, for a request about one environment.
 * @throws {AppError} `unauthorized` when the session has ended, `forbidden` for a viewer: the API answers with tokens,
 *   which viewers do not see; `not_found` when there is no such environment
 */
export async function authenticateMember({ cookie, environment: slug, requestId }: SessionCall): Promise<Caller> {
  const session = await auth().api.getSession({ headers: new Headers({ cookie }) });
  if (!session || session.user.disabledAt) throw unauthorized();
  const { id, name, role } = session.user;
  if (role !== "owner" && role !== "admin") {
    throw new AppError("forbidden", "Viewers do not see tokens and change nothing: ask an owner for another role.");
  }
  const environment = await prisma().environment.findUnique({ where: { slug } });
  if (!environment) throw new AppError("not_found", `There is no environment "${slug}".`);
  return { actorType: "member", actorId: id, actorName: name, access: "write", environment, requestId };
}
