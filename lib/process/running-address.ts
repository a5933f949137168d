import { existsSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { env } from "@/lib/config/env";
import { isWildcard, localUrl, publicUrl } from "@/lib/config/public-url";
import { log } from "@/lib/telemetry/log";

const PATIENCE_MS = 2_000;

/** Written by a running service, so that commands beside it know the port it was started with. */
const addressFile = () => path.join(env().DATA_DIR, "address");

/** Leaves the address of this service in DATA_DIR for as long as it runs. A service on a database elsewhere may have none. */
export function recordAddress(port: number) {
  if (!existsSync(env().DATA_DIR)) return;
  try {
    writeFileSync(addressFile(), localUrl(port));
  } catch (err) {
    log().warn({ err }, "commands will not know the address of this service: DATA_DIR cannot be written");
    return;
  }
  process.once("exit", () => rmSync(addressFile(), { force: true }));
}

/** What a link for people begins with; `note` says what to replace where that may not be the service's address. */
export async function linkBase(): Promise<{ url: string; note?: string }> {
  if (env().PUBLIC_URL) return { url: publicUrl() };
  const running = await readFile(addressFile(), "utf8").catch(() => undefined);
  const url = running && (await answers(running)) ? running : publicUrl();
  // Behind an address that stands for all of the machine's there is often a port mapping or a proxy, which only PUBLIC_URL names.
  if (url === running && !isWildcard(env().HOST)) return { url };
  const reason = url === running ? "The service listens on every address" : "No running service was found";
  return {
    url,
    note: `${reason}, so the link begins with ${url}. Replace that part by the address people open, or set PUBLIC_URL.`,
  };
}

/** A service that was killed leaves its file behind. */
async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  return response?.ok === true;
}
