import { createHash } from "node:crypto";
import { cookiePrefix } from "@/lib/auth/cookie-prefix";
import { once } from "@/lib/config/once";
import { RecentMap } from "@/lib/limits/recent-map";

const MAX_KNOWN = 10_000;
const session = once(() => new RegExp(`(?:^|;\\s*)${cookiePrefix()}\\.session_token=([^;]+)`));

/** Sessions that were valid when this process last saw them, by their cookies' digests. */
const known = new RecentMap<string, true>(MAX_KNOWN);

export function rememberSession(cookie: string, isGood: boolean) {
  if (isGood) known.set(keyOf(cookie), true);
  else known.delete(keyOf(cookie));
}

export function isKnownSession(cookie: string): boolean {
  return known.get(keyOf(cookie)) !== undefined;
}

function keyOf(cookie: string): string {
  return createHash("sha256")
    .update(session().exec(cookie)?.[1] ?? "")
    .digest("base64");
}
