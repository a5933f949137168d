import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { stopPurging } from "@/lib/db/purge";
import { stopWaiting } from "@/lib/events/waiting";
import { drain } from "@/lib/http/connections";
import { stopTasks } from "@/lib/process/jobs";
import { stopWebhooks } from "@/lib/webhooks/work";

/** How long running requests may take after the order to stop, in milliseconds. */
export const DRAIN_MS = 6_000;

/** Finishes running requests of this process, accepts no more, and stores its counts. */
export async function finishServing(server: Server | undefined, drainMs = DRAIN_MS) {
  stopPurging();
  stopWaiting();
  const webhooksStopped = stopWebhooks();
  const over = sleep(drainMs);
  if (server) {
    const closed = new Promise<void>((resolve) => void drain(server, resolve));
    await Promise.race([closed, over]);
    server.closeAllConnections();
  }
  await Promise.race([webhooksStopped, over]);
  await stopTasks();
}
