import { z } from "zod";
import { answered } from "@/lib/json/answered";
import { LARGEST_NUMBER, pageSize, wholeNumber } from "@/lib/json/query-fields";
import { safeText } from "@/lib/json/visible-text";

/** A job's limits: bytes of its file, and rows. */
export const MAX_FILE_BYTES = 67_108_864;
export const MAX_ROWS = 200_000;
/** Bytes of each piece of a file except the last: as base64 they fit into a body. */
export const PIECE_BYTES = 180_000;
/** The most characters of a file's name. */
export const LONGEST_NAME = 255;
/** The fields of an export that an import does not set. */
export const IGNORED_FIELDS = ["created_at", "updated_at", "state", "access_ends_at", "active_viewers"];
/** Days that an ended job is kept. */
export const KEPT_DAYS = 7;

/** A job's id in a path. */
const id = wholeNumber(0, LARGEST_NUMBER, { description: "The number of the job.", examples: ["7"] });
export const jobPath = z.strictObject({ id });

/** Whether an import keeps or deletes the groups that its file does not name. */
const mode = z.enum(["upsert", "sync"], "must be upsert or sync");
/** The default limit of a sync's deletions. */
export const USUAL_DELETIONS = "5%";
const MAX_MESSAGE = 'must be a number of user groups, or a percentage as in "5%"';
const PERCENTAGE = /^(?:100|\d{1,2})(?:\.\d{1,2})?%$/;

/** A file about to be uploaded. */
export const newImport = z
  .strictObject({
    kind: z.literal("import"),
    file_name: safeText.meta({ description: "For people and for the history.", examples: ["customers.jsonl"] }),
    bytes: z
      .int("must be a whole number")
      .min(0, "must be at least 0")
      .max(MAX_FILE_BYTES, `must be at most ${MAX_FILE_BYTES}: the file exceeds 64 MiB`)
      .meta({ description: "The size of the file; 0 is allowed only in a sync.", examples: [6] }),
    mode: mode
      .default("upsert")
      .describe(
        "`upsert` creates and changes the groups that the file names. `sync` also deletes those groups of the " +
          "environment that it does not name.",
      ),
    merge: z
      .boolean("must be true or false")
      .default(false)
      .describe(
        "Whether groups keep the members of `mapping` and `properties` that their row omits; null removes one.",
      ),
    max_deletions: z
      .union(
        [
          z.int(MAX_MESSAGE).min(0, MAX_MESSAGE).max(LARGEST_NUMBER, MAX_MESSAGE),
          z.string().regex(PERCENTAGE, MAX_MESSAGE),
        ],
        MAX_MESSAGE,
      )
      .optional()
      .meta({
        description:
          "How many groups a sync may delete at most: a number, or a percentage of all groups. By " +
          `default "${USUAL_DELETIONS}".`,
        examples: ["5%", 10],
      }),
  })
  .refine(({ bytes, mode }) => bytes > 0 || mode === "sync", {
    path: ["bytes"],
    message: "must be at least 1: the file is empty",
  })
  .refine(({ mode, max_deletions }) => max_deletions === undefined || mode === "sync", {
    path: ["max_deletions"],
    message: 'is for the mode "sync" alone',
  });
/** A sync's limit as people write it: a number, or a percentage. */
export const readMostDeletions = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : text);
export type NewImport = z.infer<typeof newImport>;

/** What a change can do to its groups. */
export const CHANGE_MODES = ["set", "merge", "rename", "remove", "suspend", "resume", "rotate", "delete"] as const;
export type ChangeMode = (typeof CHANGE_MODES)[number];

/** A piece of a file; `n` counts from 0. */
export const jobPiece = z.strictObject({
  id,
  n: wholeNumber(0, Math.ceil(MAX_FILE_BYTES / PIECE_BYTES)),
  content: z.base64("must be base64"),
});

/** A row's planned effect, or its outcome. */
const OUTCOMES = [
  "create",
  "change",
  "delete",
  "restore",
  "same",
  "error",
  "created",
  "changed",
  "deleted",
  "restored",
  "skipped",
] as const;
const outcome = z.enum(OUTCOMES, `must be one of ${OUTCOMES.join(", ")}`);
export type JobOutcome = z.infer<typeof outcome>;

/** A job's rows in order, after the line `after`. */
export const jobRowsInput = z.strictObject({
  id,
  outcome: outcome.optional().describe("Only rows with this outcome."),
  after: wholeNumber(0, LARGEST_NUMBER).default(0),
  limit: pageSize("rows", 100, 50),
});
export type JobRowsQuery = z.infer<typeof jobRowsInput>;

