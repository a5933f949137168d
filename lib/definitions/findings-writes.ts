import type { PoolClient } from "pg";
import { queryOf, type Statement } from "@/lib/db/pool";
import type { FindingList } from "@/lib/definitions/findings-check";

// What the work on findings writes.

/** Kinds that are found by comparing groups, not by checking each. */
const COMPARED = "('unused', 'same_name')";

/** Checked findings of a chunk: $1 and $2. */
const READ_CHUNK: Statement = {
  name: "read_chunk_findings",
  text: `
    SELECT kind, member, name, resembles, team_ids AS "teamIds" FROM group_finding
    WHERE environment_id = $1 AND chunk = $2 AND kind NOT IN ${COMPARED}`,
};

/** Replaces the checked findings of chunk $2, and deletes those of chunks after $8 and before it. */
const REPLACE_CHUNK: Statement = {
  name: "replace_chunk_findings",
  text: `
    WITH found AS (
      SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS f(kind, member, name, resembles, team_ids)
    ), gone AS (
      DELETE FROM group_finding f
      WHERE environment_id = $1 AND kind NOT IN ${COMPARED} AND (chunk > $8 AND chunk < $2
        OR chunk = $2 AND NOT EXISTS (SELECT FROM found n WHERE n.kind = f.kind AND n.member = f.member AND n.name = f.name))
    )
    INSERT INTO group_finding AS f (environment_id, kind, member, name, chunk, resembles, team_ids)
    SELECT $1, kind, member, name, $2, resembles, team_ids::int[] FROM found
    ON CONFLICT (environment_id, kind, member, name, chunk)
    DO UPDATE SET resembles = excluded.resembles, team_ids = excluded.team_ids
    WHERE f.resembles IS DISTINCT FROM excluded.resembles OR f.team_ids <> excluded.team_ids`,
};

/** Deletes the checked findings of chunks after $2. */
const DELETE_AFTER: Statement = {
  name: "delete_findings_after",
  text: `DELETE FROM group_finding WHERE environment_id = $1 AND chunk > $2 AND kind NOT IN ${COMPARED}`,
};

/** Replaces a compared finding, $2, in chunks $3 to $4. */
const REPLACE_COMPARED: Statement = {
  name: "replace_compared_findings",
  text: `
    WITH found AS (
      SELECT * FROM unnest($5::int[], $6::text[]) AS f(chunk, team_ids)
    ), gone AS (
      DELETE FROM group_finding f
      WHERE environment_id = $1 AND kind = $2 AND member = '' AND name = '' AND chunk BETWEEN $3 AND $4
        AND NOT EXISTS (SELECT FROM found n WHERE n.chunk = f.chunk)
    )
    INSERT INTO group_finding AS f (environment_id, kind, member, name, chunk, team_ids)
    SELECT $1, $2, '', '', chunk, team_ids::int[] FROM found
    ON CONFLICT (environment_id, kind, member, name, chunk) DO UPDATE SET team_ids = excluded.team_ids
    WHERE f.team_ids <> excluded.team_ids`,
};

/** A chunk, and numbers of its groups as PostgreSQL writes a list, in order. */
export interface ChunkList {
  chunk: number;
  teamIds: string;
}

/** The checked findings of a chunk. */
export async function readChunk(client: PoolClient, environmentId: number, chunk: number): Promise<FindingList[]> {
  return (await client.query<FindingList>(queryOf(READ_CHUNK, [environmentId, chunk]))).rows;
}

/** Replaces the checked findings of a chunk, and deletes those of chunks between it and `after`, which have no groups. */
export async function replaceChunk(
  client: PoolClient,
  { environmentId, chunk, after }: { environmentId: number; chunk: number; after: number },
  found: readonly FindingList[],
) {
  const columns = [
    ...(["kind", "member", "name", "resembles"] as const).map((column) => found.map((finding) => finding[column])),
    found.map(({ teamIds }) => `{${teamIds.join()}}`),
  ];
  await client.query(queryOf(REPLACE_CHUNK, [environmentId, chunk, ...columns, after]));
}

/** Deletes the checked findings of chunks after one. */
export async function deleteAfter(client: PoolClient, environmentId: number, chunk: number) {
  await client.query(queryOf(DELETE_AFTER, [environmentId, chunk]));
}

/** Replaces a compared finding in some chunks. */
export async function replaceCompared(
  client: PoolClient,
  { environmentId, kind, from, to }: { environmentId: number; kind: "unused" | "same_name"; from: number; to: number },
  found: readonly ChunkList[],
) {
  const columns = [found.map(({ chunk }) => chunk), found.map(({ teamIds }) => teamIds)];
  await client.query(queryOf(REPLACE_COMPARED, [environmentId, kind, from, to, ...columns]));
}
