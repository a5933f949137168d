import { readText } from "@/lib/db/pool";
import type { TextRow } from "@/lib/db/text-query";

// A user group as the hot path's statements read it.

export interface GroupRow {
  team_id: number;
  environment_id: number;
  provided_id: string;
  name: string;
  properties: string | null;
  /** read when the group is looked up by token; only that answer contains it */
  mapping?: string | undefined;
  /** whether its access has ended, by the database's clock; read along with the mapping */
  hasEnded?: boolean | undefined;
  /** set when the group was looked up by its previous token: that token's keyed hash, and when it stops being valid */
  previous?: { tokenIndex: Buffer; validUntil: Date } | undefined;
  token_index: Buffer;
  token_sealed: Buffer;
  version: number;
  state: "active" | "suspended";
  access_ends_at: Date | null;
  /** increases to end signed viewer tokens before they expire */
  gen: number;
}

/** The key of a request's group: the caller's id, or the keyed hash of its token. */
export type GroupKey = { providedId: string } | { tokenIndex: Buffer };

export const GROUP_COLUMNS =
  "team_id, environment_id, provided_id, name, properties, token_index, token_sealed, version, state, access_ends_at, gen";

/** A time for the history, as a member of a JSON object; empty for NULL. */
const timeMember = (name: string, time: string) =>
  `coalesce(',"${name}":"' || to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')`;

/**
 * A group for the history: as text, as exact as the columns; of the token a fingerprint. `previousUntil` selects when the token before
 * it stops being valid.
 */
export const snapshot = (row: string, previousUntil?: string) =>
  `'{"provided_id":' || to_json(${row}.provided_id) || ',"name":' || to_json(${row}.name) || ',"mapping":' || ${row}.mapping || ',"properties":' || coalesce(${row}.properties, 'null')
    || ${timeMember("access_ends_at", `${row}.access_ends_at`)}
    || ',"token_fingerprint":"' || encode(substring(${row}.token_index FOR 8), 'hex') || '"'${previousUntil ? ` || ${timeMember("previous_token_valid_until", previousUntil)}` : ""} || '}'`;

/** The columns for {@link readGroup}. */
export const groupText = (row: string) =>
  `${row}.team_id, ${row}.provided_id, ${row}.name, ${row}.properties, ${row}.version, ${row}.token_index || ${row}.token_sealed, ${row}.state,
    (extract(epoch FROM ${row}.access_ends_at) * 1000)::bigint, ${row}.gen`;

/** The state of a group as callers see it: the end of its access makes an active group an ended one. */
export type ShownState = GroupRow["state"] | "ended";

/** A {@link ShownState}, by the database's clock. */
export const shownState = (row: string) =>
  `CASE WHEN ${row}.state = 'suspended' THEN 'suspended' WHEN ${row}.access_ends_at <= now() THEN 'ended' ELSE 'active' END`;

const INDEX_LENGTH = 32;

/** Reads a group of {@link groupText} from a row's columns, starting at `at`. */
export function readGroup(environmentId: number, row: TextRow, at: number): GroupRow {
  const token = Buffer.from((row[at + 5] ?? "").slice("\\x".length), "hex");
  const accessEndsAt = row[at + 7] ?? null;
  return {
    team_id: Number(row[at]),
    environment_id: environmentId,
    provided_id: row[at + 1] ?? "",
    name: row[at + 2] ?? "",
    properties: row[at + 3] ?? null,
    version: Number(row[at + 4]),
    token_index: token.subarray(0, INDEX_LENGTH),
    token_sealed: token.subarray(INDEX_LENGTH),
    state: row[at + 6] as GroupRow["state"],
    access_ends_at: accessEndsAt === null ? null : new Date(Number(accessEndsAt)),
    gen: Number(row[at + 8]),
  };
}

/** The columns of a look-up by this column, and the function that reads them from column `at` on. */
export const lookedUpBy = (column: "provided_id" | "token_index") =>
  column === "provided_id"
    ? { columns: groupText("g"), read: readGroup }
    : { columns: `${groupText("g")}, g.mapping, g.access_ends_at <= now()`, read: readGroupAndMapping };

function readGroupAndMapping(environmentId: number, row: TextRow, at: number): GroupRow {
  const group = readGroup(environmentId, row, at);
  group.mapping = row[at + 9] ?? undefined;
  group.hasEnded = row[at + 10] === "t";
  return group;
}

const findBy = (column: "provided_id" | "token_index" | "team_id") => {
  const { columns, read } = lookedUpBy(column === "token_index" ? column : "provided_id");
  const text = `SELECT ${columns} FROM user_group g WHERE environment_id = $1 AND ${column} = $2`;
  return { statement: { name: `find_group_by_${column}`, text }, read };
};

const FIND_BY_ID = findBy("provided_id");
const FIND_BY_TOKEN = findBy("token_index");
const FIND_BY_TEAM_ID = findBy("team_id");

/** The current state of a group in the environment. */
export async function findGroup(
  environmentId: number,
  key: GroupKey | { teamId: number },
): Promise<GroupRow | undefined> {
  const [{ statement, read }, value] =
    "tokenIndex" in key
      ? [FIND_BY_TOKEN, key.tokenIndex]
      : "teamId" in key
        ? [FIND_BY_TEAM_ID, key.teamId]
        : [FIND_BY_ID, key.providedId];
  const [row] = await readText(statement, [environmentId, value]);
  return row && read(environmentId, row, 0);
}
