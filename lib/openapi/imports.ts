import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import {
  importAnswer,
  importList,
  importPiece,
  importRows,
  KEPT_DAYS,
  newImport,
  PIECE_BYTES,
  undoRequest,
} from "@/lib/imports/schema";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";

export const IMPORTS = {
  name: "Imports",
  description: "Import a file of user groups: send it in pieces, review what it would do, apply it.",
};

const tags = [IMPORTS.name];
const id = {
  name: "id",
  in: "path" as const,
  required: true,
  description: "The number of the import.",
  schema: { type: "integer" as const, minimum: 1, examples: [7] },
};

const checked = {
  id: 7,
  file_name: "customers.jsonl",
  undoes: null,
  fixes: null,
  mode: "sync",
  max_deletions: "5%",
  state: "checked",
  problem: null,
  by: "Nightly sync",
  created_at: "2026-11-25T02:00:00.000Z",
  ended_at: null,
  read: 1,
  planned: { create: 12, change: 3, same: 4980, delete: 5, error: 0 },
  done: { created: 0, changed: 0, deleted: 0, skipped: 0 },
};

const undoing = {
  ...checked,
  ...{ id: 8, file_name: "Undo of customers.jsonl", undoes: 7, mode: "upsert", max_deletions: null },
  ...{ state: "checking", read: 0, planned: { create: 0, change: 0, same: 0, delete: 0, error: 0 } },
};

const answered = (description: string, schema: z.ZodType, value: object): ZodOpenApiOperationObject["responses"] => ({
  200: {
    description,
    headers: headers("X-Request-Id"),
    content: { "application/json": { schema, examples: { answer: { value } } } },
  },
});
const oneImport = (description: string) => answered(description, importAnswer, { success: 1, import: checked });
const json = (schema: z.ZodType, value: object) => ({
  required: true,
  content: { "application/json": { schema, examples: { request: { value } } } },
});
const nothing = json(z.strictObject({}), {});

/** Imports of files. */
export const importPaths: ZodOpenApiPathsObject = {
  "/api/imports": {
    get: {
      tags,
      operationId: "listImports",
      summary: "List imports",
      description: "The 20 newest imports of the environment.",
      responses: {
        ...answered("The imports, newest first.", importList, { success: 1, imports: [checked] }),
        ...failures(["invalid_fields"], BODILESS),
        default: otherFailure,
      },
    },
    post: {
      tags,
      operationId: "createImport",
      summary: "Begin an import",
      description: `Then send the file in pieces of ${PIECE_BYTES.toLocaleString("en")} bytes. The last one starts the check, which changes nothing. An environment has at most ten open imports.\n\nA file is CSV or JSON lines in UTF-8, of up to 64 MiB and 200,000 rows. An import sets neither \`state\` nor \`access_ends_at\`: it ignores them in an export, and new groups are active. Set them by \`POST /api/user-groups/suspend\` and \`PATCH /api/user\`.`,
      requestBody: json(newImport, { file_name: "customers.jsonl", bytes: 412_000, mode: "sync", max_deletions: "5%" }),
      responses: {
        ...oneImport("The import, which waits for its file."),
        ...failures(["conflict"]),
        default: otherFailure,
      },
    },
  },
  "/api/imports/{id}": {
    get: {
      tags,
      operationId: "getImport",
      summary: "Get an import",
      description: "Its state and its figures. Ask again while it is `checking` or `applying`.",
      parameters: [id],
      responses: {
        ...oneImport("The import."),
        ...failures(["not_found", "invalid_fields"], BODILESS),
        default: otherFailure,
      },
    },
  },
  "/api/imports/{id}/pieces/{n}": {
    put: {
      tags,
      operationId: "sendImportPiece",
      summary: "Send a piece of the file",
      description: `All pieces but the last have ${PIECE_BYTES.toLocaleString("en")} bytes. They may be sent in any order, and again.`,
      parameters: [
        id,
        {
          name: "n",
          in: "path",
          required: true,
          description: "The number of the piece, from 0.",
          schema: { type: "integer", minimum: 0, examples: [0] },
        },
      ],
      requestBody: json(importPiece.pick({ content: true }), { content: "eyJ1c2VyX2dyb3VwX2lkIjoiYSJ9Cg==" }),
      responses: { ...oneImport("The import."), ...failures(["not_found", "conflict"]), default: otherFailure },
    },
  },
  "/api/imports/{id}/rows": {
    get: {
      tags,
      operationId: "listImportRows",
      summary: "List the rows of an import",
      description:
        "What each row would do, or did, in the order of the file; deletions come last and have no line. A page ends early at 4 MiB of texts.",
      parameters: [
        id,
        {
          name: "outcome",
          in: "query",
          description: "Only rows with this outcome.",
          schema: {
            type: "string",
            enum: ["create", "change", "same", "delete", "error", "created", "changed", "deleted", "skipped"],
          },
        },
        {
          name: "after",
          in: "query",
          description: "`next` of the page before.",
          schema: { type: "integer", minimum: 0, default: 0 },
        },
        { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 50 } },
      ],
      responses: {
        ...answered("A page of rows.", importRows, {
          success: 1,
          rows: [
            {
              line: 3,
              outcome: "change",
              provided_id: "example_1",
              team_id: 3,
              before: { name: "Example 1", mapping: "{}", properties: null },
              after: { name: "Example 1", mapping: "{}", properties: '{"plan":"pro"}' },
              issues: [],
            },
          ],
          next: null,
        }),
        ...failures(["not_found", "invalid_fields"], BODILESS),
        default: otherFailure,
      },
    },
  },
  "/api/imports/{id}/failed": {
    get: {
      tags,
      operationId: "downloadFailedImportRows",
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
  "/api/imports/{id}/apply": {
    post: {
      tags,
      operationId: "applyImport",
      summary: "Apply an import",
      description:
        "Makes the changes of a `checked` import, in the name of the caller: also in the background the service checks that the caller may still do so. Groups that were changed, created or deleted since the check are skipped.",
      parameters: [id],
      requestBody: nothing,
      responses: {
        ...oneImport("The import, which is being applied."),
        ...failures(["not_found", "conflict", "too_many_deletions"]),
        default: otherFailure,
      },
    },
  },
  "/api/imports/{id}/cancel": {
    post: {
      tags,
      operationId: "cancelImport",
      summary: "Cancel an import",
      description: "Ends it at any time. Rows that were applied stay applied.",
      parameters: [id],
      requestBody: nothing,
      responses: {
        ...oneImport("The import, which has ended."),
        ...failures(["not_found", "conflict"]),
        default: otherFailure,
      },
    },
  },
  "/api/imports/undo": {
    post: {
      tags,
      operationId: "undoImport",
      summary: "Undo an import",
      description: `Begins an import that gives the groups that another one changed their former name, mapping and properties, and whose check begins right away. A group that was changed or deleted since is left unchanged, and one that the import created is kept: their rows are errors. The import must have ended within the last ${KEPT_DAYS} days.`,
      requestBody: json(undoRequest, { import_id: 7 }),
      responses: {
        ...answered("The new import, which is being checked.", importAnswer, { success: 1, import: undoing }),
        ...failures(["not_found", "conflict"]),
        default: otherFailure,
      },
    },
  },
};
