import type { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { historyAnswer, historyCounts, historyCountsInput, historyExportInput, historyInput } from "@/lib/audit/schema";
import { groupExport, groupListAnswer, groupListInput } from "@/lib/groups/list-schema";
import { summaryAnswer } from "@/lib/groups/summary-schema";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";
import { USER_GROUPS } from "@/lib/openapi/tag";
import { asQuery } from "@/lib/openapi/user-group";

const tags = [USER_GROUPS.name];
const refusals = { ...failures(["invalid_fields"], BODILESS), default: otherFailure };

const listed = {
  ...{ team_id: 3, provided_id: "example_1", name: "Example 1" },
  ...{
    mapping: { 40: "213", 134: "386" },
    properties: { filterValue: "value" },
    state: "active",
    access_ends_at: null,
  },
  ...{ api_environment_tag: "Testing", created_at: "2026-11-20T08:00:00.000Z", updated_at: "2026-11-20T08:00:00.000Z" },
  ...{ rotated_at: "2026-11-20T08:00:00.000Z", token_last_used_at: null },
  ...{ token_first_used_at: null, previous_token: null, etag: '"3-1"' },
};

const ENTRY = {
  ...{ id: "4711", at: "2026-11-20T08:00:00.000Z", action: "user_group.created" },
  actor: { type: "api_token", id: "1", name: "backend" },
  ...{ request_id: "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55", team_id: 3 },
  user_group: { provided_id: "example_1", name: "Example 1", exists: true },
  ...{ environment: "testing", before: null },
  after: { provided_id: "example_1", name: "Example 1", mapping: {}, properties: null },
  token_changed: false,
};

const LINES = `${JSON.stringify({
  ...{ user_group_id: "example_1", name: "Example 1", mapping: { 40: "213" }, properties: null },
  ...{ created_at: listed.created_at, updated_at: listed.updated_at },
  ...{ state: listed.state, access_ends_at: listed.access_ends_at },
})}\n`;

/** The calls that list user groups, from the schemas of their routes. */
export const userGroupListPaths: ZodOpenApiPathsObject = {
  "/api/user-groups": {
    get: {
      tags,
      operationId: "listUserGroups",
      summary: "List user groups",
      description:
        "Returns the named groups, or a page of those that match, never with a token. Follow `next_cursor` until it is null: a page can be short, or empty, before that.",
      parameters: Object.entries(groupListInput.shape).map(([name, field]) => asQuery(name, field)),
      responses: {
        200: {
          description: "A page of groups.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: groupListAnswer,
              examples: {
                page: {
                  value: {
                    ...{ success: 1, user_groups: [listed], next_cursor: null, previous_cursor: null },
                    ...{ total: 1, total_is_exact: true },
                  },
                },
              },
            },
          },
        },
        ...refusals,
      },
    },
  },
  "/api/user-groups/summary": {
    get: {
      tags,
      operationId: "summarizeUserGroups",
      summary: "Summarize user groups",
      description:
        "Counts the groups by state, and tells the properties and values of a sample. With more than 100,000 groups the counts are estimates. Needs the scope `groups:read`.",
      responses: {
        200: {
          description: "The counts and the sampled properties.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: summaryAnswer,
              examples: {
                summary: {
                  value: {
                    ...{ success: 1, total: 3, counts_are_exact: true },
                    states: { in_use: 1, idle: 1, never_used: 0, suspended: 1, ended: 0 },
                    properties: [{ name: "plan", groups: 3, values: [{ value: "pro", groups: 2 }] }],
                    sampled: 3,
                  },
                },
              },
            },
          },
        },
        ...refusals,
      },
    },
  },
  "/api/user-groups/history": {
    get: {
      tags,
      operationId: "listUserGroupHistory",
      summary: "List what changed",
      description:
        "Returns the history of one group, or of the environment, newest first: who did what, and what it was before and after.",
      parameters: Object.entries(historyInput.shape).map(([name, field]) => asQuery(name, field)),
      responses: {
        200: {
          description: "A page of the history.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: historyAnswer,
              examples: {
                page: {
                  value: {
                    success: 1,
                    entries: [ENTRY],
                    next_cursor: null,
                  },
                },
              },
            },
          },
        },
        ...refusals,
      },
    },
  },
  "/api/user-groups/history/counts": {
    get: {
      tags,
      operationId: "countUserGroupHistory",
      summary: "Count what changed",
      description:
        "Returns how many entries the history has an hour, of those that match, for a chart. Needs the scope `groups:read`.",
      parameters: Object.entries(historyCountsInput.shape).map(([name, field]) => asQuery(name, field)),
      responses: {
        200: {
          description: "The hours that have entries.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: historyCounts,
              examples: {
                counts: {
                  value: { success: 1, since: null, hours: [{ at: "2026-11-20T08:00:00.000Z", entries: 12 }] },
                },
              },
            },
          },
        },
        ...refusals,
      },
    },
  },
  "/api/user-groups/history/export": {
    get: {
      tags,
      operationId: "exportUserGroupHistory",
      summary: "Export what changed",
      description:
        "Streams all entries that match, newest first, never with a token: JSON lines as `/api/user-groups/history` lists them, or CSV. A connection that breaks before the end leaves an incomplete file. The history records the export.",
      parameters: exportParameters(historyExportInput.shape),
      responses: {
        200: {
          description: "The entries as a file.",
          headers: headers("X-Request-Id"),
          content: {
            "application/x-ndjson": {
              schema: { type: "string" },
              examples: { lines: { value: `${JSON.stringify(ENTRY)}\n` } },
            },
            "text/csv": { schema: { type: "string" } },
          },
        },
        ...refusals,
      },
    },
  },
  "/api/user-groups/export": {
    get: {
      tags,
      operationId: "exportUserGroups",
      summary: "Export user groups",
      description:
        "Streams all groups that match, in order of `team_id`, never with a token: JSON lines, or CSV with a header line. A connection that breaks before the end leaves an incomplete file. An import reads both formats; it sets neither `state` nor `access_ends_at`. The history records the export.",
      parameters: exportParameters(groupExport.shape),
      responses: {
        200: {
          description: "The groups as a file.",
          headers: headers("X-Request-Id"),
          content: {
            "application/x-ndjson": { schema: { type: "string" }, examples: { lines: { value: LINES } } },
            "text/csv": {
              schema: { type: "string" },
              examples: {
                rows: {
                  value: "\uFEFFuser_group_id,name,mapping,properties,created_at,updated_at,state,access_ends_at\r\n",
                },
              },
            },
          },
        },
        ...refusals,
      },
    },
  },
};

function exportParameters(shape: Record<string, z.ZodType>) {
  return Object.entries(shape).map(([name, field]) => ({
    ...asQuery(name, field),
    ...(name === "format" && { required: true }),
  }));
}
