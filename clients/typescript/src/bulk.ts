import type { GroupSelection } from "./list.js";
import type { FieldIssue, GroupMerge, JsonObject, RefusalCode } from "./user-group.js";

/** The body of a batch: 1 to 500 groups, at most 4 MiB. */
export interface BatchRequest {
  /** `delete` and `rotate` take `user_group_id` alone */
  mode: "create" | "update" | "merge" | "upsert" | "delete" | "rotate";
  /** only says what would happen */
  dry_run?: boolean;
  /** of `rotate`: how long the replaced tokens stay valid */
  overlap_seconds?: number;
  user_groups: readonly GroupMerge[];
}

/** What became of a group. */
export interface BatchResult {
  user_group_id: string | null;
  outcome: "created" | "changed" | "same" | "deleted" | "rotated" | "error";
  team_id?: number;
  /** for `ifMatch` */
  etag?: string;
  /** of a rotation with an overlap */
  previous_token_valid_until?: string;
  error?: { code: RefusalCode; message: string; issues?: FieldIssue[] };
  /** of a dry run: what the definitions report of a group that is created or changed */
  warnings?: FieldIssue[];
}

/** The results, in the order of the request. */
export interface BatchAnswer {
  success: 1;
  results: BatchResult[];
}

/** A file about to be sent. */
export interface NewImport {
  kind: "import";
  file_name: string;
  /** the size of the file */
  bytes: number;
  /** `sync` also deletes the groups that the file does not name */
  mode?: "upsert" | "sync";
  /** of a sync: the most deletions, as a number or a percentage; "5%" by default */
  max_deletions?: number | string;
}

/** The groups of a change: by id, by number, or those that match a list's query. */
type JobGroups = { user_group_ids: readonly string[] } | { team_ids: readonly number[] } | { where: GroupSelection };

/** What a change does: `set` replaces whole fields as PUT does, `merge` merges them as PATCH does. */
type JobChange =
  | { mode: "set" | "merge"; mapping?: JsonObject; properties?: JsonObject | null }
  /** former names, and new ones */
  | { mode: "rename"; mapping?: Record<string, string>; properties?: Record<string, string> }
  | { mode: "remove"; mapping?: readonly string[]; properties?: readonly string[] }
  | { mode: "suspend"; reason?: string }
  | { mode: "rotate"; overlap_seconds?: number }
  | { mode: "resume" | "delete" };

/** A change of many groups; `apply` applies it once it is checked, without being asked. */
export type NewChange = JobChange & JobGroups & { apply?: boolean };
export type NewJob = NewImport | (NewChange & { kind: "change" });

export type JobState = "receiving" | "checking" | "checked" | "applying" | "done" | "cancelled" | "failed";

/** A job and its figures. */
export interface Job {
  id: number;
  kind: "import" | "change" | "undo";
  name: string;
  mode: "upsert" | "sync" | JobChange["mode"] | "undo";
  /** the number of the job that it undoes */
  undoes: number | null;
  max_deletions: number | string | null;
  state: JobState;
  /** why it failed */
  problem: string | null;
  by: string;
  created_at: string;
  ended_at: string | null;
  /** share of the file or of the groups that has been read, 0 to 1 */
  read: number;
  /** rows by planned effect */
  planned: { create: number; change: number; delete: number; restore: number; same: number; error: number };
  /** rows by outcome */
  done: { created: number; changed: number; deleted: number; restored: number; skipped: number };
  /** the planned rows that were not done */
  left: number;
  /** whether `apply` begins it, or continues one that was cancelled or failed */
  can_apply: boolean;
  can_undo: boolean;
}

export interface JobAnswer {
  success: 1;
  job: Job;
}

export interface JobList {
  success: 1;
  jobs: Job[];
}

export type JobOutcome = keyof Job["planned"] | keyof Job["done"];

interface JobGroupState {
  name: string;
  /** JSON text */
  mapping: string;
  /** JSON text */
  properties: string | null;
  /** where it changes */
  state?: "active" | "suspended";
}

/** What a row of a job would do, or did. */
export interface JobRow {
  /** null for a deletion */
  line: number | null;
  outcome: JobOutcome;
  provided_id: string | null;
  team_id: number | null;
  before: JobGroupState | null;
  after: JobGroupState | null;
  /** why it is an error, or was skipped */
  issues: FieldIssue[];
  /** what the definitions report of a group that is created or changed */
  warnings?: FieldIssue[];
}

/** A page of rows. */
export interface JobRows {
  success: 1;
  rows: JobRow[];
  /** `after` of the next page; null on the last one */
  next: number | null;
}

/** The query of a job's rows. */
export interface JobRowsQuery {
  outcome?: JobOutcome;
  after?: number;
  /** 1 to 100 */
  limit?: number;
}
