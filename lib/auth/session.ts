import { isAPIError } from "better-auth/api";
import { auth } from "@/lib/auth/auth";
import { env } from "@/lib/config/env";
import { statement, write } from "@/lib/db/pool";
import { unavailable } from "@/lib/errors";

/**
 * Finds the session of a cookie, and its member.
 * @throws {AppError} `unavailable`: better-auth hides why a look-up failed, and the cause is the database
 */
export async function findSession(cookie: string) {
  try {
    return await auth().api.getSession({ headers: new Headers({ cookie }) });
  } catch (error) {
    if (isAPIError(error) && error.statusCode === 500) throw unavailable(error);
    throw error;
  }
}

const END_OLD = statement("end_old_sessions")`
  DELETE FROM session WHERE signed_in_at <= now() - make_interval(days => $1)`;

/** Ends sessions older than SESSION_MAX_DAYS, by the database's clock. */
export async function endOldSessions() {
  await write(END_OLD, [env().SESSION_MAX_DAYS]);
}
