import { pendingMigrations } from "@/lib/db/migrate";
import { sharedPool } from "@/lib/db/pool";
import { notFound, unavailable } from "@/lib/errors";
import { handler } from "@/lib/http/route";
import { processWide } from "@/lib/process-wide";

const state = processWide("readiness", () => ({ draining: false }));

/** From now on the service says that it is not ready, so that no new traffic is sent to it. */
export function stopBeingReady() {
  state.draining = true;
}

/** Whether the process lives, whatever the database does. */
export const alive = handler(async () => ({ status: 200, headers: {}, body: '{"status":"ok"}' }));

/** Whether requests can be served: the database answers, its migrations are those of this release, no stop is under way. */
export const ready = handler(async () => {
  if (state.draining) throw unavailable("the service is stopping");
  const pending = await pendingMigrations(sharedPool()).catch((error: unknown) => {
    throw unavailable(error);
  });
  if (pending.length > 0) throw unavailable(`migrations are pending: ${pending.join(", ")}`);
  return { status: 200, headers: {}, body: '{"status":"ready"}' };
});

/** The answer to every path under /api that is none of ours. */
export const unknownPath = handler(async () => {
  throw notFound();
});
