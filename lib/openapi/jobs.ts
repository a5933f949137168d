import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiParameterObject, ZodOpenApiPathsObject } from "zod-openapi";
import type { ErrorCode } from "@/lib/errors";
import { jobUndo, newJob } from "@/lib/jobs/change-schema";
import { jobAnswer, jobList, jobPiece, jobRows, KEPT_DAYS, OUTCOMES, PIECE_BYTES } from "@/lib/jobs/schema";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { IDEMPOTENCY_KEY } from "@/lib/openapi/group-life";
import { headers } from "@/lib/openapi/header";

export const JOBS = {
  name: "Jobs",
  description: "Change many groups: by a file, by id, or by a filter. Review what it would do, apply it, undo it.",
};

const tags = [JOBS.name];
const id: ZodOpenApiParameterObject = {
  name: "id",
  in: "path",
  required: true,
  description: "The number of the job.",
  schema: { type: "integer", minimum: 1, examples: [7] },
};

const checked = {
  ...{ id: 7, kind: "import", name: "customers.jsonl", mode: "sync", undoes: null, max_deletions: "5%" },
  ...{ state: "checked", problem: null, by: "Nightly sync", created_at: "2026-11-25T02:00:00.000Z", ended_at: null },
  read: 1,
  planned: { create: 12, change: 3, delete: 5, restore: 0, same: 4980, error: 0 },
  done: { created: 0, changed: 0, deleted: 0, restored: 0, skipped: 0 },
  ...{ left: 20, can_apply: true, can_undo: false },
};

export const JOB_EXAMPLE = {
  ...checked,
  ...{ id: 8, kind: "undo", name: "Undo of customers.jsonl", mode: "undo", undoes: 7, max_deletions: null },
  ...{ state: "checking", read: 0, left: 0, can_apply: false },
  planned: { create: 0, change: 0, delete: 0, restore: 0, same: 0, error: 0 },
};

const json = (schema: z.ZodType, value: object) => ({
  "application/json": { schema, examples: { example: { value } } },
});

interface Described {
  operationId: string;
  summary: string;
  description: string;
  parameters?: ZodOpenApiParameterObject[];
  /** its schema and an example */
  body?: [z.ZodType, object];
  answered: string;
  answer?: [z.ZodType, object];
  errors?: ErrorCode[];
}

function operation({
  operationId,
  summary,
  description,
  parameters,
  body,
  ...rest
}: Described): ZodOpenApiOperationObject {
  const { answered, answer = ONE_JOB, errors = ["not_found", "conflict"] } = rest;
  return {
    ...{ tags, operationId, summary, description },
    ...(parameters && { parameters }),
    ...(body && { requestBody: { required: true, content: json(...body) } }),
    responses: {
      200: { description: answered, headers: headers("X-Request-Id"), content: json(...answer) },
      ...(body ? failures(errors) : failures(["invalid_fields", "not_found"], BODILESS)),
      default: otherFailure,
    },
  };
}
const ONE_JOB: [z.ZodType, object] = [jobAnswer, { success: 1, job: checked }];
const NOTHING: [z.ZodType, object] = [z.strictObject({}), {}];

