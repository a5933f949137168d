import { z } from "zod";
import { env } from "@/lib/config/env";
import { log } from "@/lib/telemetry/log";
import { maskTokens } from "@/lib/telemetry/mask-tokens";

const MAX_SHOWN = 300;
/** The time that {@link EMAIL} takes grows with the square of the length. */
const MAX_MASKED = 2_000;
const EMAIL = /[^\s"'<>@]+@[^\s"'<>@]+/g;

const word = z.string().optional().catch(undefined);
/** What a provider's error answer has (RFC 6749, 5.2), and what better-auth adds. */
const failure = z.object({
  status: z.number().optional().catch(undefined),
  error: z
    .union([z.string(), z.instanceof(Error).transform(({ message }) => message)])
    .optional()
    .catch(undefined),
  error_description: word,
  code: word,
  message: word,
  expected: word,
  received: word,
  providerId: word,
});

/**
 * Logs a message of better-auth with the words of its details. A missing base URL is intended: see `trustedOrigins`.
 */
export function logWords(level: "debug" | "info" | "warn" | "error", message: string, ...details: unknown[]) {
  if (message.includes("Base URL is not set")) return;
  const reason = details
    .map((detail) => wordsOf(detail))
    .filter(Boolean)
    .join("; ");
  // It may quote what a stranger sent, and has no words for a code that the provider refused.
  log()[level]({ from: "better-auth", ...(reason && { reason }) }, wordsOf(message) || "single sign-on was refused");
}

/** An error or a provider's error answer in words, without tokens, addresses and these secrets. */
export function wordsOf(detail: unknown, secrets: (string | undefined)[] = []): string {
  if (typeof detail === "string") return mask(detail, secrets);
  const said = failure.safeParse(detail).data ?? {};
  const { status, error, error_description, code, message, expected, received, providerId } = said;
  const cause = detail instanceof Error && detail.cause instanceof Error ? detail.cause.message : undefined;
  const first = [providerId, status, error ?? code].filter((part) => part !== undefined).join(" ");
  const differs = expected !== undefined && `expected ${expected}, received ${received}`;
  return mask([first, error_description ?? message, differs, cause].filter(Boolean).join(": "), secrets);
}

function mask(text: string, secrets: (string | undefined)[]): string {
  const known = [...secrets, env().OIDC_CLIENT_SECRET].filter((secret) => secret !== undefined && secret !== "");
  const plain = known
    .flatMap((secret) => formsOf(String(secret)))
    .reduce((rest, form) => rest.replaceAll(form, "…"), text)
    .slice(0, MAX_MASKED);
  return maskTokens(plain.replaceAll(EMAIL, "…")).slice(0, MAX_SHOWN);
}

/** A secret as it is, and as requests send it: encoded, and with the client ID (RFC 6749, 2.3.1). */
function formsOf(secret: string): string[] {
  const { OIDC_CLIENT_ID: id = "" } = env();
  const asInForm = (text: string) => new URLSearchParams({ "": text }).toString().slice(1);
  return [String, encodeURIComponent, asInForm].flatMap((encode) => {
    const pair = Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64");
    return [encode(secret), pair, pair.replace(/=+$/, "")];
  });
}
