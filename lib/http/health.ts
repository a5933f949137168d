import { pendingMigrations } from "@/lib/db/migrate";
import { away, lookUpPool } from "@/lib/db/pool";
import { StandbyError } from "@/lib/db/session";
import { unavailable } from "@/lib/errors";
import { handler } from "@/lib/http/route";

const state = { started: false, migrating: false, draining: false };

/** From now on, until it is ready, the service says that its database is being migrated. */
export function startMigrating() {
  state.migrating = true;
}

/** From now on the service says that it is ready: what the configuration asks for has been provided. */
export function startBeingReady() {
  state.started = true;
}

/** From now on the service says that it is not ready, so that no new traffic is sent to it. */
export function stopBeingReady() {
  state.draining = true;
}

/** Whether the process lives, whatever the database does. */
export const alive = handler(async () => ({ status: 200, headers: {}, body: '{"status":"ok"}' }));

let check: Promise<string[]> | undefined;

/** One check at a time serves all who ask meanwhile: this is open to strangers, and must not cost more for it. */
function pending(): Promise<string[]> {
  check ??= (async () => {
    const pool = lookUpPool();
    const { rows } = await pool.query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
    // PostgreSQL itself has been refused already; PgBouncer does not say so.
    if (rows[0]?.standby) throw new StandbyError();
    return pendingMigrations(pool);
  })().finally(() => {
    check = undefined;
  });
  return check;
}

/** Whether requests can be served: the database answers, its migrations are those of this release, no stop is under way. */
export const ready = handler(async () => {
  if (state.draining) throw unavailable("stopping", "The service is stopping.");
  if (!state.started && state.migrating) throw unavailable("migrating", "The database is being migrated.");
  const starting = unavailable("starting", "The service is still starting.");
  const missing = await pending().catch((error: unknown) => {
    // A start on a standby may wait for it to be promoted: it has changes to make.
    throw state.started || error instanceof StandbyError ? away(error) : starting;
  });
  if (!state.started) throw starting;
  if (missing.length > 0) throw unavailable(missing, "Migrations of the database are pending.");
  return { status: 200, headers: {}, body: '{"status":"ready"}' };
});
