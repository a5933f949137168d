import type { Server } from "node:http";
import { env } from "@/lib/config/env";
import { setKeys } from "@/lib/crypto/keyring";
import { closePool, openPool } from "@/lib/db/pool";
import { leaveSessions } from "@/lib/db/session";
import { stopWaiting } from "@/lib/events/waiting";
import { startBeingReady } from "@/lib/operations/health";
import { openMetrics } from "@/lib/operations/metrics";
import { end, fail } from "@/lib/process/api-process";
import { finishServing } from "@/lib/process/finish-serving";
import { beginWork, startInstanceTasks, startProcessTasks } from "@/lib/process/jobs";
import { listen } from "@/lib/process/listen";
import { obey, type Provision, reportCounts, reportListening } from "@/lib/process/orders";
import { takeConfiguredKey } from "@/lib/process/secret-key";

/** Runs the pages process, which the API process has started. */
export async function servePages(open: () => Promise<Server>, socketPath: string) {
  let server: Server | undefined;
  await openMetrics("pages");
  const ordered = obey((order) => {
    if (order === "stop") {
      finishServing(server)
        .then(closePool)
        .then(() => end(0), fail);
    } else if (order === "stop waiting") stopWaiting();
    else if (order === "leave sessions") leaveSessions();
    else if (order === "count") void reportCounts();
    else if ("work" in order) beginWork(order.work);
    else if (order.provision) provide(order.provision);
  });
  // Answers 503 until the database is available.
  if (env().DATABASE_URL) takeConfiguredKey();
  server = await open();
  await ordered;
  await listen(server, { path: socketPath });
  reportListening();
}

function provide({ databaseUrl, connections, keys }: Provision) {
  openPool(databaseUrl, connections);
  const [current, previous, viewers] = keys.map((key) => (key === null ? undefined : Buffer.from(key, "base64")));
  if (current) setKeys(current, previous, viewers);
  startBeingReady();
  startProcessTasks();
  startInstanceTasks();
  void warmUp();
}

/** Prepares for the first session call, which on a busy machine would otherwise time out. */
async function warmUp() {
  const { findSession } = await import("@/lib/auth/session");
  await findSession("");
}
