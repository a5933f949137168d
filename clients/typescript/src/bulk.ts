import type { FieldIssue, GroupMerge, RefusalCode } from "./user-group.js";

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
  file_name: string;
  /** the size of the file */
  bytes: number;
  /** `sync` also deletes the groups that the file does not name */
  mode?: "upsert" | "sync";
  /** of a sync: the most deletions, as a number or a percentage; "5%" by default */
  max_deletions?: number | string;
}

export type ImportState = "uploading" | "checking" | "checked" | "applying" | "done" | "cancelled" | "failed";

/** An import and its figures. */
export interface Import {
  id: number;
  file_name: string;
  /** the number of the import that it undoes */
  undoes: number | null;
  /** the id of the finding that it fixes */
  fixes: string | null;
  mode: "upsert" | "sync";
  max_deletions: number | string | null;
  state: ImportState;
  /** why it failed */
  problem: string | null;
  by: string;
  created_at: string;
  ended_at: string | null;
  /** share of the file that has been read, 0 to 1 */
  read: number;
  /** rows by planned effect */
  planned: { create: number; change: number; same: number; delete: number; error: number };
  /** rows by outcome */
  done: { created: number; changed: number; deleted: number; skipped: number };
}

export interface ImportAnswer {
  success: 1;
  import: Import;
}

export interface ImportList {
  success: 1;
  imports: Import[];
}

export type ImportOutcome =
  | "create"
  | "change"
  | "same"
  | "error"
  | "created"
  | "changed"
  | "skipped"
  | "delete"
  | "deleted";

interface ImportedState {
  name: string;
  /** JSON text */
  mapping: string;
  /** JSON text */
  properties: string | null;
}

/** What a row of an import would do, or did. */
export interface ImportRow {
  /** null for a group that the file does not name */
  line: number | null;
  outcome: ImportOutcome;
  provided_id: string | null;
  team_id: number | null;
  before: ImportedState | null;
  after: ImportedState | null;
  /** why it is an error, or was skipped */
  issues: FieldIssue[];
  /** what the definitions report of a group that is created or changed */
  warnings?: FieldIssue[];
}

/** A page of rows. */
export interface ImportRows {
  success: 1;
  rows: ImportRow[];
  /** `after` of the next page; null on the last one */
  next: number | null;
}

/** The query of an import's rows. */
export interface ImportRowsQuery {
  outcome?: ImportOutcome;
  after?: number;
  /** 1 to 100 */
  limit?: number;
}
