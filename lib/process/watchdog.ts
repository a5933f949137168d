import { execFile } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { log } from "@/lib/telemetry/log";

const notify = promisify(execFile);

/**
 * Notifies systemd's watchdog, three times per `WatchdogSec`, while the API answers `/healthz` at its own address.
 * Runs `systemd-notify`, because Node cannot send to a Unix datagram socket (sd_notify(3)).
 */
export function feedWatchdog(server: Server) {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = process.env;
  if (!NOTIFY_SOCKET || !WATCHDOG_USEC) return;
  const { address, port } = server.address() as AddressInfo;
  const intervalMs = Number(WATCHDOG_USEC) / 3_000;
  const feed = async () => {
    await askHealth(address, port, intervalMs);
    await notify("systemd-notify", ["WATCHDOG=1"]);
  };
  setInterval(() => {
    feed().catch((err: unknown) => log().warn({ err }, "systemd's watchdog was not notified"));
  }, intervalMs).unref();
}

async function askHealth(host: string, port: number, patienceMs: number) {
  const request = get({ host, port, path: "/healthz", agent: false, signal: AbortSignal.timeout(patienceMs) });
  const [response]: IncomingMessage[] = await once(request, "response");
  response?.resume();
  if (response?.statusCode !== 200) throw new Error(`/healthz answered ${response?.statusCode}`);
}
