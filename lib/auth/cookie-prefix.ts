import { env } from "@/lib/config/env";
import { once } from "@/lib/config/once";

/**
 * The beginning of the names of cookies. Browsers accept a `__Host-` cookie from this exact host only, and drop it over
 * plain http. They send a host's cookies to all of its ports: without PUBLIC_URL the name has the port, so that
 * services beside each other do not end each other's sessions.
 */
export const cookiePrefix = once(() => {
  const { PUBLIC_URL, PORT } = env();
  if (!PUBLIC_URL) return `user-groups-${PORT}`;
  return PUBLIC_URL.startsWith("https:") ? "__Host-user-groups" : "user-groups";
});
