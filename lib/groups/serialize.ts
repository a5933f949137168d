import type { Caller } from "@/lib/auth/caller";
import { maskToken } from "@/lib/crypto/group-token";
import { json } from "@/lib/endpoint/answer";
import type { WholeAnswer } from "@/lib/endpoint/call";
import type {
  FoundAnswer,
  RotatedAnswer,
  StateAnswer,
  UpdatedAnswer,
  UpsertedAnswer,
  ViewerAnswer,
} from "@/lib/groups/answer-schema";
import type { Change, DetailRow } from "@/lib/groups/detail";
import { entityTag, type Group, toGroup } from "@/lib/groups/group";
import type { GroupPage, ListedGroup } from "@/lib/groups/list";
import type { GroupDetail, GroupList, GroupReference, GroupSummary } from "@/lib/groups/schema";
import type { FoundGroup, UpsertedGroup } from "@/lib/groups/service";
import { readStoredMembers } from "@/lib/json/json";
import { RawJson, type ShallowJson, writeJson } from "@/lib/json/raw-json";
import type { GroupRow } from "@/lib/store/group-row";

/** The most properties that a list shows per group. */
const GLANCE_MEMBERS = 8;
const GLANCE_CHARACTERS = 300;
const GLANCE_VALUE = 60;

/** An answer's members other than `success`. */
type Members<Answer> = Answer extends unknown ? Omit<Answer, "success"> : never;

const INACTIVE: Members<ViewerAnswer> = { active: false };

/** The answer of get-or-create. */
export function answerFound({ group, created }: FoundGroup): WholeAnswer {
  const { teamId: team_id, token, name, providedId: provided_id } = group;
  const user_group = { team_id, token, name, provided_id, properties: propertiesOf(group) };
  const body: Members<FoundAnswer> = { new_user_group: created, user_group };
  return json(body, { ETag: entityTag(group) });
}

/** The answer of an upsert. */
export function answerUpserted({ changed, ...found }: UpsertedGroup): WholeAnswer {
  const { teamId: team_id, token, name, providedId: provided_id } = found.group;
  const user_group = { team_id, token, name, provided_id, properties: propertiesOf(found.group) };
  const body: Members<UpsertedAnswer> = { new_user_group: found.created, changed, user_group };
  return json(body, { ETag: entityTag(found.group) });
}

/** The answer of an update. */
export function answerUpdated(group: Group, { environment }: Caller): WholeAnswer {
  const { teamId: team_id, token, name, providedId: provided_id } = group;
  const properties = propertiesOf(group);
  const body: Members<UpdatedAnswer> = {
    user_group: { team_id, token, name, provided_id, properties, api_environment_tag: environment.tag },
  };
  return json(body, { ETag: entityTag(group) });
}

/** The answer of a rotation. */
export function answerRotated(group: Group, { environment }: Caller): WholeAnswer {
  const { teamId: team_id, token, name, providedId: provided_id } = group;
  const body: Members<RotatedAnswer> = {
    user_group: { team_id, token, name, provided_id, api_environment_tag: environment.tag },
  };
  return json(body, { ETag: entityTag(group) });
}

/**
 * The answer about a viewer's token; for an unknown one, nothing more than that.
 * @throws when the group was not found by its token
 */
export function answerViewer(row: GroupRow | undefined, { environment }: Caller): WholeAnswer {
  if (!row) return json(INACTIVE);
  const { team_id, provided_id, name, properties, version } = row;
  if (row.state === "suspended") return json({ active: false, reason: "suspended" } satisfies Members<ViewerAnswer>);
  if (row.hasEnded) return json({ active: false, reason: "ended" } satisfies Members<ViewerAnswer>);
  if (row.mapping === undefined) throw new Error("a viewer's group was read without its mapping");
  const mapping = new RawJson(row.mapping, "object");
  const given = { mapping, properties: propertiesOf({ properties }) };
  const user_group = { team_id, provided_id, name, ...given, api_environment_tag: environment.tag };
  const body: Members<ViewerAnswer> = { active: true, user_group };
  return json(body, { ETag: entityTag({ teamId: team_id, version }) });
}

/** The answer of a suspension or of its end. */
export function answerState(row: GroupRow, { environment }: Caller): WholeAnswer {
  const { team_id, provided_id, name, state, version } = row;
  const access_ends_at = row.access_ends_at?.toISOString() ?? null;
  const user_group = { team_id, provided_id, name, state, access_ends_at, api_environment_tag: environment.tag };
  const body: Members<StateAnswer> = { user_group };
  return json(body, { ETag: entityTag({ teamId: team_id, version }) });
}

/** The answer of a list. */
export function serializeGroups({ rows, previousCursor, nextCursor, total }: GroupPage): Omit<GroupList, "success"> {
  return { groups: rows.map(serializeListed), previousCursor, nextCursor, total };
}

function serializeListed(row: ListedGroup): GroupSummary {
  const { properties, created_at, updated_at, rotated_at } = row;
  return {
    ...serializeReference(row),
    properties: properties === null ? null : glance(properties),
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
    rotatedAt: rotated_at.toISOString(),
  };
}

function glance(properties: string): GroupSummary["properties"] {
  const all = Object.entries(readStoredMembers(properties) as Record<string, ShallowJson>);
  const members: [string, string][] = [];
  let characters = 0;
  for (const [name, value] of all.slice(0, GLANCE_MEMBERS)) {
    const member: [string, string] = [shorten(name), shorten(writeJson(value))];
    characters += member[0].length + member[1].length;
    if (characters > GLANCE_CHARACTERS && members.length > 0) break;
    members.push(member);
  }
  return { members, count: all.length };
}

/** Cuts between characters: half a surrogate pair is not valid text. */
function shorten(text: string): string {
  return text.length <= GLANCE_VALUE ? text : `${[...text.slice(0, GLANCE_VALUE)].slice(0, -1).join("")}…`;
}

/** The answer about one group, with its token's last characters for members who can see it. */
export function serializeDetail(row: DetailRow, maySeeToken: boolean): Omit<GroupDetail, "success"> {
  const { mapping, properties, version, created_at, updated_at, rotated_at, last_used_at, last_change, last_token } =
    row;
  return {
    group: {
      ...serializeReference(row),
      mapping,
      properties,
      tokenMasked: maskToken(maySeeToken ? toGroup(row).token : undefined),
      state: row.state,
      accessEndsAt: row.access_ends_at?.toISOString() ?? null,
      version,
      etag: entityTag({ teamId: row.team_id, version }),
      createdAt: created_at.toISOString(),
      updatedAt: updated_at.toISOString(),
      rotatedAt: rotated_at.toISOString(),
      lastUsedAt: last_used_at?.toISOString() ?? null,
      lastChange: last_change && {
        action: last_change.action,
        actor: actorOf(last_change),
        at: new Date(last_change.at).toISOString(),
      },
      rotatedBy: last_token && actorOf(last_token),
    },
  };
}

function actorOf({ actor_type, actor_id, actor_name }: Change) {
  return { type: actor_type, id: actor_id, name: actor_name };
}

/** A reference to a group. */
function serializeReference(row: { team_id: number; provided_id: string; name: string }): GroupReference {
  return { teamId: row.team_id, providedId: row.provided_id, name: row.name };
}

function propertiesOf({ properties }: Pick<Group, "properties">): RawJson | null {
  return properties === null ? null : new RawJson(properties, "object");
}
