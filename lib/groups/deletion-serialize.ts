import type { Caller } from "@/lib/auth/caller";
import { json } from "@/lib/endpoint/answer";
import type { WholeAnswer } from "@/lib/endpoint/call";
import type { KeptRow } from "@/lib/groups/deleted-list";
import { keptUntil } from "@/lib/groups/deletion";
import type { DeletedGroup, DeletedList } from "@/lib/groups/deletion-schema";

/** The answer of the list of deleted groups. */
export function answerDeletedList(
  { rows, nextCursor }: { rows: KeptRow[]; nextCursor: string | null },
  caller: Caller,
): WholeAnswer {
  const body: Omit<DeletedList, "success"> = {
    user_groups: rows.map((row) => kept(row, caller)),
    next_cursor: nextCursor,
  };
  return json(body);
}

function kept(row: KeptRow, { environment }: Caller): DeletedGroup {
  const { team_id, provided_id, name, state, access_ends_at, created_at, deleted_at, deleted_by, is_id_taken } = row;
  return {
    ...{ team_id, provided_id, name, state },
    access_ends_at: access_ends_at?.toISOString() ?? null,
    api_environment_tag: environment.tag,
    created_at: created_at.toISOString(),
    deleted_at: deleted_at.toISOString(),
    deleted_by: deleted_by && { type: deleted_by.actor_type, id: deleted_by.actor_id, name: deleted_by.actor_name },
    kept_until: keptUntil(deleted_at).toISOString(),
    is_id_taken,
  };
}
