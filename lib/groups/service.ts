import { authorOf, type Caller, countedAs, requireWrite } from "@/lib/auth/api-token-caller";
import { newToken, openToken, storeToken } from "@/lib/crypto/group-token";
import { checkLimit, countUse } from "@/lib/db/limits";
import { AppError, unavailable } from "@/lib/errors";
import type { GroupRequest } from "@/lib/groups/schema";
import { createGroup, updateGroup as update } from "@/lib/store/changes";
import { findGroup, type GroupRow } from "@/lib/store/statements";
import { meter } from "@/lib/telemetry/meter";

/** A user group with its token opened; `properties` is JSON text. */
export interface Group {
  teamId: number;
  providedId: string;
  name: string;
  properties: string | null;
  token: string;
  version: number;
}

/** What get-or-create found or made. */
export interface FoundGroup {
  group: Group;
  created: boolean;
}

/** A request about a group: who asks, what for, and the group as the look-up of the caller found it. */
export interface GroupCall<Input> {
  caller: Caller;
  input: Input;
  group: GroupRow | undefined;
}

/** A creation that loses the race reads the winner's row; it is gone again only if it was deleted just then. */
const CREATE_ATTEMPTS = 3;

/**
 * The group of this id, created if there is none: an existing one is returned as it stands.
 * @throws {AppError} `forbidden` when it would have to be created with a read-only API token, `rate_limited` when too many were
 */
export async function getOrCreateGroup({ caller, input, group }: GroupCall<GroupRequest>): Promise<FoundGroup> {
  if (group) return { group: toGroup(group), created: false };
  requireWrite(caller);
  checkLimit("creations", countedAs(caller));
  const place = { environmentId: caller.environment.id, providedId: input.user_group_id };
  const name = input.name ?? input.user_group_id;
  const properties = input.properties?.text ?? null;
  const mapping = input.mapping?.text ?? "{}";
  for (let attempt = 0; attempt < CREATE_ATTEMPTS; attempt++) {
    const token = newToken();
    // What is spread comes last, here and wherever calls of the API pass: before the rest it gives each object a shape of its own (Node 20).
    const values = { name, mapping, properties, ...place, ...storeToken(token, place) };
    const created = await createGroup(values, authorOf(caller));
    if (created) {
      countUse("creations", countedAs(caller));
      meter()?.changed("created");
      return { group: { providedId: place.providedId, name, properties, token, ...created }, created: true };
    }
    const existing = await findGroup(place.environmentId, { providedId: place.providedId });
    if (existing) return { group: toGroup(existing), created: false };
  }
  throw unavailable("the group was created and deleted again and again");
}

/**
 * Changes the fields that were sent; `ifMatch` is the header of that name.
 * @throws {AppError} `unknown_user_group`, or `stale` when the group is no longer what `ifMatch` names
 */
export async function updateGroup({
  caller,
  input,
  ifMatch,
}: Omit<GroupCall<GroupRequest>, "group"> & { ifMatch: string | undefined }): Promise<Group> {
  const change = {
    environmentId: caller.environment.id,
    providedId: input.user_group_id,
    name: input.name,
    mapping: input.mapping?.text,
    properties: input.properties === undefined ? undefined : (input.properties?.text ?? null),
    tags: entityTags(ifMatch),
  };
  const row = await update(change, authorOf(caller));
  if (!row) {
    throw new AppError(
      "unknown_user_group",
      "No user group of this environment has this user_group_id. An update creates none: send GET to get or create it.",
    );
  }
  if (!row.accepted) {
    const message =
      change.tags?.length === 0
        ? 'If-Match takes the ETag of an earlier answer with its quotes, as in "3-2".'
        : "The user group has changed since it was read: read it again, and send the change with its new ETag.";
    throw new AppError("stale", message);
  }
  meter()?.changed("updated");
  return toGroup(row);
}

/**
 * Reads a row, its token opened.
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

/** The strong entity tags of an If-Match header, without their quotes; undefined where any will do (RFC 9110, 13.1.1). */
function entityTags(ifMatch: string | undefined): string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  return [...ifMatch.matchAll(/(?<!W\/)"([^"]*)"/g)].map(([, tag = ""]) => tag);
}
