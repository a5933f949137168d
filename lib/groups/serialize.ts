import type { Caller } from "@/lib/api-tokens/caller";
import type { FoundGroup, Group } from "@/lib/groups/service";
import { RawJson } from "@/lib/json";

/** An answer's body, and the entity tag of the group it is about. */
export interface Reply {
  body: object;
  etag: string;
}

/** The answer of get-or-create. */
export function serializeFound({ group, created }: FoundGroup): Reply {
  const user_group = { ...identity(group), properties: propertiesOf(group) };
  return { etag: entityTag(group), body: { success: 1, new_user_group: created, user_group } };
}

/** The answer of an update. */
export function serializeUpdated(group: Group, { environment }: Caller): Reply {
  const user_group = { ...identity(group), properties: propertiesOf(group), api_environment_tag: environment.tag };
  return { etag: entityTag(group), body: { success: 1, user_group } };
}

/** The answer of a rotation. */
export function serializeRotated(group: Group, { environment }: Caller): Reply {
  const user_group = { ...identity(group), api_environment_tag: environment.tag };
  return { etag: entityTag(group), body: { success: 1, user_group } };
}

function identity({ teamId, token, name, providedId }: Group) {
  return { team_id: teamId, token, name, provided_id: providedId };
}

function propertiesOf({ properties }: Group): RawJson | null {
  return properties === null ? null : new RawJson(properties, "object");
}

function entityTag({ teamId, version }: Group): string {
  return `"${teamId}-${version}"`;
}