/** Jobs: imports, changes of many groups, and undoing. */
export const jobPaths: ZodOpenApiPathsObject = {
  "/api/jobs": {
    get: operation({
      operationId: "listJobs",
      summary: "List jobs",
      description: "The 20 newest jobs of the environment.",
      answered: "The jobs, newest first.",
      answer: [jobList, { success: 1, jobs: [checked] }],
    }),
    post: operation({
      operationId: "createJob",
      summary: "Begin a job",
      description: `An import waits for its file: send it in pieces of ${PIECE_BYTES.toLocaleString("en")} bytes. It is CSV or JSON lines in UTF-8, of up to 64 MiB and 200,000 rows, and sets neither \`state\` nor \`access_ends_at\`. A change names its groups or a filter, and what to do with them. Then each row is checked, which changes nothing. An API token has at most two open jobs, an environment ten.`,
      parameters: [
        {
          ...IDEMPOTENCY_KEY,
          description: "Makes the call safe to retry: for 24 h, the same key and body answer the same job.",
        },
      ],
      body: [
        newJob,
        { kind: "import", file_name: "customers.jsonl", bytes: 412_000, mode: "sync", max_deletions: "5%" },
      ],
      answered: "The job, which waits for its file or is being checked.",
      errors: ["conflict", "idempotency_conflict"],
    }),
  },
  "/api/jobs/{id}": {
    get: operation({
      operationId: "getJob",
      summary: "Get a job",
      description: "Its state and its figures. Ask again while it is `checking` or `applying`.",
      parameters: [id],
      answered: "The job.",
    }),
  },
  "/api/jobs/{id}/pieces/{n}": {
    put: operation({
      operationId: "sendJobPiece",
      summary: "Send a piece of the file",
      description: `All pieces but the last have ${PIECE_BYTES.toLocaleString("en")} bytes. They may be sent in any order, and again.`,
      parameters: [
        id,
        {
          ...{ name: "n", in: "path", required: true, description: "The number of the piece, from 0." },
          schema: { type: "integer", minimum: 0, examples: [0] },
        },
      ],
      body: [jobPiece.pick({ content: true }), { content: "eyJ1c2VyX2dyb3VwX2lkIjoiYSJ9Cg==" }],
      answered: "The job.",
    }),
  },
  "/api/jobs/{id}/rows": {
    get: operation({
      operationId: "listJobRows",
      summary: "List the rows of a job",
      description:
        "What each row would do, or did, in order; the deletions of a sync come last, and deletions have no line. A page ends early at 4 MiB of texts.",
      parameters: [
        id,
        {
          ...{ name: "outcome", in: "query", description: "Only rows with this outcome." },
          schema: { type: "string", enum: [...OUTCOMES] },
        },
        {
          ...{ name: "after", in: "query", description: "`next` of the page before." },
          schema: { type: "integer", minimum: 0, default: 0 },
        },
        { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 50 } },
      ],
      answered: "A page of rows.",
      answer: [
        jobRows,
        {
          success: 1,
          rows: [
            {
              ...{ line: 3, outcome: "change", provided_id: "example_1", team_id: 3 },
              before: { name: "Example 1", mapping: "{}", properties: null },
              after: { name: "Example 1", mapping: "{}", properties: '{"plan":"pro"}' },
              issues: [],
            },
          ],
          next: null,
        },
      ],
    }),
  },
  "/api/jobs/{id}/failed": {
    get: {
      tags,
      operationId: "downloadFailedJobRows",
      summary: "Download the rows that failed",
      description: "A CSV file with a line for each error.",
      parameters: [id],
      responses: {
        200: {
          description: "The file.",
          headers: headers("X-Request-Id"),
          content: { "text/csv": { schema: { type: "string" } } },
        },
        ...failures(["not_found", "invalid_fields"], BODILESS),
        default: otherFailure,
      },
    },
  },
  "/api/jobs/{id}/apply": {
    post: operation({
      operationId: "applyJob",
      summary: "Apply or continue a job",
      description:
        "Makes the changes of a `checked` job, or those that are left of one that was cancelled or failed, in the name of the caller: also in the background the service checks that the caller may still do so. Groups that others have changed since the check are skipped, unless the job names them: then it changes them as they are.",
      parameters: [id],
      body: NOTHING,
      answered: "The job, which is being applied.",
      errors: ["not_found", "conflict", "too_many_deletions"],
    }),
  },
  "/api/jobs/{id}/cancel": {
    post: operation({
      operationId: "cancelJob",
      summary: "Cancel a job",
      description: "Ends it at any time. Rows that were applied stay applied.",
      parameters: [id],
      body: NOTHING,
      answered: "The job, which has ended.",
    }),
  },
  "/api/jobs/{id}/undo": {
    post: operation({
      operationId: "undoJob",
      summary: "Undo a job",
      description: `Begins a job that undoes one that ended within ${KEPT_DAYS} days. Changed groups get back what they had, deleted ones return with their tokens, and created ones that nobody has used or changed move to the deleted ones. What has changed since is kept: its rows are errors, with the reason.`,
      parameters: [id],
      body: [jobUndo.pick({ apply: true }), { apply: true }],
      answered: "The new job, which is being checked.",
      answer: [jobAnswer, { success: 1, job: JOB_EXAMPLE }],
    }),
  },
};
