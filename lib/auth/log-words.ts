import { env } from "@/lib/config/env";
import { log } from "@/lib/telemetry/log";
import { maskTokens } from "@/lib/telemetry/mask-tokens";

const MAX_SHOWN = 300;
/** The time that {@link EMAIL} takes grows with the square of the length. */
const MAX_MASKED = 2_000;
const EMAIL = /[^\s"'<>@]+@[^\s"'<>@]+/g;

/** Logs a message of better-auth with its details in words. A missing base URL is intended: see `trustedOrigins`. */
export function logWords(level: "debug" | "info" | "warn" | "error", message: string, ...details: unknown[]) {
  if (message.includes("Base URL is not set")) return;
  const reason = details
    .map((detail) => wordsOf(detail))
    .filter(Boolean)
    .join("; ");
  // The message may quote what a stranger sent, as an invalid URL, and is empty for a code that the provider refused.
  const said = wordsOf(message.replace(/^(Invalid \w+):.*/s, "$1"));
  log()[level]({ from: "better-auth", ...(reason && { reason }) }, said || "single sign-on was refused");
}

/**
 * An error or a provider's error answer (RFC 6749, 5.2) in words, with what better-auth adds, and without tokens,
 * addresses and these secrets.
 */
export function wordsOf(detail: unknown, secrets: (string | undefined)[] = []): string {
  if (typeof detail === "string") return mask(detail, secrets);
  const { status, error, error_description, code, message, expected, received, providerId, cause } = Object(detail);
  const first = [providerId, status, wordOf(error) ?? code].map(wordOf).filter(Boolean).join(" ");
  const differs = wordOf(expected) && `expected ${expected}, received ${received}`;
  const said = [first, wordOf(error_description) ?? wordOf(message), differs, wordOf(cause)];
  return mask(said.filter(Boolean).join(": "), secrets);
}

/** The part of a detail that can be logged. */
function wordOf(value: unknown): string | undefined {
  if (value instanceof Error) return value.message;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
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
