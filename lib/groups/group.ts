import type { ClientBase } from "pg";
import { type Asked, authorOf, type Caller } from "@/lib/auth/caller";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { tokenIndexes } from "@/lib/crypto/group-token";
import { statement, write } from "@/lib/db/pool";
import { AppError, invalidFields, staleChange } from "@/lib/errors";
import { MAX_OBJECT_BYTES } from "@/lib/groups/schema";
import type { NamedGroup, TokenReveal } from "@/lib/groups/token-schema";
import { mergePatch } from "@/lib/json/merge-patch";
import { HIDDEN_END, hasHiddenEnd } from "@/lib/json/visible-text";
import type { GroupInsert } from "@/lib/store/changes";
import { findGroup, GROUP_COLUMNS, type GroupRow, tokenOf } from "@/lib/store/group-row";
import { findNewId, type NewId } from "@/lib/store/renames";

/** A user group with its token opened; `properties` is JSON text. */
export interface GroupWithToken extends Pick<GroupInsert, "providedId" | "name" | "properties"> {
  teamId: number;
  token: string;
  version: number;
  /** RFC 3339: until when the previous token is valid; only after a rotation with an overlap */
  previousTokenValidUntil?: string | undefined;
}

/**
 * Reads a row and opens its token.
 * @throws when the sealed token does not belong to the row
 */
export function toGroup(row: GroupRow): GroupWithToken {
  const { team_id, provided_id, name, properties, version } = row;
  return { teamId: team_id, providedId: provided_id, name, properties, token: tokenOf(row), version };
}

/** Identifies this version of a group, for ETag and If-Match. */
export function entityTag({ teamId, version }: Pick<GroupWithToken, "teamId" | "version">): string {
  return `"${teamId}-${version}"`;
}

/**
 * The versions in an If-Match header; undefined when any will do. Ignores what a compressing proxy adds, such as `W/`
 * or `-gzip`; by RFC 9110 (13.1.1) such tags would never match.
 */
export function entityTags(ifMatch: string | undefined): string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  return [...ifMatch.matchAll(/"((?:d|\d+)-\d+|s-[\da-f]{32})[^"]*"/g)].map(([, tag = ""]) => tag);
}

/** The error for a change whose If-Match does not match the group's tag. */
export function staleTag(tags: string[] | undefined): AppError {
  const changed = "The user group has changed since you read it. Read it again, and send the change with the new ETag.";
  return staleChange(tags, { example: '"3-2"', changed });
}

/**
 * Refuses a new id that looks like another's because it begins or ends with an invisible character; old ids stay valid.
 * @throws {AppError} `invalid_fields`
 */
export function refuseHiddenEnd(providedId: string, field: "user_group_id" | "new_user_group_id" = "user_group_id") {
  if (hasHiddenEnd(providedId)) throw invalidFields([{ path: [field], message: HIDDEN_END }]);
}

/** The words for a group that now has another id, or had it when it was deleted. */
export const renamedTo = ({ id, isDeleted }: NewId) =>
  isDeleted
    ? `was renamed to ${JSON.stringify(id)}, and then deleted`
    : `was renamed: its user_group_id is ${JSON.stringify(id)} now`;

/** The error for the former id of a group. */
export function renamed(newId: NewId): AppError {
  const advice = newId.isDeleted ? "Restore it, or use another id." : "Send that id.";
  return new AppError("renamed", `This user group ${renamedTo(newId)}. ${advice}`);
}

/**
 * Refuses an id that is reserved for the group that had it recently.
 * @throws {AppError} `renamed`
 */
export async function requireNotRenamed(environmentId: number, providedId: string, client?: ClientBase) {
  const newId = await findNewId({ environmentId, providedId }, client);
  if (newId !== undefined) throw renamed(newId);
}

/** The error for an id or a number that no group has. */
export function unknownGroup(): AppError {
  const why = "It may be deleted, not created yet, or in the environment of another API token.";
  return new AppError("unknown_user_group", `No such user group in this environment. ${why}`);
}

/** @throws {AppError} `renamed` if the id is a group's former one, else `unknown_user_group` */
export async function noGroup(environmentId: number, providedId?: string, client?: ClientBase): Promise<never> {
  if (providedId !== undefined) await requireNotRenamed(environmentId, providedId, client);
  throw unknownGroup();
}

/** Keys to find a group by token, one for each key that may have indexed it. */
export function byToken(token: string): { tokenIndex: Buffer }[] {
  return tokenIndexes(token).map((tokenIndex) => ({ tokenIndex }));
}

/**
 * A field after a merge, within the limit of a sent field.
 * @throws {AppError} `invalid_fields`
 */
export function mergedField(field: "mapping" | "properties", was: string, patch: string): string {
  const text = mergePatch(was, patch);
  if (Buffer.byteLength(text) <= MAX_OBJECT_BYTES) return text;
  throw invalidFields([{ path: [field], message: "would have more than 64 KiB after this merge" }]);
}

const REVEAL_TOKEN = statement("reveal_token")`
  WITH found AS (
    SELECT ${GROUP_COLUMNS} FROM user_group WHERE environment_id = $1 AND team_id = $2
  ), ${checking(`found CROSS JOIN ${authorFrom(4)}`, "tokens:read")}, ${recording({
    columns: "environment_id, team_id, action",
    values: "environment_id, team_id, $3",
    rows: `found CROSS JOIN ${authorFrom(4)}`,
  })}
  SELECT found.* FROM found, checked`;

/**
 * The group with its token; the request and its author are recorded.
 * @throws {AppError} `unknown_user_group`
 */
export async function revealToken({ caller, input }: Asked<TokenReveal>): Promise<GroupWithToken> {
  const environmentId = caller.environment.id;
  const teamId = input.team_id ?? (await findNamed(environmentId, input))?.team_id;
  const row = teamId && (await recordReveal(environmentId, teamId, input.purpose, authorOf(caller)));
  return toGroup(row || (await noGroup(environmentId, input.user_group_id)));
}

/** The group with this id or number. */
export async function findNamed(environmentId: number, named: NamedGroup): Promise<GroupRow | undefined> {
  const { team_id: teamId, user_group_id: providedId = "" } = named;
  return findGroup(environmentId, teamId === undefined ? { providedId } : { teamId });
}

/**
 * Records that a member was shown a token. Call it only where no entry for creating, updating or rotating names them
 * already. Answers to programs are not recorded: many are page views. The token of a deleted group identifies nothing.
 */
export async function recordHandOver(caller: Caller, teamId: number) {
  if (caller.actorType !== "member") return;
  await recordReveal(caller.environment.id, teamId, "reveal", authorOf(caller));
}

async function recordReveal(environmentId: number, teamId: number, purpose: TokenReveal["purpose"], author: Author) {
  const action = purpose === "copy" ? "user_group.token_copied" : "user_group.token_revealed";
  const [row] = await write<GroupRow>(REVEAL_TOKEN, [environmentId, teamId, action, ...authorValues(author)]);
  return row;
}
