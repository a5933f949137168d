import { perProcess } from "@/lib/config/per-process";
import { away } from "@/lib/db/failures";
import { pendingMigrations } from "@/lib/db/migrate";
import { lookUpPool } from "@/lib/db/pool";
import { StandbyError } from "@/lib/db/session";
import { anyone } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { AppError, StartError, unavailable } from "@/lib/errors";

/** What a start waits for: migrations, a standby that becomes the primary, or a database that is away. */
export type StartReason = "migrating" | "standby" | "away";

interface State {
  started: boolean;
  draining: boolean;
  waitsFor: StartReason | undefined;
}

const state = perProcess<State>("readiness", () => ({ started: false, draining: false, waitsFor: undefined }));

/** From now on, until it is ready, the service says what its start waits for. */
export function explainStart(reason: StartReason) {
  state.waitsFor = reason;
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
export const alive = endpoint({
  access: anyone,
  handle: () => ({ status: 200, headers: {}, body: '{"status":"ok"}' }),
});

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

function starting() {
  if (state.waitsFor === "standby") return away(new StandbyError());
  if (state.waitsFor === "away") return unavailable("the start waits for the database");
  if (state.waitsFor === "migrating") return unavailable("migrating", "The database is being migrated.");
  return unavailable("starting", "The service is still starting.");
}

/** Whether requests can be served: the database answers, its migrations are those of this release, no stop is under way. */
export const ready = endpoint({
  access: anyone,
  hasDeadline: false,
  async handle() {
    if (state.draining) throw unavailable("stopping", "The service is stopping.");
    if (!state.started) throw starting();
    const missing = await pending().catch((error: unknown) => {
      if (!(error instanceof StartError)) throw away(error);
      // No matter of waiting, and the sentence says what to do.
      throw new AppError("unavailable", error.message, { headers: { "Retry-After": "60" }, cause: error });
    });
    if (missing.length > 0) throw unavailable(missing, "Migrations of the database are pending.");
    return { status: 200, headers: {}, body: '{"status":"ready"}' };
  },
});
