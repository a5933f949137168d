import { createHash } from "node:crypto";
import { env } from "@/lib/config/env";
import { once } from "@/lib/config/per-process";
import { RecentMap } from "@/lib/limits/recent-map";

/**
 * The beginning of the names of cookies. Browsers accept a `__Host-` cookie from this exact host only, and drop it over
 * plain http. They send a host's cookies to all of its ports: without PUBLIC_URL the name has the port, so that
 * services on the same host do not end each other's sessions.
 */
export const cookiePrefix = once(() => {
  const { PUBLIC_URL, PORT } = env();
  if (!PUBLIC_URL) return `user-groups-${PORT}`;
  return PUBLIC_URL.startsWith("https:") ? "__Host-user-groups" : "user-groups";
});

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
