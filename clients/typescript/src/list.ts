import type { Actor, EnvironmentTag, JsonObject } from "./user-group.js";

/** What a list and an export match; everything that is given must hold. */
export interface GroupSelection {
  /** a part of the name or of the id, in any letter case */
  search?: string;
  /** conditions on properties, `property:op:JSON value`, as in `plan:is:"pro"`, and findings, as in `plan:missing` */
  filter?: readonly string[];
  state?: "active" | "suspended" | "ended";
  /** when the token was last used: `within-30d`, `not-within-30d`, `idle-30d` or `never` */
  used?: string;
  /** changed at this time (RFC 3339) or later */
  updated_since?: string;
}

/** The query of a page of groups. */
export interface GroupListQuery extends GroupSelection {
  /** exactly these, at most 100; `iterate` takes any number */
  user_group_id?: readonly string[];
  /** exactly these, at most 100; `iterate` takes any number */
  team_id?: readonly number[];
  sort?: "team_id" | "-team_id" | "name" | "-name" | "user_group_id" | "-user_group_id" | "updated_at" | "-updated_at";
  /** 1 to 500 */
  limit?: number;
  cursor?: string;
}

/** A group in a list, never with its token. */
export interface ListedGroup {
  team_id: number;
  provided_id: string;
  name: string;
  mapping: JsonObject;
  properties: JsonObject | null;
  state: "active" | "suspended" | "ended";
  access_ends_at: string | null;
  api_environment_tag: EnvironmentTag;
  created_at: string;
  updated_at: string;
  rotated_at: string;
  token_last_used_at: string | null;
  /** of the current token */
  token_first_used_at: string | null;
  /** the token before the current one, while their overlap is running */
  previous_token: { valid_until: string; last_used_at: string | null } | null;
  /** for `ifMatch` */
  etag: string;
}

/** A page of groups. */
export interface GroupList {
  success: 1;
  user_groups: ListedGroup[];
  next_cursor: string | null;
  previous_cursor: string | null;
  total: number;
  total_is_exact: boolean;
}

/** A value that a summary tells, and how many of the sampled groups have it. */
export interface SummarizedValue {
  value: string | number | boolean | null;
  groups: number;
}

/** What an environment's groups have in common. */
export interface Summary {
  success: 1;
  total: number;
  /** the same groups by state; each counts once */
  states: { in_use: number; idle: number; never_used: number; suspended: number; ended: number };
  /** false when `total` and `states` are estimates */
  counts_are_exact: boolean;
  /** of the sampled groups, the most frequent first */
  properties: { name: string; groups: number; values: SummarizedValue[] }[];
  sampled: number;
}

/** The query of the history. */
export interface HistoryQuery {
  user_group_id?: string;
  team_id?: number;
  /** a member's id */
  member?: string;
  /** an API token's number */
  api_token?: number;
  /** such as `user_group.created` */
  action?: readonly string[];
  from?: string;
  to?: string;
  /** 1 to 200 */
  limit?: number;
  cursor?: string;
}

/** Something that was done. */
export interface HistoryEntry {
  id: string;
  at: string;
  action: string;
  actor: Actor<"api_token" | "member" | "operator" | "visitor">;
  request_id: string | null;
  team_id: number | null;
  user_group: { provided_id: string | null; name: string; exists: boolean } | null;
  environment: string | null;
  before: JsonObject | null;
  after: JsonObject | null;
  token_changed: boolean;
}

/** A page of the history, newest first. */
export interface History {
  success: 1;
  entries: HistoryEntry[];
  next_cursor: string | null;
}

/** How many entries of the history there are an hour, in UTC, newest first. */
export interface HistoryCounts {
  success: 1;
  /** all entries from this time on are counted; null if all that match are */
  since: string | null;
  hours: { at: string; entries: number }[];
}

/** The query of the deleted groups. */
export interface DeletedQuery {
  user_group_id?: string;
  /** 1 to 500 */
  limit?: number;
  cursor?: string;
}

/** A deleted group that can be restored. */
export interface DeletedGroup {
  team_id: number;
  provided_id: string;
  name: string;
  state: "active" | "suspended" | "ended";
  access_ends_at: string | null;
  api_environment_tag: EnvironmentTag;
  created_at: string;
  deleted_at: string;
  deleted_by: Actor | null;
  kept_until: string;
  /** whether another group has its id now */
  is_id_taken: boolean;
}

/** A page of deleted groups, the last deleted first. */
export interface DeletedList {
  success: 1;
  user_groups: DeletedGroup[];
  next_cursor: string | null;
}

/** The days of the use; by default the last 30. */
export interface UsageQuery {
  /** as in 2026-11-01, in UTC */
  from?: string;
  to?: string;
  /** only these groups, at most 100 */
  team_id?: readonly number[];
}

/** The query of the groups that were used. */
export interface GroupUsageQuery extends UsageQuery {
  /** 1 to 100 */
  limit?: number;
  cursor?: string;
}

/** How often renderers checked tokens on each day. */
export interface Usage {
  success: 1;
  from: string;
  to: string;
  checks: number;
  days: { day: string; checks: number }[];
}

/** How often a group's tokens were checked. */
export interface UsedGroup {
  team_id: number;
  provided_id: string;
  name: string;
  checks: number;
  /** of each day */
  days: number[];
}

/** A page of the groups that were used, most checks first. */
export interface GroupUsage {
  success: 1;
  from: string;
  to: string;
  user_groups: UsedGroup[];
  next_cursor: string | null;
}
