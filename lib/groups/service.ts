import type { ClientBase } from "pg";
import {
  type Asked,
  type AskedIf,
  authorOf,
  type Caller,
  countedAs,
  type Identified,
  requireScopes,
} from "@/lib/auth/caller";
import type { Author } from "@/lib/authority/authority";
import type { ScopeCondition } from "@/lib/authority/scopes";
import { newToken } from "@/lib/crypto/group-token";
import { codeOf } from "@/lib/db/failures";
import { transaction } from "@/lib/db/pool";
import { countReported, mayRefuse, requireDefined } from "@/lib/definitions/judge";
import { type KnownDefinitions, withDefinitions } from "@/lib/definitions/service";
import { AppError, unavailable } from "@/lib/errors";
import {
  entityTags,
  type GroupWithToken,
  mergedField,
  recordHandOver,
  refuseHiddenEnd,
  requireNotRenamed,
  staleTag,
  toGroup,
} from "@/lib/groups/group";
import type { GroupMerge, GroupPatch, GroupRequest } from "@/lib/groups/schema";
import { type NewGroup, rowOf, updateGroups } from "@/lib/groups/writes";
import { mergePatch } from "@/lib/json/merge-patch";
import { limitOf } from "@/lib/limits/limits";
import { changeGroup, type GroupChange, insertGroup, type Updated } from "@/lib/store/changes";
import { findGroup, type GroupRow } from "@/lib/store/group-row";
import { lockGroups } from "@/lib/store/group-set";
import { renameGroup } from "@/lib/store/renames";
import { meter } from "@/lib/telemetry/current";

/** The group that get-or-create found or created. */
export interface FoundGroup {
  group: GroupWithToken;
  created: boolean;
}

/** A request about a group: caller, input, and the group found by the caller's look-up. */
export interface GroupCall<Input> extends Asked<Input>, Identified {}

/** A creation that loses the race reads the winner's row, and tries again if that has been deleted. */
const CREATE_ATTEMPTS = 3;

/**
 * Gets the group with this id, or creates it; an existing group is returned unchanged.
 * @throws {AppError} `unknown_user_group` without the scope to create one, `forbidden` for a read-only API token from
 * before scopes, `rate_limited` after too many creations, `renamed` for a group's former id, `invalid_fields` where
 * definitions refuse the new group
 */
export async function getOrCreateGroup({ caller, input, group }: GroupCall<GroupRequest>): Promise<FoundGroup> {
  if (group) return handOver(caller, group);
  const asked = {
    environmentId: caller.environment.id,
    providedId: input.user_group_id,
    name: input.name,
    mapping: input.mapping?.text,
    properties: input.properties?.text,
  };
  for (let attempt = 0; attempt < CREATE_ATTEMPTS; attempt++) {
    const created = await createGroup(caller, asked);
    if (created) return { group: created, created: true };
    const existing = await findGroup(asked.environmentId, { providedId: asked.providedId });
    if (existing) return handOver(caller, existing);
  }
  throw repeatedlyLost();
}

/** The error when others have created and deleted the group between the steps of each attempt. */
export function repeatedlyLost(): AppError {
  return unavailable("the group was repeatedly created and deleted", "Others create and delete this user group.");
}

/** Creates a group, if its caller may; undefined when its id is taken. */
async function createGroup(caller: Caller, asked: NewGroup): Promise<GroupWithToken | undefined> {
  const { environmentId, providedId: id } = asked;
  if (!mayCreate(caller)) await requireNotRenamed(environmentId, id);
  requireCreation(caller);
  refuseHiddenEnd(asked.providedId);
  limitOf("creations")?.check(countedAs(caller));
  return withDefinitions(asked.environmentId, async (definitions) => {
    requireDefined(definitions, { mapping: asked.mapping ?? "{}", properties: asked.properties ?? null });
    const token = newToken();
    const row = rowOf(asked, token, definitions);
    const created = await insertGroup(row, authorOf(caller));
    if (!created) {
      await requireNotRenamed(environmentId, id);
      return undefined;
    }
    limitOf("creations")?.count(countedAs(caller));
    meter()?.changed("created");
    const { providedId, name, properties } = row;
    return { providedId, name, properties, token, ...created };
  });
}

/** The scope that creating a group needs, in calls that may create one. */
export const CREATION: ScopeCondition = { scope: "groups:create", when: "to create the group", refusal: 404 };

function mayCreate({ actorType, predatesScopes, scopes }: Caller): boolean {
  return actorType !== "api_token" || predatesScopes || scopes.has(CREATION.scope);
}

/** Without the scope, an unknown id is an error: a mistyped id must not create a group. */
function requireCreation(caller: Caller) {
  if (!mayCreate(caller)) {
    throw new AppError(
      "unknown_user_group",
      "No user group has this user_group_id, and this API token lacks the scope groups:create to create one.",
    );
  }
  requireScopes(caller, [CREATION.scope]);
}

function changeOf({ caller, input, ifMatch }: AskedIf<GroupMerge>): GroupChange {
  return {
    environmentId: caller.environment.id,
    providedId: input.user_group_id,
    name: input.name,
    mapping: input.mapping?.text,
    properties: input.properties === undefined ? undefined : (input.properties?.text ?? null),
    accessEndsAt: input.access_ends_at,
    tags: entityTags(ifMatch),
    remembered: caller.remembered,
  };
}

/**
 * Changes the given fields; `mapping` and `properties` are replaced as a whole.
 * @throws {AppError} `unknown_user_group`, `renamed`, `stale` when the group no longer matches `ifMatch`, or
 * `invalid_fields` where definitions refuse the change
 */
