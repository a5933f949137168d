import { z } from "zod";
import { perProcess } from "@/lib/config/per-process";
import { away } from "@/lib/db/failures";
import { lookUpPool } from "@/lib/db/pool";
import { StandbyError } from "@/lib/db/session";
import { anyone } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { AppError, StartError, unavailable } from "@/lib/errors";
import { isDraining } from "@/lib/http/connections";
import { pendingMigrations } from "@/lib/migrations/migrations";

/** Why a start waits: migrations, a standby to be promoted, or an unreachable database. */
type StartReason = "migrating" | "standby" | "away";

interface State {
  started: boolean;
  waitsFor: StartReason | undefined;
}

const state = perProcess<State>("readiness", () => ({ started: false, waitsFor: undefined }));

/** Sets why the start waits, until the service is ready. */
export function explainStart(reason: StartReason) {
  state.waitsFor = reason;
}

/** Reports ready from now on: everything the configuration asks for has been provided. */
export function startBeingReady() {
  state.started = true;
}

/** Whether the process is alive, independent of the database. */
export const alive = endpoint({
  operationId: "isAlive",
  summary: "Check that the process is alive",
  description: "Independent of the database.",
  access: anyone,
  answered: "The process is alive.",
  answer: z.strictObject({ status: z.literal("ok") }),
  errors: ["headers_too_large"],
  handle: () => ({ status: 200, headers: {}, body: '{"status":"ok"}' }),
});

let check: Promise<string[]> | undefined;

/** The pending migrations of a usable database. Concurrent callers share one check: the endpoint is public. */
function examine(): Promise<string[]> {
  check ??= (async () => {
    const pool = lookUpPool();
    const { rows } = await pool.query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
    // PostgreSQL has refused it already; PgBouncer hides this.
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

/** Whether requests can be served: the database is reachable and migrated, and the service is not stopping. */
export const ready = endpoint({
  operationId: "isReady",
  summary: "Check that the service is ready",
  description: "Ready means that the database is reachable and migrated, and that the service is not stopping.",
  access: anyone,
  hasDeadline: false,
  answered: "The service is ready.",
  answer: z.strictObject({ status: z.literal("ready") }),
  errors: ["headers_too_large", "unavailable"],
  async handle() {
    // So that no new traffic arrives.
    if (isDraining()) throw unavailable("stopping", "The service is stopping.");
    if (!state.started) throw starting();
    const pending = await examine().catch((error: unknown) => {
      if (!(error instanceof StartError)) throw away(error);
      // Waiting does not help, and the message says what to do.
      throw new AppError("unavailable", error.message, { headers: { "Retry-After": "60" }, cause: error });
    });
    if (pending.length > 0) throw unavailable(pending, "Database migrations are pending.");
    return { status: 200, headers: {}, body: '{"status":"ready"}' };
  },
});
