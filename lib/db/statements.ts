import type pg from "pg";
import { readText, type Statement, writeText } from "@/lib/db/pool";
import type { TextRow } from "@/lib/db/text-query";

// The statements of the hot path about groups, prepared by name. Everything else goes through Prisma (lib/db/prisma.ts).

export interface GroupRow {
  team_id: number;
  environment_id: number;
  provided_id: string;
  name: string;
  properties: string | null;
  token_index: Buffer;
  token_sealed: Buffer;
  version: number;
}

/** The group a request is about, by the id its caller gave or by the keyed hash of its token. */
export type GroupKey = { providedId: string } | { tokenIndex: Buffer };

/** Who changes a group, as the history records it. */
export interface Author {
  actorType: "api_token" | "member" | "operator";
  actorId: string | null;
  actorName: string;
  requestId: string | null;
}

export const GROUP_COLUMNS =
  "team_id, environment_id, provided_id, name, properties, token_index, token_sealed, version";
export const AUTHOR_COLUMNS = "actor_type, actor_id, actor_name, request_id";

/** A group as the history keeps it: text again, so that it stays as exact as the columns; the token by a fingerprint. */
export const snapshot = (row: string) =>
  `'{"provided_id":' || to_json(${row}.provided_id) || ',"name":' || to_json(${row}.name) || ',"mapping":' || ${row}.mapping || ',"properties":' || coalesce(${row}.properties, 'null')
    || ',"token_fingerprint":"' || encode(substring(${row}.token_index FOR 8), 'hex') || '"}'`;

/** The columns that {@link readGroup} reads. */
export const groupText = (row: string) =>
  `${row}.team_id, ${row}.provided_id, ${row}.name, ${row}.properties, ${row}.version, ${row}.token_index || ${row}.token_sealed`;

const INDEX_LENGTH = 32;

/** A group of {@link groupText}, which stands in the row from column `at` on. */
export function readGroup(environmentId: number, row: TextRow, at: number): GroupRow {
  const token = Buffer.from((row[at + 5] ?? "").slice("\\x".length), "hex");
  return {
    team_id: Number(row[at]),
    environment_id: environmentId,
    provided_id: row[at + 1] ?? "",
    name: row[at + 2] ?? "",
    properties: row[at + 3] ?? null,
    version: Number(row[at + 4]),
    token_index: token.subarray(0, INDEX_LENGTH),
    token_sealed: token.subarray(INDEX_LENGTH),
  };
}

const findBy = (column: "provided_id" | "token_index"): Statement => ({
  name: `find_group_by_${column}`,
  text: `SELECT ${groupText("g")} FROM user_group g WHERE environment_id = $1 AND ${column} = $2`,
});

const FIND_BY_ID = findBy("provided_id");
const FIND_BY_TOKEN = findBy("token_index");

const CREATE_GROUP: Statement = {
  name: "create_group",
  text: `
    WITH created AS (
      INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (environment_id, provided_id) DO NOTHING
      RETURNING *
    ), recorded AS (
      INSERT INTO audit_entry (environment_id, team_id, action, after, ${AUTHOR_COLUMNS})
      SELECT environment_id, team_id, 'user_group.created', ${snapshot("created")}, $8, $9, $10, $11 FROM created
    )
    SELECT team_id, version FROM created`,
};

// `was` takes the row lock, so the values it reads are the very ones that the update replaces.
const UPDATE_GROUP: Statement = {
  name: "update_group",
  text: `
    WITH was AS (
      SELECT * FROM user_group WHERE environment_id = $1 AND provided_id = $2 FOR UPDATE
    ), wanted AS (
      SELECT coalesce($3, name) AS name, coalesce($4, mapping) AS mapping,
        CASE WHEN $5 THEN $6 ELSE properties END AS properties
      FROM was WHERE $7::text[] IS NULL OR team_id || '-' || version = ANY ($7)
    ), changed AS (
      UPDATE user_group g SET name = wanted.name, mapping = wanted.mapping, properties = wanted.properties,
        version = was.version + 1, updated_at = now()
      FROM was, wanted
      WHERE g.team_id = was.team_id
        AND (was.name, was.mapping, was.properties) IS DISTINCT FROM (wanted.name, wanted.mapping, wanted.properties)
      RETURNING g.*
    ), recorded AS (
      INSERT INTO audit_entry (environment_id, team_id, action, before, after, ${AUTHOR_COLUMNS})
      SELECT changed.environment_id, changed.team_id, 'user_group.updated', ${snapshot("was")}, ${snapshot("changed")},
        $8, $9, $10, $11 FROM changed, was
    )
    SELECT ${groupText("changed")}, true FROM changed
    UNION ALL
    SELECT ${groupText("was")}, EXISTS (SELECT FROM wanted) FROM was WHERE NOT EXISTS (SELECT FROM changed)`,
};

