import { ORDERED_READS, sharedPool, transaction } from "@/lib/db/pool";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";
import { findFaults, findTwins, type GroupFault, nextNumber, type Reach, reachOf } from "@/lib/store/faults";
import { tokenOf } from "@/lib/store/group-row";
import { type Resealable, type SealedRow, sealedGroups } from "@/lib/store/reseal";

const BATCH = 500;
const LOWEST_NUMBER = -2_147_483_648;
/** The most faults to name. */
const MAX_NAMED = 100;
const WITH_TOKENS: Resealable[] = ["user_group", "previous_token", "deleted_group"];

/** What a check of all groups found. */
interface Verification {
  groups: number;
  faults: number;
  /** the first ones */
  named: GroupFault[];
}

/** Compares each group with the history and with the search rows, and opens its token. */
export async function verifyGroups(): Promise<Verification> {
  const reach = await transaction(reachOf);
  const found: Verification = { groups: reach.groups, faults: 0, named: [] };
  const add = (faults: GroupFault[]) => {
    found.faults += faults.length;
    found.named.push(...faults.slice(0, MAX_NAMED - found.named.length));
  };
  add(await transaction(findTwins));
  for (let next: number | null = LOWEST_NUMBER; next !== null; ) {
    const checked = await checkNumbers(next, reach);
    add(checked.faults);
    next = checked.next;
  }
  for (const table of WITH_TOKENS) {
    for (let after = LOWEST_NUMBER, rows: SealedRow[] = []; ; after = rows.at(-1)?.team_id ?? 0) {
      rows = await sealedGroups(sharedPool(), table, { after, most: BATCH });
      add(rows.flatMap(faultOfToken));
      if (rows.length < BATCH) break;
    }
  }
  return found;
}

/** Checks the next groups from a number on; `next` is where to continue, or null at the end. */
function checkNumbers(from: number, reach: Reach): Promise<{ faults: GroupFault[]; next: number | null }> {
  return transaction(async (client) => {
    const first = await nextNumber(client, from);
    if (first === null) return { faults: [], next: null };
    const last = Math.min(first + BATCH - 1, LARGEST_NUMBER);
    return { faults: await findFaults(client, first, last, reach), next: last < LARGEST_NUMBER ? last + 1 : null };
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
