import type { GroupSelection, JsonObject, JsonValue, NewImport } from "./openapi.js";

/** A group by your id, or by the service's number. */
export type NamedGroup = { user_group_id: string } | { team_id: number };

/** The body of a deletion: an id, a current token, or both if they belong together. */
export type GroupDeletion =
  | { user_group_id: string; current_token?: string }
  | { user_group_id?: string; current_token: string };

/** A group by your id, or by its current token. */
export type ViewedGroup = { user_group_id: string } | { token: string };

/** The groups of a change: by id, by number, or those that match a list's query. */
type JobGroups = { user_group_ids: readonly string[] } | { team_ids: readonly number[] } | { where: GroupSelection };

/** The action of a change: `set` replaces whole fields as PUT does, `merge` merges them as PATCH does. */
type JobChange =
  | { mode: "set" | "merge"; mapping?: JsonObject; properties?: JsonObject | null }
  /** new names by former names */
  | { mode: "rename"; mapping?: Record<string, string>; properties?: Record<string, string> }
  | { mode: "remove"; mapping?: readonly string[]; properties?: readonly string[] }
  | { mode: "suspend"; reason?: string }
  | { mode: "rotate"; overlap_seconds?: number }
  | { mode: "resume" | "delete" };

/** A change of many groups; with `apply: true` it applies itself once checked. */
export type NewChange = JobChange & JobGroups & { apply?: boolean };
export type NewJob = NewImport | (NewChange & { kind: "change" });

/** A fix of every group with a finding: one of `set`, `remove` and `rename_to`. */
export type FixRequest = {
  /** the `filter` of a finding about a property or a schema */
  finding: string;
} & ({ set: JsonValue } | { remove: true } | { rename_to: string });

/** The events to send again: one delivery, all failed ones, or all events since a time (RFC 3339). */
export type WebhookReplay = { delivery_id: string } | { failed: true } | { since: string };