const time = z.iso.datetime();
const count = z.int().min(0);

/** Receiving the file; comparing with the groups; compared; applying; and three end states. */
const state = z.enum(["receiving", "checking", "checked", "applying", "done", "cancelled", "failed"]);
export type JobState = z.infer<typeof state>;

const jobSummary = z.strictObject({
  id: z.int().meta({ "x-example": 7 }),
  kind: z.enum(["import", "change", "undo"]),
  /** the file's name, or what the job does */
  name: z.string().meta({ "x-example": "customers.jsonl" }),
  mode: z.enum([...mode.options, ...CHANGE_MODES, "undo"]).meta({ "x-example": "sync" }),
  undoes: z.int().nullable().describe("The number of the job that it undoes."),
  max_deletions: z
    .union([z.int(), z.string()])
    .nullable()
    .meta({ description: "Of a sync: the most deletions, as a number or a percentage.", "x-example": "5%" }),
  state: state.meta({ "x-example": "checked" }),
  problem: z.string().nullable().describe("Why it failed."),
  by: z.string().meta({ "x-example": "Nightly sync" }),
  created_at: time.meta({ "x-example": "2026-11-25T02:00:00.000Z" }),
  ended_at: time.nullable(),
  read: z
    .number()
    .meta({ description: "Share of the file or of the groups that has been read, 0 to 1.", "x-example": 1 }),
  planned: z
    .strictObject({ create: count, change: count, delete: count, restore: count, same: count, error: count })
    .meta({ description: "Rows by planned effect.", "x-example": { create: 12, change: 3, delete: 5, same: 4980 } }),
  done: z
    .strictObject({ created: count, changed: count, deleted: count, restored: count, skipped: count })
    .describe("Rows by outcome."),
  left: count.meta({ description: "How many planned rows were not done.", "x-example": 20 }),
  can_apply: z.boolean().describe("Whether `apply` begins it, or continues one that was cancelled or failed."),
  can_undo: z
    .boolean()
    .meta({ description: "Whether `undo` works: for 7 days, unless it rotated tokens.", "x-example": false }),
});
export type Job = z.infer<typeof jobSummary>;

export const jobAnswer = answered({ job: jobSummary });
export type JobAnswer = z.infer<typeof jobAnswer>;
/** An example of a job that has just begun. */
export const BEGUN_EXAMPLE = {
  job: {
    id: 8,
    kind: "undo",
    name: "Undo of customers.jsonl",
    mode: "undo",
    undoes: 7,
    max_deletions: null,
    state: "checking",
    read: 0,
    planned: { create: 0, change: 0, delete: 0, same: 0 },
    left: 0,
    can_apply: false,
  },
};
/** The open jobs of an environment, then the newest others. */
export const jobList = answered({ jobs: z.array(jobSummary) });
export type JobList = z.infer<typeof jobList>;

/** A group before or after a row. */
const groupState = z.strictObject({
  name: z.string(),
  mapping: z.string().describe("JSON text."),
  properties: z.string().nullable().describe("JSON text."),
  state: z.enum(["active", "suspended"]).optional().describe("Where it changes."),
});

const BEFORE = { name: "Example 1", mapping: "{}", properties: null };
const issues = z.array(z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }));

const jobRow = z.strictObject({
  line: z.int().nullable().meta({ description: "Null for a group that the file does not name.", "x-example": 3 }),
  outcome: outcome.meta({ "x-example": "change" }),
  /** null if the row has none */
  provided_id: z.string().nullable().meta({ "x-example": "example_1" }),
  team_id: z.int().nullable().meta({ "x-example": 3 }),
  before: groupState.nullable().meta({ "x-example": BEFORE }),
  after: groupState.nullable().meta({ "x-example": { ...BEFORE, properties: '{"plan":"pro"}' } }),
  issues: issues.meta({ description: "Why it is an error, or was skipped.", "x-example": [] }),
  warnings: issues
    .optional()
    .describe("What the definitions report of a group that is created or changed; without any, omitted."),
});
export type JobRow = z.infer<typeof jobRow>;

export const jobRows = answered({
  rows: z.array(jobRow),
  next: z.int().nullable().describe("`after` of the next page; null on the last one."),
});
export type JobRows = z.infer<typeof jobRows>;
