import type { Caller } from "@/lib/auth/caller";
import type { Effect, GroupIssue } from "@/lib/definitions/judge";
import { json, type WholeAnswer } from "@/lib/endpoint/call";
import type {
  FoundAnswer,
  INACTIVE_REASONS,
  OverlapEndedAnswer,
  RestoredGroupAnswer,
  RotatedAnswer,
  UpdatedAnswer,
  ViewerAnswer,
} from "@/lib/groups/answer-schema";
import type { KeptRow } from "@/lib/groups/deleted-list";
import { keptUntil } from "@/lib/groups/deletion";
import type { DeletedGroup, DeletedList } from "@/lib/groups/deletion-schema";
import { entityTag, type GroupWithToken } from "@/lib/groups/group";
import type { ListedPage } from "@/lib/groups/list";
import type { GroupListAnswer } from "@/lib/groups/list-schema";
import type { FoundGroup, UpsertedGroup } from "@/lib/groups/service";
import { RawJson } from "@/lib/json/raw-json";
import type { GroupRow } from "@/lib/store/group-row";
import type { EndedOverlap } from "@/lib/store/previous-token";
import type { GroupWithState } from "@/lib/store/states";
import { meter } from "@/lib/telemetry/current";

/** An answer's members other than `success`. */
type Members<Answer> = Answer extends unknown ? Omit<Answer, "success"> : never;

/** What a viewer token says beyond its group. */
interface ViewerTokenContent {
  viewer: string | RawJson | null;
  content: RawJson | undefined;
  variables: RawJson;
  preview: boolean;
  expires_at: string;
}

interface ViewedWith {
  /** where the dashboards may be embedded; null for anywhere */
  origins: string[] | null;
  effect: Effect | undefined;
  /** whether a group with problems must not be served */
  isStrict: boolean;
  content?: ViewerTokenContent;
}

/** The answer of get-or-create or, with `changed`, of an upsert. */
export function answerFound({ group, created, changed }: FoundGroup & Partial<UpsertedGroup>): WholeAnswer {
  const { teamId: team_id, token, name, providedId: provided_id } = group;
  const user_group = { team_id, token, name, provided_id, properties: propertiesOf(group) };
  const body: Members<FoundAnswer> & { changed: boolean | undefined } = {
    new_user_group: created,
    changed,
    user_group,
  };
  return json(body, { ETag: entityTag(group) });
}

/** The answer of an update. */
export function answerUpdated(group: GroupWithToken, { environment }: Caller): WholeAnswer {
  const { teamId: team_id, token, name, providedId: provided_id } = group;
  const properties = propertiesOf(group);
  const body: Members<UpdatedAnswer> = {
    user_group: { team_id, token, name, provided_id, properties, api_environment_tag: environment.tag },
  };
  return json(body, { ETag: entityTag(group) });
}

/** The answer of a rotation. */
export function answerRotated(group: GroupWithToken, { environment }: Caller): WholeAnswer {
  const { teamId: team_id, token, name, providedId: provided_id, previousTokenValidUntil } = group;
  const body: Members<RotatedAnswer> = {
    user_group: { team_id, token, name, provided_id, api_environment_tag: environment.tag },
    ...(previousTokenValidUntil !== undefined && { previous_token_valid_until: previousTokenValidUntil }),
  };
  return json(body, { ETag: entityTag(group) });
}

/** The answer about a token that must not be served; without a reason for an unknown token. */
export function answerInactive(reason?: (typeof INACTIVE_REASONS)[number]): WholeAnswer {
  meter()?.refused(reason ?? "unknown");
  return json({ active: false, reason } satisfies Members<ViewerAnswer>);
}

/** The answer to the end of an overlap. */
export function answerOverlapEnded(overlap: EndedOverlap, { environment }: Caller): WholeAnswer {
  const { team_id, provided_id, name, ended } = overlap;
  const user_group = { team_id, provided_id, name, api_environment_tag: environment.tag };
  return json({ overlap_ended: ended, user_group } satisfies Members<OverlapEndedAnswer>);
}

/**
 * The answer about a viewer's token of either kind; `content` is a viewer token's.
 * @throws when the group was not found by its token
 */
