import { z } from "zod";
import { env } from "@/lib/config/env";
import { log } from "@/lib/telemetry/log";
import { maskTokens } from "@/lib/telemetry/mask-tokens";

const MOST_SHOWN = 300;
/** The time that {@link EMAIL} takes grows with the square of the length. */
const MOST_MASKED = 2_000;
const EMAIL = /[^\s"'<>@]+@[^\s"'<>@]+/g;

const word = z.string().optional().catch(undefined);
/** What a provider's error answer has (RFC 6749, 5.2), and what better-auth adds. */
const failure = z.object({
  status: z.number().optional().catch(undefined),
  ...{ error: word, error_description: word, code: word, message: word },
});

/** Logs a message of better-auth with the words of its details. A missing base URL is intended: see `trustedOrigins`. */
export function logWords(level: "debug" | "info" | "warn" | "error", message: string, ...details: unknown[]) {
  if (message.includes("Base URL is not set")) return;
  const reason = details
    .map((detail) => wordsOf(detail))
    .filter(Boolean)
    .join("; ");
  // It has no words for a code that the provider refused.
  log()[level]({ from: "better-auth", ...(reason && { reason }) }, message || "single sign-on was refused");
}

/** An error or a provider's error answer in words, without tokens, addresses and these secrets. */
export function wordsOf(detail: unknown, secrets: (string | undefined)[] = []): string {
  if (typeof detail === "string") return mask(detail, secrets);
  const { status, error, error_description, code, message } = failure.safeParse(detail).data ?? {};
  const cause = detail instanceof Error && detail.cause instanceof Error ? detail.cause.message : undefined;
  const first = [status, error ?? code].filter((part) => part !== undefined).join(" ");
  return mask([first, error_description ?? message, cause].filter(Boolean).join(": "), secrets);
}

function mask(text: string, secrets: (string | undefined)[]): string {
  const known = [...secrets, env().OIDC_CLIENT_SECRET].filter((secret) => secret !== undefined && secret !== "");
  const plain = known
    .reduce<string>((rest, secret) => rest.replaceAll(String(secret), "…"), text)
    .slice(0, MOST_MASKED);
  return maskTokens(plain.replaceAll(EMAIL, "…")).slice(0, MOST_SHOWN);
}
