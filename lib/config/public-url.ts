import { env } from "@/lib/config/env";

/** Where people reach the service: PUBLIC_URL, or else the address it listens on, as it is opened from this machine. */
export function publicUrl(port: number = env().PORT): string {
  return env().PUBLIC_URL ?? localUrl(port);
}

/** Whether a host stands for every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** An address to open from here: one that stands for all of the machine's is no address. */
export function localUrl(port: number): string {
  const { HOST } = env();
  if (isWildcard(HOST)) return `http://localhost:${port}`;
  return `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`;
}
