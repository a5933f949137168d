import { MIN_PASSWORD } from "@/lib/auth/password-length";

/** What to know before choosing a password. */
export const PASSWORD_HINT = `At least ${MIN_PASSWORD} characters. A few words in a row are easy to keep and hard to guess.`;
