import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { env, isWildcard, localUrl, publicUrl } from "@/lib/config/env";
import { log } from "@/lib/telemetry/log";

const PATIENCE_MS = 2_000;

/** Written by a running service, so that commands know its port. */
const addressFile = () => path.join(env().DATA_DIR, "address");

/**
 * Stores the service's URL in DATA_DIR while it runs; returns the URL of another service running there. With an
 * external database, the folder may be missing.
 */
export async function recordAddress(port: number): Promise<string | undefined> {
  if (!existsSync(env().DATA_DIR)) return undefined;
  const url = localUrl(port);
  const other = recorded();
  try {
    writeFileSync(addressFile(), url);
  } catch (err) {
    log().warn({ err }, "cannot write to DATA_DIR: commands will not know the URL of this service");
    return undefined;
  }
  // A service that began later has replaced it.
  process.once("exit", () => recorded() === url && rmSync(addressFile(), { force: true }));
  return other && other !== url && (await answers(other)) ? other : undefined;
}

function recorded(): string | undefined {
  try {
    return readFileSync(addressFile(), "utf8");
  } catch {
    return undefined;
  }
}

/** The base URL of links for people; `note` says what to replace when it may be wrong. */
export async function linkBase(): Promise<{ url: string; note?: string }> {
  if (env().PUBLIC_URL) return { url: publicUrl() };
  const running = recorded();
  const url = running && (await answers(running)) ? running : publicUrl();
  // A wildcard host often means a port mapping or a proxy, whose URL only PUBLIC_URL says.
  if (url === running && !isWildcard(env().HOST)) return { url };
  const reason = url === running ? "The service listens on every address" : "No running service was found";
  return {
    url,
    note: `${reason}, so the link begins with ${url}. Replace that part with the URL people open, or set PUBLIC_URL.`,
  };
}

/** Checked, because a killed service leaves its file behind. */
async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  return response?.ok === true;
}
