import { isAPIError } from "better-auth/api";
import { auth } from "@/lib/auth/auth";
import { env } from "@/lib/config/env";
import { type Statement, write } from "@/lib/db/pool";
import { unavailable } from "@/lib/errors";

/**
 * The session that a cookie stands for, and its member.
 * @throws {AppError} `unavailable`: better-auth keeps to itself why it could not look, which is the database's doing
 */
export async function findSession(cookie: string) {
  try {
    return await auth().api.getSession({ headers: new Headers({ cookie }) });
  } catch (error) {
    if (isAPIError(error) && error.statusCode === 500) throw unavailable(error);
    throw error;
  }
}

const END_OLD: Statement = {
  name: "end_old_sessions",
  text: "DELETE FROM session WHERE signed_in_at <= now() - make_interval(days => $1)",
};

/** Ends the sessions that have reached SESSION_MAX_DAYS, by the database's clock. */
export async function endOldSessions() {
  await write(END_OLD, [env().SESSION_MAX_DAYS]);
}
