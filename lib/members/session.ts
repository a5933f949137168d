import { isAPIError } from "better-auth/api";
import { unavailable } from "@/lib/errors";
import { auth } from "@/lib/members/auth";

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
