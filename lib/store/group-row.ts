import { openToken } from "@/lib/crypto/group-token";
import { viewerKeyOf } from "@/lib/crypto/viewer-key";
import { readText } from "@/lib/db/pool";
import type { TextRow } from "@/lib/db/text-query";

// A user group as the hot path's statements read it.

/** SQL for the bytes of a group's mapping and properties. */
export const MEMBER_BYTES = "octet_length(mapping) + coalesce(octet_length(properties), 0)";

export interface GroupRow {
  team_id: number;
  environment_id: number;
  provided_id: string;
  name: string;
  properties: string | null;
  /** read when the group is looked up by token, or for viewer tokens */
  mapping?: string | undefined;
  /** whether its access has ended, by the database's clock; read along with the mapping */
  hasEnded?: boolean | undefined;
  /** where its dashboards may be embedded, null for where its environment allows it; read along with the mapping */
  ownOrigins?: string[] | null | undefined;
  /** read for viewer tokens */
  issuance?: Issuance | undefined;
  /** read for a viewer; undefined if their views were not ended recently */
  viewerEnd?: ViewerEnd | undefined;
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

/** What issuing and checking viewer tokens needs in addition to the group, from the same statement. */
export interface Issuance {
  /** the database's time, in milliseconds since 1970 */
  now: number;
  /** changes with the keys and settings of the environment */
  version: number;
  /** the second of the group's creation, since 1970 */
  created: number;
}

/** The last time that one person's views were ended. */
interface ViewerEnd {
  /** the last second whose tokens are revoked, since 1970 */
  second: number;
  /** until when no tokens are minted, in milliseconds since 1970; 0 without a block */
  blockedUntil: number;
}

/** The key of a request's group: the caller's id, the keyed hash of its token, or our number. */
export type GroupKey = ({ providedId: string } | { tokenIndex: Buffer } | { teamId: number }) & {
  /** reads {@link Issuance} and {@link ViewerEnd} too */
  forViewerToken?: true;
  /** with `forViewerToken`: a viewer's keyed hash */
  viewer?: Buffer | undefined;
};

export const GROUP_COLUMNS =
  "team_id, environment_id, provided_id, name, properties, token_index, token_sealed, version, state, " +
  "access_ends_at, gen";

/** A time for the history, in RFC 3339. */
export const timeText = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A time for the history, as a member of a JSON object; empty for NULL. */
const timeMember = (name: string, time: string) => `coalesce(',"${name}":"' || ${timeText(time)} || '"', '')`;

/**
 * A group for the history, as JSON text that keeps the columns exactly, with a fingerprint in place of the token.
 * `previousUntil` selects when the previous token stops being valid.
 */
export const snapshot = (row: string, previousUntil?: string) =>
  `'{"provided_id":' || to_json(${row}.provided_id) || ',"name":' || to_json(${row}.name)
    || ',"mapping":' || ${row}.mapping || ',"properties":' || coalesce(${row}.properties, 'null')
    || ${timeMember("access_ends_at", `${row}.access_ends_at`)}
    || ',"token_fingerprint":"' || encode(substring(${row}.token_index FOR 8), 'hex') || '"'
    ${previousUntil ? `|| ${timeMember("previous_token_valid_until", previousUntil)}` : ""} || '}'`;

/** The columns for {@link readGroup}. */
export const groupText = (row: string) =>
  `${row}.team_id, ${row}.provided_id, ${row}.name, ${row}.properties, ${row}.version,
    ${row}.token_index || ${row}.token_sealed, ${row}.state,
    (extract(epoch FROM ${row}.access_ends_at) * 1000)::bigint, ${row}.gen`;

/** The state of a group as callers see it: the end of its access makes an active group an ended one. */
export type ShownState = GroupRow["state"] | "ended";

/** A {@link ShownState}, by the database's clock. */
export const shownState = (row: string) =>
  `CASE WHEN ${row}.state = 'suspended' THEN 'suspended' WHEN ${row}.access_ends_at <= now() THEN 'ended'
    ELSE 'active' END`;

type Sealed = Pick<GroupRow, "environment_id" | "provided_id" | "token_index" | "token_sealed">;

/**
 * Opens the token of a row.
 * @throws when the sealed token does not belong to the row
 */
export function tokenOf({ environment_id, provided_id, token_index, token_sealed }: Sealed): string {
  return openToken({
    environmentId: environment_id,
    providedId: provided_id,
    tokenIndex: token_index,
    tokenSealed: token_sealed,
  });
}

const INDEX_LENGTH = 32;
/** The number of columns of {@link groupText}. */
const GROUP_WIDTH = 9;

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

const WITH_MAPPING = `${groupText("g")}, g.mapping, g.access_ends_at <= now(), to_json(g.allowed_origins)`;
const WITH_ISSUANCE = `${WITH_MAPPING}, (extract(epoch FROM now()) * 1000)::bigint,
    (SELECT e.viewer_version FROM environment e WHERE e.id = g.environment_id),
    floor(extract(epoch FROM g.created_at))::bigint`;

/** What a look-up reads of a group, and how. */
export interface GroupReader {
  /** the columns of row g */
  columns: string;
  /** reads them from column `at` on */
  read(environmentId: number, row: TextRow, at: number): GroupRow;
}

const BY_ID: GroupReader = { columns: groupText("g"), read: readGroup };
const BY_TOKEN: GroupReader = { columns: WITH_MAPPING, read: readGroupAndMapping };
/** Reads a group for viewer tokens; `hash` is SQL for a viewer's keyed hash, NULL for none. */
export const forViewerToken = (hash: string): GroupReader => ({
  columns: `${WITH_ISSUANCE}, (
    SELECT concat_ws(',', floor(extract(epoch FROM r.before))::bigint,
      (extract(epoch FROM r.blocked_until) * 1000)::bigint)
    FROM viewer_revocation r WHERE r.team_id = g.team_id AND r.viewer_key = ${viewerKeyOf(hash, "g")})`,
  read: readForViewerToken,
});

/** The reader for a look-up by this column. */
export const readerFor = (column: KeyColumn) => (column === "token_index" ? BY_TOKEN : BY_ID);

function readGroupAndMapping(environmentId: number, row: TextRow, at: number): GroupRow {
  const group = readGroup(environmentId, row, at);
  const origins = row[at + GROUP_WIDTH + 2] ?? null;
  group.mapping = row[at + GROUP_WIDTH] ?? undefined;
  group.hasEnded = row[at + GROUP_WIDTH + 1] === "t";
  group.ownOrigins = origins === null ? null : (JSON.parse(origins) as string[]);
  return group;
}

function readForViewerToken(environmentId: number, row: TextRow, at: number): GroupRow {
  const group = readGroupAndMapping(environmentId, row, at);
  group.issuance = {
    now: Number(row[at + GROUP_WIDTH + 3]),
    version: Number(row[at + GROUP_WIDTH + 4]),
    created: Number(row[at + GROUP_WIDTH + 5]),
  };
  const [second, blockedUntil = 0] = row[at + GROUP_WIDTH + 6]?.split(",") ?? [];
  if (second !== undefined) group.viewerEnd = { second: Number(second), blockedUntil: Number(blockedUntil) };
  return group;
}

/** The column of a {@link GroupKey}. */
export type KeyColumn = "provided_id" | "token_index" | "team_id";

const finding = (column: KeyColumn, { columns, read }: GroupReader, suffix = "") => {
  const text = `SELECT ${columns} FROM user_group g WHERE environment_id = $1 AND ${column} = $2`;
  return { statement: { name: `find_group_by_${column}${suffix}`, text }, read };
};

const finders = (column: KeyColumn) => ({
  plain: finding(column, readerFor(column)),
  forViewers: finding(column, forViewerToken("$3::bytea"), "_for_viewer_token"),
});
const FIND_BY = { id: finders("provided_id"), token: finders("token_index"), number: finders("team_id") };

/** The current state of a group in the environment. */
export async function findGroup(environmentId: number, key: GroupKey): Promise<GroupRow | undefined> {
  const [{ plain, forViewers }, value] =
    "tokenIndex" in key
      ? [FIND_BY.token, key.tokenIndex]
      : "teamId" in key
        ? [FIND_BY.number, key.teamId]
        : [FIND_BY.id, key.providedId];
  const { statement, read } = key.forViewerToken ? forViewers : plain;
  const [row] = await readText(statement, [environmentId, value, ...(key.forViewerToken ? [key.viewer] : [])]);
  return row && read(environmentId, row, 0);
}
