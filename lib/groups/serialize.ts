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
  return {
    etag: entityTag(group),
    body: {
      success: 1,
      new_user_group: created,
      user_group: {
        team_id: group.teamId,
        token: group.token,
        name: group.name,
        provided_id: group.providedId,
        properties: rawOrNull(group.properties),
      },
    },
  };
}

/** The answer of an update. */
export function serializeUpdated(group: Group, { environment }: Caller): Reply {
  return {
    etag: entityTag(group),
    body: {
      success: 1,
      user_group: {
        team_id: group.teamId,
        token: group.token,
        name: group.name,
        provided_id: group.providedId,
        properties: rawOrNull(group.properties),
        api_environment_tag: environment.tag,
      },
    },
  };
}

/** The answer of a rotation. */
export function serializeRotated(group: Group, { environment }: Caller): Reply {
  return {
    etag: entityTag(group),
    body: {
      success: 1,
      user_group: {
        team_id: group.teamId,
        token: group.token,
        name: group.name,
        provided_id: group.providedId,
        api_environment_tag: environment.tag,
      },
    },
  };
}

function entityTag({ teamId, version }: Group): string {
  return `"${teamId}-${version}"`;
}

function rawOrNull(text: string | null): RawJson | null {
  return text === null ? null : new RawJson(text, "object");
}
