import { turns } from "@/lib/db/turns";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import { planAllowed } from "@/lib/groups/batch-plan";
import {
  type BatchRow,
  type BatchWork,
  failedRow,
  nextChunk,
  placed,
  reasonOf,
  resultFor,
  type State,
  stateOf,
} from "@/lib/groups/batch-rows";
import type { BatchMode, BatchResult } from "@/lib/groups/batch-schema";
import { overlapRunning } from "@/lib/groups/rotation";
import { findGroups, type SetGroup } from "@/lib/store/group-set";
import { findOverlapping } from "@/lib/store/previous-token";
import { findNewIds, type NewId } from "@/lib/store/renames";

/** What a batch would do to the groups as they are now; later rows see the effects of earlier ones. */
export async function foresee(work: BatchWork, rows: BatchRow[]): Promise<Map<number, BatchResult>> {
  const { caller, mode, results } = work;
  const yieldTurn = turns();
  const definitions = await readDefinitions(caller.environment.id);
  for (let waiting = rows; waiting.length > 0; ) {
    const { chunk, rest } = nextChunk(waiting);
    waiting = rest;
    const ids = [...new Set(chunk.map(({ fields }) => fields.user_group_id))];
    const found = await findGroups(caller.environment.id, ids);
    const states = new Map(found.map((one) => [one.provided_id, stateOf(one)]));
    const unknown = ids.filter((id) => !states.has(id));
    const newIds = await findNewIds(caller.environment.id, unknown);
    const overlapping = await overlappingAmong(work, found);
    for (const row of chunk) {
      await yieldTurn();
      const { user_group_id: id } = row.fields;
      const result = overlapping.has(id)
        ? failedRow(row, overlapRunning())
        : foreseeRow({ definitions, mode, newIds }, row, states);
      results[row.index] = result;
      if (result.outcome === "rotated" && work.overlapSeconds > 0) overlapping.add(id);
    }
  }
  return new Map();
}

/** The ids of the groups that a rotation with an overlap would leave unchanged, because one is running. */
async function overlappingAmong({ mode, overlapSeconds }: BatchWork, found: SetGroup[]): Promise<Set<string>> {
  if (mode !== "rotate" || overlapSeconds === 0) return new Set();
  const teamIds = await findOverlapping(found.map(({ team_id }) => team_id));
  return new Set(found.filter(({ team_id }) => teamIds.has(team_id)).map(({ provided_id }) => provided_id));
}

function foreseeRow(
  { definitions, mode, newIds }: { definitions: KnownDefinitions; mode: BatchMode; newIds: Map<string, NewId> },
  row: BatchRow,
  states: Map<string, State>,
): BatchResult {
  const id = row.fields.user_group_id;
  const was = states.get(id);
  try {
    const asked = { mode, row: row.fields, was: was?.fields, newId: newIds.get(id) };
    const { outcome, after, warnings } = planAllowed(definitions, asked);
    if (outcome === "same") return resultFor(row, outcome, was);
    if (outcome === "deleted") states.delete(id);
    if (after) states.set(id, { teamId: was?.teamId, fields: after });
    const result = resultFor(row, outcome, { teamId: was?.teamId });
    return warnings?.length ? { ...result, warnings: placed(row, warnings) } : result;
  } catch (error) {
    return failedRow(row, reasonOf(error));
  }
}