/** Swaps the token if it is still the one the caller holds: of any number at once exactly one finds it so. */
const ROTATE_TOKEN: Statement = {
  name: "rotate_token",
  text: `
    WITH was AS (
      SELECT * FROM user_group WHERE team_id = $1 AND token_index = ANY ($2) FOR UPDATE
    ), changed AS (
      UPDATE user_group g SET token_index = $3, token_sealed = $4, version = was.version + 1, rotated_at = now()
      FROM was WHERE g.team_id = was.team_id
      RETURNING g.*
    ), recorded AS (
      INSERT INTO audit_entry (environment_id, team_id, action, before, after, ended_token, ${AUTHOR_COLUMNS})
      SELECT changed.environment_id, changed.team_id, 'user_group.token_rotated', ${snapshot("was")}, ${snapshot("changed")},
        substring(was.token_index FOR 8), $5, $6, $7, $8 FROM changed, was
    )
    SELECT team_id, provided_id, name, properties, version FROM changed`,
};

/** A group of the environment, as it is now. */
export async function findGroup(environmentId: number, key: GroupKey): Promise<GroupRow | undefined> {
  const [row] =
    "tokenIndex" in key
      ? await readText(FIND_BY_TOKEN, [environmentId, key.tokenIndex])
      : await readText(FIND_BY_ID, [environmentId, key.providedId]);
  return row && readGroup(environmentId, row, 0);
}

export interface NewGroup {
  environmentId: number;
  providedId: string;
  name: string;
  mapping: string;
  properties: string | null;
  tokenIndex: Buffer;
  tokenSealed: Buffer;
}

/** Creates the group and records it; nothing, when another call has just created it. */
export async function createGroup(
  group: NewGroup,
  author: Author,
): Promise<{ teamId: number; version: number } | undefined> {
  const { environmentId, providedId, name, mapping, properties, tokenIndex, tokenSealed } = group;
  const values = [environmentId, providedId, name, mapping, properties, tokenIndex, tokenSealed];
  const [row] = await writeText(CREATE_GROUP, [...values, ...authorValues(author)]);
  return row && { teamId: Number(row[0]), version: Number(row[1]) };
}

export interface GroupChange {
  environmentId: number;
  providedId: string;
  name: string | undefined;
  mapping: string | undefined;
  /** undefined leaves them as they are, null clears them */
  properties: string | null | undefined;
  /** the entity tags that may be replaced; undefined for any */
  tags: string[] | undefined;
}

/** Updates a group, records it if that changed anything, and gives the row as it stands then; `accepted` says whether its tag was among those asked for. */
export async function updateGroup(
  change: GroupChange,
  author: Author,
): Promise<(GroupRow & { accepted: boolean }) | undefined> {
  const { environmentId, providedId, name, mapping, properties, tags } = change;
  const values = [environmentId, providedId, name, mapping, properties !== undefined, properties, tags];
  const [row] = await writeText(UPDATE_GROUP, [...values, ...authorValues(author)]);
  return row && { ...readGroup(environmentId, row, 0), accepted: row.at(-1) === "t" };
}

export interface TokenSwap {
  teamId: number;
  /** the keyed hashes of the token that is to go, under each usable key */
  oldIndexes: Buffer[];
  newIndex: Buffer;
  newSealed: Buffer;
}

/** A group whose token was swapped; the new one is known to whoever asked for it. */
export interface Rotated {
  teamId: number;
  providedId: string;
  name: string;
  properties: string | null;
  version: number;
}

/** Gives the group a new token and records it, in the transaction of `client` if there is one; nothing, when the old one is no longer its own. */
export async function swapToken(
  { teamId, oldIndexes, newIndex, newSealed }: TokenSwap,
  author: Author,
  client?: pg.PoolClient,
): Promise<Rotated | undefined> {
  const values = [teamId, oldIndexes, newIndex, newSealed, ...authorValues(author)];
  const [row] = await writeText(ROTATE_TOKEN, values, client);
  if (!row) return undefined;
  const [, providedId, name, properties, version] = row;
  return {
    teamId,
    providedId: providedId ?? "",
    name: name ?? "",
    properties: properties ?? null,
    version: Number(version),
  };
}

/** The values of {@link AUTHOR_COLUMNS}. */
export function authorValues({ actorType, actorId, actorName, requestId }: Author): unknown[] {
  return [actorType, actorId, actorName, requestId];
}