export function answerViewer(
  row: GroupRow,
  { environment }: Caller,
  { origins, effect, isStrict, content }: ViewedWith,
): WholeAnswer {
  const { team_id, provided_id, name, properties, version, previous } = row;
  if (row.state === "suspended") return answerInactive("suspended");
  if (row.hasEnded) return answerInactive("ended");
  if (isStrict && effect && effect.issues.length > 0) return answerInactive("incomplete");
  if (row.mapping === undefined) throw new Error("a viewer's group was read without its mapping");
  const mapping = new RawJson(row.mapping, "object");
  const given = { mapping, properties: propertiesOf({ properties }) };
  const user_group = { team_id, provided_id, name, ...given, api_environment_tag: environment.tag };
  const body: Members<ViewerAnswer> = {
    active: true,
    ...(previous && ({ token_state: "previous", valid_until: previous.validUntil.toISOString() } as const)),
    user_group,
    allowed_origins: origins ?? undefined,
    ...effect,
    viewer_token: content,
  };
  return json(body, { ETag: entityTag({ teamId: team_id, version }) });
}

/** The answer of suspending or resuming a group or, with its issues, of restoring one. */
export function answerState(group: GroupWithState, { environment }: Caller, issues?: GroupIssue[]): WholeAnswer {
  const { team_id, provided_id, name, shown_state: state, version } = group;
  const access_ends_at = group.access_ends_at?.toISOString() ?? null;
  const user_group = { team_id, provided_id, name, state, access_ends_at, api_environment_tag: environment.tag };
  const body: Members<RestoredGroupAnswer> = { user_group, issues };
  return json(body, { ETag: entityTag({ teamId: team_id, version }) });
}

/** The answer of a list. */
export function answerList(
  { rows, previousCursor, nextCursor, total }: ListedPage,
  { environment }: Caller,
): WholeAnswer {
  const user_groups = rows.map((row): GroupListAnswer["user_groups"][number] => ({
    team_id: row.team_id,
    provided_id: row.provided_id,
    name: row.name,
    mapping: new RawJson(row.mapping, "object"),
    properties: propertiesOf(row),
    state: row.state,
    access_ends_at: row.access_ends_at?.toISOString() ?? null,
    api_environment_tag: environment.tag,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    rotated_at: row.rotated_at.toISOString(),
    token_last_used_at: row.last_used_at?.toISOString() ?? null,
    token_first_used_at: row.first_used_at?.toISOString() ?? null,
    previous_token: row.previous_valid_until && {
      valid_until: row.previous_valid_until.toISOString(),
      last_used_at: row.previous_last_used_at?.toISOString() ?? null,
    },
    etag: entityTag({ teamId: row.team_id, version: row.version }),
  }));
  const body: Members<GroupListAnswer> = {
    user_groups,
    next_cursor: nextCursor,
    previous_cursor: previousCursor,
    total: total.count,
    total_is_exact: total.exact,
  };
  return json(body);
}

function propertiesOf({ properties }: Pick<GroupWithToken, "properties">): RawJson | null {
  return properties === null ? null : new RawJson(properties, "object");
}

/** The answer of the list of deleted groups. */
export function answerDeletedList(
  { rows, nextCursor }: { rows: KeptRow[]; nextCursor: string | null },
  caller: Caller,
): WholeAnswer {
  const body: Omit<DeletedList, "success"> = {
    user_groups: rows.map((row) => kept(row, caller)),
    next_cursor: nextCursor,
  };
  return json(body);
}

function kept(row: KeptRow, { environment }: Caller): DeletedGroup {
  const { team_id, provided_id, name, state, access_ends_at, created_at, deleted_at, deleted_by, is_id_taken } = row;
  return {
    team_id,
    provided_id,
    name,
    state,
    access_ends_at: access_ends_at?.toISOString() ?? null,
    api_environment_tag: environment.tag,
    created_at: created_at.toISOString(),
    deleted_at: deleted_at.toISOString(),
    deleted_by: deleted_by && { type: deleted_by.actor_type, id: deleted_by.actor_id, name: deleted_by.actor_name },
    kept_until: keptUntil(deleted_at).toISOString(),
    is_id_taken,
  };
}