export async function updateGroup(request: AskedIf<GroupRequest>): Promise<GroupWithToken> {
  const { caller } = request;
  const change = changeOf(request);
  const row = await withDefinitions(change.environmentId, (definitions) => {
    const author = authorOf(caller);
    if (mayRefuse(definitions, change)) return changeLocked({ change, author, definitions });
    countReported(definitions, change);
    change.definitionsVersion = definitions.version;
    return changeGroup(change, author);
  });
  return finishUpdate(caller, change, row);
}

/** Locks a group's row and changes it, if the definitions allow; undefined when the group does not exist. */
function changeLocked(
  { change, author, definitions }: { change: GroupChange; author: Author; definitions: KnownDefinitions },
  merge?: Pick<GroupPatch, "mapping" | "properties" | "new_user_group_id">,
): Promise<Updated> {
  return transaction(async (client) => {
    const [was] = await lockGroups(change.environmentId, [change.providedId], client);
    if (!was) return undefined;
    if (merge?.mapping) change.mapping = mergedField("mapping", was.mapping, merge.mapping.text);
    if (merge?.properties) {
      change.properties = mergedField("properties", was.properties ?? "{}", merge.properties.text);
    }
    const isStale = change.tags && !change.tags.includes(`${was.team_id}-${was.version}`);
    if (!isStale) requireDefined(definitions, change, was);
    const [row] = await updateGroups(client, { changes: [change], author, definitions });
    const newId = merge?.new_user_group_id ?? change.providedId;
    if (!row?.accepted || newId === row.provided_id) return row;
    return { ...(await rename(client, row, newId, author)), accepted: true, changed: true };
  });
}

/** Renames a group whose row is locked. */
async function rename(client: ClientBase, group: GroupRow, providedId: string, author: Author): Promise<GroupRow> {
  refuseHiddenEnd(providedId, "new_user_group_id");
  const row = await renameGroup(group, providedId, author, client).catch((error: unknown) => {
    if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
  });
  if (row) return row;
  throw new AppError("id_taken", "Another user group has this id, or had it recently. Nothing was changed.");
}

const UNIQUE_VIOLATION = "23505";

/**
 * Merges the given fields into a group's: `mapping` and `properties` by JSON merge patch (RFC 7396), under the row's
 * lock, so that concurrent merges of different members all survive. Also renames the group if a new id is given.
 * @throws {AppError} `unknown_user_group`, `renamed`, `stale`, `id_taken`, or `invalid_fields` when a merged field
 * would be too large
 */
export async function mergeGroup(request: AskedIf<GroupPatch>): Promise<GroupWithToken> {
  const change = changeOf(request);
  return finishUpdate(request.caller, change, await mergeLocked(request, change));
}

/** Locks a group's row and merges into it; undefined when the group does not exist. */
function mergeLocked({ caller, input }: Asked<GroupPatch>, change: GroupChange): Promise<Updated> {
  const author = authorOf(caller);
  return withDefinitions(change.environmentId, (definitions) => changeLocked({ change, author, definitions }, input));
}

/** The group that an upsert found, created or changed. */
export interface UpsertedGroup extends FoundGroup {
  changed: boolean;
}

/**
 * Creates the group by merging the given fields into an empty one, or merges them like {@link mergeGroup}. The same
 * call again changes nothing.
 * @throws {AppError} as getOrCreateGroup and mergeGroup do
 */
export async function upsertGroup({ caller, input, group }: GroupCall<GroupMerge>): Promise<UpsertedGroup> {
  if (group && isMerged(group, input)) return { ...(await handOver(caller, group)), changed: false };
  for (let attempt = 0; attempt < CREATE_ATTEMPTS; attempt++) {
    if (group || attempt > 0) {
      const change = changeOf({ caller, input, ifMatch: undefined });
      const row = await mergeLocked({ caller, input }, change);
      if (row) return { group: await finishUpdate(caller, change, row), created: false, changed: row.changed };
    }
    const created = await createGroup(caller, {
      environmentId: caller.environment.id,
      providedId: input.user_group_id,
      name: input.name,
      mapping: input.mapping && mergedField("mapping", "{}", input.mapping.text),
      properties: input.properties && mergedField("properties", "{}", input.properties.text),
      accessEndsAt: input.access_ends_at,
    });
    if (created) return { group: created, created: true, changed: true };
  }
  throw repeatedlyLost();
}

/** Whether a merge would change nothing; false with a mapping, which a look-up by id does not read. */
function isMerged({ name, properties, access_ends_at }: GroupRow, input: GroupMerge): boolean {
  if (input.mapping || (input.name !== undefined && input.name !== name)) return false;
  const end = input.access_ends_at;
  if (end !== undefined && end !== (access_ends_at?.toISOString() ?? null)) return false;
  if (!input.properties) return input.properties === undefined || properties === null;
  return properties !== null && mergePatch(properties, input.properties.text) === properties;
}

/**
 * Finishes a change: counts it or, if it changed nothing, records that its caller saw the token.
 * @throws {AppError} `unknown_user_group`, `renamed` or `stale`
 */
async function finishUpdate(caller: Caller, change: GroupChange, row: Updated): Promise<GroupWithToken> {
  const { environmentId, providedId, tags } = change;
  if (!row) {
    await requireNotRenamed(environmentId, providedId);
    throw new AppError(
      "unknown_user_group",
      "No user group in this environment has this user_group_id. An update never creates one: " +
        "send GET to get or create it.",
    );
  }
  if (!row.accepted) throw staleTag(tags);
  if (row.changed) meter()?.changed("updated");
  else await recordHandOver(caller, row.team_id);
  return toGroup(row);
}

async function handOver(caller: Caller, row: GroupRow): Promise<FoundGroup> {
  await recordHandOver(caller, row.team_id);
  return { group: toGroup(row), created: false };
}
