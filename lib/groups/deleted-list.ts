import { z } from "zod";
import type { Author } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { openCursor, pageOf, writeCursor } from "@/lib/crypto/cursor";
import { read, statement } from "@/lib/db/pool";
import { cursorTime } from "@/lib/groups/cursor";
import type { DeletedQuery } from "@/lib/groups/deletion-schema";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";
import { type GroupRow, type ShownState, shownState } from "@/lib/store/group-row";

// Deleted groups that can still be restored, the most recently deleted first.

export interface KeptRow extends Pick<GroupRow, "team_id" | "provided_id" | "name" | "access_ends_at"> {
  state: ShownState;
  created_at: Date;
  deleted_at: Date;
  /** from the history */
  deleted_by: { actor_type: Author["actorType"]; actor_id: string | null; actor_name: string } | null;
  is_id_taken: boolean;
}

const listing = (condition: string) => `
    SELECT d.team_id, d.provided_id, d.name, ${shownState("d")} AS state, d.access_ends_at, d.created_at, d.deleted_at,
      (SELECT json_build_object('actor_type', actor_type, 'actor_id', actor_id, 'actor_name', actor_name)
       FROM audit_entry a WHERE a.team_id = d.team_id AND a.action = 'user_group.deleted' ORDER BY a.id DESC
         LIMIT 1) AS deleted_by,
      EXISTS (SELECT FROM user_group g WHERE g.environment_id = d.environment_id
        AND g.provided_id = d.provided_id) AS is_id_taken
    FROM deleted_group d
    WHERE d.environment_id = $1 AND ${condition} AND d.deleted_at > now() - $2::int * interval '1 second'
      AND (d.deleted_at, d.team_id) < ($3::timestamptz, $4::int)
    ORDER BY d.deleted_at DESC, d.team_id DESC LIMIT $5`;

const LIST_DELETED = statement("list_deleted")`${listing("true")}`;
const LIST_DELETED_OF_ID = statement("list_deleted_of_id")`${listing("d.provided_id = $6")}`;

const PLACE = z.tuple([cursorTime, z.int().min(1).max(LARGEST_NUMBER)]);

/**
 * A page of deleted groups, and the cursor of the next.
 * @throws {AppError} `invalid_fields` for a cursor that was altered, or belongs to another list or environment
 */
export async function listDeletedGroups(environmentId: number, { user_group_id: id, limit, cursor }: DeletedQuery) {
  // The number increases when these cursors change their meaning.
  const scope = `deleted groups 1 ${environmentId}`;
  const refusal = "is not valid: start at the first page";
  const [time, teamId] = cursor === undefined ? ["infinity", 0] : openCursor(scope, PLACE, { cursor, refusal });
  const values = [environmentId, env().DELETED_GROUPS_KEPT, time, teamId, limit + 1];
  const rows = await (id === undefined
    ? read<KeptRow>(LIST_DELETED, values)
    : read<KeptRow>(LIST_DELETED_OF_ID, [...values, id]));
  return pageOf(rows, limit, (last) => writeCursor(scope, [last.deleted_at.toISOString(), last.team_id]));
}
