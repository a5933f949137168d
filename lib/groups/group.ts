import { openToken, tokenIndexes } from "@/lib/crypto/group-token";
import type { GroupKey, GroupRow } from "@/lib/store/group-row";

/** A user group with its token opened; `properties` is JSON text. */
export interface Group {
  teamId: number;
  providedId: string;
  name: string;
  properties: string | null;
  token: string;
  version: number;
}

/**
 * Reads a row and opens its token.
 * @throws when the sealed token does not belong to the row
 */
export function toGroup(row: GroupRow): Group {
  const { team_id, environment_id, provided_id, name, properties, token_index, token_sealed, version } = row;
  const token = openToken({
    environmentId: environment_id,
    providedId: provided_id,
    tokenIndex: token_index,
    tokenSealed: token_sealed,
  });
  return { teamId: team_id, providedId: provided_id, name, properties, token, version };
}

/** Identifies this version of a group, for ETag and If-Match. */
export function entityTag({ teamId, version }: Pick<Group, "teamId" | "version">): string {
  return `"${teamId}-${version}"`;
}

/** Keys to find a group by id. */
export function byId(providedId: string): GroupKey[] {
  return [{ providedId }];
}

/** Keys to find a group by token, one for each key that may have indexed it. */
export function byToken(token: string): GroupKey[] {
  return tokenIndexes(token).map((tokenIndex) => ({ tokenIndex }));
}
