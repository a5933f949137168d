import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { anyDue, claiming, holding, releasing } from "@/lib/db/lease";
import { jobPool, queryOf, type Statement, transaction, write } from "@/lib/db/pool";
import { hasFurtherEntries, type Place, START } from "@/lib/events/place";

// One process at a time works on the findings of an environment. It gives up when another took over, or the definitions changed.

/** How far an environment's findings go. */
export interface FindingState {
  /** of the environment */
  id: number;
  epoch: number | null;
  xid: string | null;
  entry_id: string | null;
  entry_at: Date | null;
  definitions_version: number | null;
  keys: string | null;
  groups: number;
  changes: number;
  passed_at: Date | null;
  compared_at: Date | null;
}

/** How old a pass may be when groups have changed since, and a comparison of uses and names when none has. */
const PASS_AGE = "interval '1 day'";
const COMPARISON_AGE = "interval '10 minutes'";
/** A wait that ends later is from before the clock was set back. */
const LONGEST_WAIT = "interval '1 hour'";

const version = (state: string) =>
  `coalesce((SELECT d.version FROM definitions d WHERE d.environment_id = ${state}.id), 0)`;

/** New definitions are due immediately; changes of groups wait until next_at. */
const isDue = (state: string) => `(
  ${state}.definitions_version IS DISTINCT FROM ${version(state)}
  OR (${state}.next_at BETWEEN now() AND now() + ${LONGEST_WAIT}) IS NOT TRUE AND (
    ${state}.compared_at < now() - ${COMPARISON_AGE}
    OR ${state}.changes > 0 AND ${state}.passed_at < now() - ${PASS_AGE}
    OR ${hasFurtherEntries(state, "id")}))`;

/** SQL: whether an environment's findings are out of date and need a worker. */
export const ANY_FINDINGS_DUE = anyDue({
  from: "environment e LEFT JOIN finding_state s ON s.id = e.id",
  row: "s",
  where: `s.id IS NULL OR ${isDue("s")}`,
});
const ADD_STATES: Statement = {
  name: "add_finding_states",
  text: "INSERT INTO finding_state (id) SELECT id FROM environment ON CONFLICT DO NOTHING",
};
const CLAIM = claiming({
  table: "finding_state",
  where: isDue("finding_state"),
  order: "random()",
  most: "1",
});
const RELEASE = releasing("finding_state");

const holdingWith = (name: string, set: string): Statement => ({
  ...holding({ table: "finding_state", where: `${version("finding_state")} = $3`, set }),
  name,
});
const HOLD = holdingWith("hold_finding_state", "checked_at = checked_at");
const REST = "next_at = now() + $4::int * interval '1 millisecond', checked_at = now()";
const PLACE = "epoch = $5, xid = $6, entry_id = $7, entry_at = $8::timestamptz";
const NOTE_PASS = holdingWith(
  "note_finding_pass",
  `${REST}, ${PLACE}, definitions_version = $3, keys = $9, changes = 0, passed_at = now()`,
);
const NOTE_CHANGES = holdingWith("note_finding_changes", `${REST}, ${PLACE}, changes = changes + $9::int`);
const NOTE_COMPARISON = holdingWith("note_finding_comparison", `${REST}, groups = $5, compared_at = now()`);

/** Another process has taken the work, or the definitions have changed. */
export class FindingsLost extends Error {}

/** Exclusive permission to work on an environment's findings, against one version of its definitions. */
export class FindingsLease {
  private heldAt = performance.now();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly state: FindingState,
    private readonly worker: string,
    private readonly definitionsVersion: number,
  ) {}

  get environmentId(): number {
    return this.state.id;
  }

  /** The place in the feed up to which changes are in the findings. */
  get place(): Place {
    const { epoch, xid, entry_id: id, entry_at: at } = this.state;
    return epoch === null || xid === null || id === null ? START : { epoch, xid, id, at: at?.toISOString() ?? null };
  }

  /**
   * Makes a change while the lease is held; no other process and no erasure writes findings at the same time.
   * @throws {FindingsLost}
   */
  change<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.inTurn(async (client) => {
      await this.hold(client, HOLD, []);
      return work(client);
    });
  }

  /**
   * Renews the lease if it is not young any more.
   * @throws {FindingsLost}
   */
  async keep() {
    if (performance.now() - this.heldAt > 1_000) await this.change(async () => undefined);
  }

  /** Notes a pass over all groups, which began at a place; the next work waits for so many milliseconds. */
  notePass(rest: number, place: Place, keys: string): Promise<void> {
    return this.note(NOTE_PASS, [rest, ...valuesOf(place), keys]);
  }

  /** Notes that so many changed groups were checked, up to a place. */
  noteChanges(rest: number, place: Place, changes: number): Promise<void> {
    return this.note(NOTE_CHANGES, [rest, ...valuesOf(place), changes]);
  }

  /** Notes that uses and names were compared, of so many groups. */
  noteComparison(rest: number, groups: number): Promise<void> {
    return this.note(NOTE_COMPARISON, [rest, groups]);
  }

  /** Lets another process continue. */
  async release() {
    await write(RELEASE, [this.environmentId, this.worker], jobPool);
  }

  private note(statement: Statement, values: unknown[]): Promise<void> {
    return this.inTurn((client) => this.hold(client, statement, values));
  }

  /** Runs transactions one after the other: waiting for each other's lock on the row, they would hold connections, and could time out. */
  private inTurn<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const done = this.last.then(async () => {
      const heldAt = performance.now();
      const result = await transaction(work, "BEGIN", jobPool);
      this.heldAt = heldAt;
      return result;
    });
    this.last = done.catch(() => undefined);
    return done;
  }

  private async hold(client: PoolClient, statement: Statement, values: unknown[]) {
    const held = [this.environmentId, this.worker, this.definitionsVersion, ...values];
    if ((await client.query(queryOf(statement, held))).rowCount !== 1) throw new FindingsLost();
  }
}

function valuesOf({ epoch, xid, id, at }: Place): unknown[] {
  return [epoch, xid, id, at];
}

/** An environment whose findings are out of date, and that no other process works on; undefined without one. */
export async function claimFindings(): Promise<{ state: FindingState; worker: string } | undefined> {
  await write(ADD_STATES, [], jobPool);
  const worker = randomUUID();
  const [state] = await write<FindingState>(CLAIM, [worker], jobPool);
  return state && { state, worker };
}
