import { env } from "@/lib/config/env";

/** The service's address for people: PUBLIC_URL, or else the listening address, as opened from this machine. */
export function publicUrl(port: number = env().PORT): string {
  return env().PUBLIC_URL ?? localUrl(port);
}

/** Whether a host means all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/**
 * The listening address as opened from this machine: `localhost` for whichever address that name has, as two spellings
 * would be two issuers of viewer tokens and two sign-ins.
 */
export function localUrl(port: number): string {
  const { HOST } = env();
  if (isWildcard(HOST) || HOST === "127.0.0.1" || HOST === "::1") return `http://localhost:${port}`;
  return `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`;
}

/** Whether a host name means this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}
