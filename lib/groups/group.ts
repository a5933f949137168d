import { tokenIndexes } from "@/lib/crypto/group-token";
import { AppError, invalidFields, staleChange } from "@/lib/errors";
import { HIDDEN_END, hasHiddenEnd } from "@/lib/json/visible-text";
import { type GroupKey, type GroupRow, tokenOf } from "@/lib/store/group-row";

/** A user group with its token opened; `properties` is JSON text. */
export interface GroupWithToken {
  teamId: number;
  providedId: string;
  name: string;
  properties: string | null;
  token: string;
  version: number;
  /** RFC 3339: until when the token before it is valid; only of a rotation with an overlap */
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
 * The versions in an If-Match header; undefined when any will do. What a proxy that compresses adds does not count,
 * such as `W/` or `-gzip`: unlike RFC 9110 (13.1.1), which would have such tags never match.
 */
export function entityTags(ifMatch: string | undefined): string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  return [...ifMatch.matchAll(/"((?:d|\d+)-\d+|s-[\da-f]{32})[^"]*"/g)].map(([, tag = ""]) => tag);
}

/** The error for a change with an If-Match that has none of the group's tags. */
export function staleTag(tags: string[] | undefined): AppError {
  const changed = "The user group has changed since you read it. Read it again, and send the change with the new ETag.";
  return staleChange(tags, { example: '"3-2"', changed });
}

/**
 * Refuses the id of a new group that looks like another's; a group that has one keeps it.
 * @throws {AppError} `invalid_fields`
 */
export function requireNewId(providedId: string) {
  if (hasHiddenEnd(providedId)) throw invalidFields([{ path: ["user_group_id"], message: HIDDEN_END }]);
}

/** @throws {AppError} `unknown_user_group` */
export function noGroup(): never {
  const message = "No such user group in this environment. It may have been deleted.";
  throw new AppError("unknown_user_group", message);
}

/** Keys to find a group by id. */
export function byId(providedId: string): GroupKey[] {
  return [{ providedId }];
}

/** Keys to find a group by token, one for each key that may have indexed it. */
export function byToken(token: string): { tokenIndex: Buffer }[] {
  return tokenIndexes(token).map((tokenIndex) => ({ tokenIndex }));
}
