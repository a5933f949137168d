import { ApiError } from "@/lib/browser/api-client";

/** better-auth's error codes in our words. */
const WORDS = new Map([
  ["INVALID_EMAIL_OR_PASSWORD", "Wrong email or password."],
  ["INVALID_PASSWORD", "Wrong password."],
  ["INVALID_CODE", "Wrong code. Try the next one."],
  ["CODE_SPENT", "This code was already used. Go back, sign in again, and enter the next one."],
  ["INVALID_BACKUP_CODE", "Wrong code, or already used. Try another one."],
  ["INVALID_TWO_FACTOR_COOKIE", "This took too long. Go back and sign in again."],
  ["TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE", "Too many wrong codes. Go back and sign in again."],
  ["ACCOUNT_TEMPORARILY_LOCKED", "Too many wrong codes. Wait 15 minutes, then sign in again."],
  ["TOTP_ALREADY_ENABLED", "The second factor is already on. Reload this page."],
  ["TWO_FACTOR_NOT_ENABLED", "The second factor is already off. Reload this page."],
  ["TOTP_NOT_ENABLED", "This was turned off in the meantime. Start over."],
]);

/** Why a sign-in, or a change to sign-in settings, was refused. */
export function authFault(error: Error): string {
  return (error instanceof ApiError && WORDS.get(error.code)) || error.message;
}
