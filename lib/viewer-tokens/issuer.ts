import { env } from "@/lib/config/env";
import { isLoopback, publicUrl } from "@/lib/config/public-url";
import { AppError } from "@/lib/errors";

/**
 * The issuer of an environment's viewer tokens, below which verifiers find its keys.
 * @throws {AppError} `unavailable` without PUBLIC_URL, unless the service is for this machine alone
 */
export function issuerOf(slug: string): string {
  const { PUBLIC_URL, HOST } = env();
  if (!PUBLIC_URL && !isLoopback(HOST)) {
    throw new AppError(
      "unavailable",
      "PUBLIC_URL is not set, so viewer tokens would have no issuer. Set it to the service's URL, and restart.",
      { headers: { "Retry-After": "60" }, cause: "PUBLIC_URL is not set" },
    );
  }
  return `${publicUrl()}/e/${slug}`;
}
