import { MIN_PASSWORD } from "@/lib/auth/password-length";

export const PASSWORD_HINT = `At least ${MIN_PASSWORD} characters. A few random words are easy to remember and hard to guess.`;
