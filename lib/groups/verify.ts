import { setTimeout as sleep } from "node:timers/promises";
import { ORDERED_READS, read, sharedPool, statement, transaction, write } from "@/lib/db/pool";
import { findFaults, findTwins, type GroupFault, nextNumber, type Reach, reachOf } from "@/lib/store/faults";
import { tokenOf } from "@/lib/store/group-row";
import { type Resealable, type SealedRow, sealedGroups } from "@/lib/store/reseal";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";

const BATCH = 500;
const LOWEST_NUMBER = -2_147_483_648;
const HIGHEST_NUMBER = 2_147_483_647;
/** The most faults to name. */
const MAX_NAMED = 100;
const WITH_TOKENS: Resealable[] = ["user_group", "previous_token", "deleted_group"];

/** What a check of all groups found. */
interface Verification {
  groups: number;
  faults: number;
  /** the first ones */
  named: GroupFault[];
  /** false if it was to stop before its end */
  isWhole: boolean;
}

interface Pace {
  /** the time to rest after each step, as a multiple of the time it took */
  rest: number;
  /** asked before each step: whether to give up */
  isOver(): boolean;
}

const AT_ONCE: Pace = { rest: 0, isOver: () => false };

/** Compares each group with the history and with the lists, and opens its token. */
export async function verifyGroups({ rest, isOver }: Pace = AT_ONCE): Promise<Verification> {
  const found: Verification = { groups: 0, faults: 0, named: [], isWhole: false };
  const add = (faults: GroupFault[]) => {
    found.faults += faults.length;
    found.named.push(...faults.slice(0, MAX_NAMED - found.named.length));
  };
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    await sleep(rest * (performance.now() - start));
    return result;
  };
  const reach = await step(() => transaction(reachOf));
  found.groups = reach.groups;
  add(await step(() => transaction(findTwins)));
  for (let next: number | null = LOWEST_NUMBER; next !== null; ) {
    if (isOver()) return found;
    const from: number = next;
    const checked = await step(() => checkNumbers(from, reach));
    add(checked.faults);
    next = checked.next;
  }
  for (const table of WITH_TOKENS) {
    for (let after = LOWEST_NUMBER, rows: SealedRow[] = []; ; after = rows.at(-1)?.team_id ?? 0) {
      if (isOver()) return found;
      rows = await step(async () => {
        const read = await sealedGroups(sharedPool(), table, { after, most: BATCH });
        add(read.flatMap(faultOfToken));
        return read;
      });
      if (rows.length < BATCH) break;
    }
  }
  return { ...found, isWhole: true };
}

/** Checks the next groups from a number on; `next` is where to continue, or null at the end. */
function checkNumbers(from: number, reach: Reach): Promise<{ faults: GroupFault[]; next: number | null }> {
  return transaction(async (client) => {
    const first = await nextNumber(client, from);
    if (first === null) return { faults: [], next: null };
    const last = Math.min(first + BATCH - 1, HIGHEST_NUMBER);
    return { faults: await findFaults(client, first, last, reach), next: last < HIGHEST_NUMBER ? last + 1 : null };
  }, ORDERED_READS);
}

function faultOfToken(row: SealedRow): GroupFault[] {
  const { team_id, provided_id } = row;
  try {
    tokenOf(row);
    return [];
  } catch {
    return [{ team_id, provided_id, environment: null, fault: "its token does not open with SECRET_KEY" }];
  }
}

/** How much longer than it works the nightly check rests: it leaves the database to requests. */
const NIGHTLY_REST = 3;

// Of all instances, the first one to note a night makes its check. It begins at two, by UTC.
const BEGIN = statement("begin_group_check")`
  WITH forgotten AS (DELETE FROM group_check WHERE night < (now() AT TIME ZONE 'UTC')::date - 30)
  INSERT INTO group_check (night) VALUES (((now() - interval '2 hours') AT TIME ZONE 'UTC')::date)
  ON CONFLICT DO NOTHING RETURNING night::text`;
const END = statement("end_group_check")`
  UPDATE group_check SET ended_at = now(), groups = $2, faults = $3 WHERE night = $1::date`;
const LEAVE = statement("leave_group_check")`DELETE FROM group_check WHERE night = $1::date`;

/** Makes the check of the night, unless it has been made, and reports faults. */
export async function verifyNightly(isOver: () => boolean) {
  const [begun] = await write<{ night: string }>(BEGIN, []);
  if (!begun) {
    // The metrics of every instance have the last check, whichever made it.
    const last = await lastCheck();
    if (last) meter()?.verified(last.faults);
    return;
  }
  const found = await verifyGroups({ rest: NIGHTLY_REST, isOver }).catch(async (error: unknown) => {
    await write(LEAVE, [begun.night]);
    throw error;
  });
  if (!found.isWhole) return void (await write(LEAVE, [begun.night]));
  await write(END, [begun.night, found.groups, found.faults]);
  meter()?.verified(found.faults);
  const { faults, named } = found;
  if (faults > 0)
    log().error(
      { faults, named },
      "user groups are not as the history says: run ./user-groups verify, and see docs/operations.md",
    );
}

const LAST = statement("last_group_check")`
  SELECT ended_at, groups, faults FROM group_check WHERE ended_at IS NOT NULL ORDER BY night DESC LIMIT 1`;

/** The last nightly check that was finished. */
export async function lastCheck(): Promise<{ ended_at: Date; groups: number; faults: number } | undefined> {
  return (await read<{ ended_at: Date; groups: number; faults: number }>(LAST, []))[0];
}
