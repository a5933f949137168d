import { ApiError } from "@/lib/browser/api-client";

/** What better-auth calls a refusal, in our words. */
const WORDS = new Map([
  ["INVALID_EMAIL_OR_PASSWORD", "The email or the password is not right."],
  ["INVALID_PASSWORD", "This is not your password."],
  ["INVALID_CODE", "This code is not right. Try the next one."],
  ["INVALID_BACKUP_CODE", "This code is not right, or it was used before. Try another one."],
  ["INVALID_TWO_FACTOR_COOKIE", "This took too long. Go back and sign in again."],
  ["TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE", "Too many wrong codes. Go back and sign in again."],
  ["ACCOUNT_TEMPORARILY_LOCKED", "Too many wrong codes. Wait a quarter of an hour, then sign in again."],
  ["TOTP_ALREADY_ENABLED", "The second factor is on already. Load this page again."],
  ["TWO_FACTOR_NOT_ENABLED", "The second factor is off already. Load this page again."],
  ["TOTP_NOT_ENABLED", "This was turned off meanwhile. Begin again."],
]);

/** Why signing in, or a change of how one does, was refused. */
export function authFault(error: Error): string {
  return (error instanceof ApiError && WORDS.get(error.code)) || error.message;
}
