import type pg from "pg";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { statement, writeText } from "@/lib/db/pool";
import { type GroupRow, groupText, readGroup, type ShownState, shownState } from "@/lib/store/group-row";

// A suspended group keeps its token; POST /api/viewer says that it is suspended.

const stateOf = (row: string, reason: string) =>
  `json_strip_nulls(json_build_object('state', ${row}.state, 'reason', ${reason}))::text`;

const SET_STATES = statement("set_states")`
  WITH was AS (
    SELECT *, team_id || '-' || version = ANY ($5::text[]) IS NOT FALSE AS is_current
    FROM user_group WHERE environment_id = $1 AND provided_id = ANY ($2::text[]) ORDER BY team_id FOR UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(6)}`, "groups:write")}, changed AS (
    UPDATE user_group g SET state = $3::group_state, version = was.version + 1, updated_at = now(),
      gen = was.gen + CASE $3 WHEN 'suspended' THEN 1 ELSE 0 END
    FROM was
    WHERE g.environment_id = was.environment_id AND g.team_id = was.team_id AND was.is_current AND was.state::text <> $3
    RETURNING g.*
  ), ${recording({
    columns: "environment_id, team_id, action, before, after",
    values: `changed.environment_id, changed.team_id,
      CASE $3 WHEN 'suspended' THEN 'user_group.suspended' ELSE 'user_group.resumed' END,
      ${stateOf("was", "NULL::text")}, ${stateOf("changed", "$4::text")}`,
    rows: `changed JOIN was USING (environment_id, team_id) CROSS JOIN ${authorFrom(6)}`,
  })}
  SELECT ${groupText("changed")}, ${shownState("changed")}, 'changed' FROM changed
  UNION ALL
  SELECT ${groupText("was")}, ${shownState("was")}, CASE WHEN was.is_current THEN 'same' ELSE 'stale' END
  FROM was, checked WHERE NOT EXISTS (SELECT FROM changed WHERE changed.team_id = was.team_id)`;

/** A state to put groups into; `reason` is for the history. */
export interface StateChange {
  environmentId: number;
  providedIds: string[];
  state: GroupRow["state"];
  reason: string | null;
  /** the entity tags that they may have; undefined for any */
  tags: string[] | undefined;
}

/** A group with its state as callers see it. */
export type GroupWithState = GroupRow & { shown_state: ShownState };

/**
 * Puts groups into a state, records each that was in another, and returns the groups that exist; `accepted` says
 * whether a tag matched. On `client` within its transaction.
 */
export async function setStates(
  { environmentId, providedIds, state, reason, tags }: StateChange,
  author: Author,
  client?: pg.ClientBase,
): Promise<(GroupWithState & { accepted: boolean })[]> {
  const values = [environmentId, providedIds, state, reason, tags, ...authorValues(author)];
  return (await writeText(SET_STATES, values, client)).map((row) => {
    const [shown_state, outcome] = [row.at(-2) as ShownState, row.at(-1)];
    return { accepted: outcome !== "stale", shown_state, ...readGroup(environmentId, row, 0) };
  });
}
