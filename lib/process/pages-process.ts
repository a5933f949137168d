import type { Server } from "node:http";
import { env } from "@/lib/config/env";
import { setKeys } from "@/lib/crypto/keyring";
import { closePool, openPool } from "@/lib/db/pool";
import { leaveSessions } from "@/lib/db/session";
import { StartError } from "@/lib/errors";
import { stopWaiting } from "@/lib/events/waiting";
import { startBeingReady } from "@/lib/operations/health";
import { openMetrics } from "@/lib/operations/metrics";
import { finishServing } from "@/lib/process/finish-serving";
import { beginWork, startInstanceTasks, startProcessTasks } from "@/lib/process/jobs";
import { listen } from "@/lib/process/listen";
import { obey, reportListening } from "@/lib/process/orders";
import { takeConfiguredKey } from "@/lib/process/secret-key";
import { flushLog, printNotice } from "@/lib/telemetry/log";

/** Runs the pages process, which the API process has started. */
export async function servePages(open: () => Promise<Server>, socketPath: string) {
  let server: Server | undefined;
  await openMetrics("pages");
  const ordered = obey({
    provide({ databaseUrl, connections, keys }) {
      openPool(databaseUrl, connections);
      const [current, previous, viewers] = keys.map((key) => (key === null ? undefined : Buffer.from(key, "base64")));
      if (current) setKeys(current, previous, viewers);
      startBeingReady();
      startProcessTasks();
      startInstanceTasks();
      void warmUp();
    },
    leaveSessions,
    beginWork,
    stopWaiting,
    stop: () => {
      finishServing(server)
        .then(closePool)
        .then(() => end(0), failPages);
    },
  });
  // Answers 503 until the database is available.
  if (env().DATABASE_URL) takeConfiguredKey();
  server = await open();
  await ordered;
  await listen(server, { path: socketPath });
  reportListening();
}

/** Prepares for the first session call, which on a busy machine would otherwise time out. */
async function warmUp() {
  const { findSession } = await import("@/lib/auth/session");
  await findSession("");
}

/** Ends the pages process with an error message. */
export function failPages(error: unknown) {
  printNotice(error instanceof StartError ? error.message : String(error instanceof Error ? error.stack : error));
  end(1);
}

function end(code: number): never {
  try {
    flushLog();
  } finally {
    process.exit(code);
  }
}
