import {
  createSchema,
  type oas31,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { JSON_MEMBERS } from "@/lib/endpoint/input";
import { foundAnswer, rotatedAnswer, updatedAnswer, upsertedAnswer } from "@/lib/groups/answer-schema";
import { groupMerge } from "@/lib/groups/merge-schema";
import { groupRequest, tokenRotation } from "@/lib/groups/schema";
import { failures, otherFailure } from "@/lib/openapi/failure";
import { deletion, endingOverlap, IDEMPOTENCY_KEY } from "@/lib/openapi/group-life";
import { headers } from "@/lib/openapi/header";
import { USER_GROUPS } from "@/lib/openapi/tag";

const tags = [USER_GROUPS.name];
const id = { user_group_id: "example_1" };
const group = { ...id, name: "Example 1", mapping: { 40: "213", 134: "386" }, properties: { filterValue: "value" } };
const answered = { team_id: 3, token: "ugt_…", name: "Example 1", provided_id: "example_1" };

const found: ZodOpenApiContentObject = {
  "application/json": {
    schema: foundAnswer,
    examples: {
      created: {
        summary: "A new group",
        value: { success: 1, new_user_group: true, user_group: { ...answered, properties: group.properties } },
      },
      existing: {
        summary: "An existing group",
        value: { success: 1, new_user_group: false, user_group: { ...answered, properties: null } },
      },
    },
  },
};

const getOrCreate = {
  tags,
  summary: "Get or create a user group",
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: groupRequest,
        examples: { full: { summary: "All fields", value: group }, least: { summary: "Only the id", value: id } },
      },
    },
  },
  responses: {
    200: { description: "The group with its token.", headers: headers("X-Request-Id", "ETag"), content: found },
    ...failures(),
    default: otherFailure,
  },
} satisfies ZodOpenApiOperationObject;

const updating = {
  tags,
  parameters: [
    {
      name: "If-Match",
      in: "header",
      description: "The `ETag` of an earlier answer: the update is refused with 412 if the group has changed since.",
      schema: { type: "string", examples: ['"3-1"'] },
    },
  ],
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: groupRequest,
        examples: {
          properties: { summary: "New properties", value: { ...id, properties: { filterValue: "other" } } },
          clear: { summary: "No properties", value: { ...id, properties: null } },
          full: { summary: "All fields", value: group },
        },
      },
    },
  },
  responses: {
    200: {
      description: "The updated group.",
      headers: headers("X-Request-Id", "ETag"),
      content: {
        "application/json": {
          schema: updatedAnswer,
          examples: {
            updated: {
              value: {
                success: 1,
                user_group: {
                  ...answered,
                  properties: { filterValue: "other" },
                  api_environment_tag: "Testing",
                },
              },
            },
          },
        },
      },
    },
    ...failures(["unknown_user_group", "stale"]),
    default: otherFailure,
  },
} satisfies ZodOpenApiOperationObject;

/** The user group calls, from the schemas of their routes. */
export const userGroupPaths: ZodOpenApiPathsObject = {
  "/api/user": {
    get: {
      ...getOrCreate,
      operationId: "getOrCreateUserGroupByQuery",
      description:
        "Returns the group with this `user_group_id`; the other fields never change an existing group. If there is none, creates it with `name` (default: the id), `mapping` (default: `{}`) and `properties` (default: null). Of several concurrent requests with one new id, exactly one creates the group.\n\nSend the fields either as a JSON body or as a query, not both. Browsers and `fetch` cannot send a GET with a body, and some proxies drop it: use `POST /api/user/get-or-create` there.",
      parameters: Object.entries(groupRequest.shape).map(([name, field]) => ({
        ...asQuery(name, field),
        ...(name === "user_group_id" && { required: true }),
      })),
      requestBody: {
        ...getOrCreate.requestBody,
        required: false,
        description: "In place of the query. OpenAPI allows no body here that generated clients could send.",
      },
    },
    put: {
      ...updating,
      operationId: "updateUserGroup",
      summary: "Update a user group",
      description:
        "Changes the given fields. Omitted fields stay unchanged; `mapping` and `properties` are replaced as a whole, and null clears `properties`. Never creates a group, and never changes its token.",
    },
    patch: {
      ...updating,
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: groupMerge,
            examples: {
              member: { summary: "One property", value: { ...id, properties: { filterValue: "other" } } },
              end: { summary: "The end of access", value: { ...id, access_ends_at: "2027-01-31T23:00:00Z" } },
            },
          },
        },
      },
      operationId: "mergeUserGroup",
      summary: "Merge into a user group",
      description:
        "Changes the given fields, and within `mapping` and `properties` only the given members (JSON merge patch, RFC 7396): null removes a member, and all others keep their text. Callers who set different members at the same time do not undo each other. `properties: null` clears them all. `access_ends_at` sets when the group's access ends. Never creates a group, and never changes its token.",
    },
    delete: deletion,
    post: {
      tags,
      operationId: "rotateUserGroupToken",
      summary: "Rotate the token of a user group",
      description:
        "Gives the group a new token; the one you sent stops working immediately. Of several concurrent requests with one token, exactly one succeeds, and the others get 404.\n\nWith `overlap_seconds`, the token you sent stays valid for that long, as the group's previous token. A group has one at most: rotating again with an overlap meanwhile is 409 `overlap_running`. Sending the replaced token again with `overlap_seconds` during the overlap returns the same new token without rotating, so every concurrent request gets it. A rotation without an overlap ends both tokens before the new one.",
      parameters: [IDEMPOTENCY_KEY],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: tokenRotation,
            examples: {
              rotation: { summary: "The current token", value: { current_token: "ugt_…" } },
              overlap: { summary: "An overlap of an hour", value: { current_token: "ugt_…", overlap_seconds: 3600 } },
            },
          },
        },
      },
      responses: {
        200: {
          description: "The group with its new token.",
          headers: headers("X-Request-Id", "ETag"),
          content: {
            "application/json": {
              schema: rotatedAnswer,
              examples: {
                rotated: {
                  summary: "Immediately",
                  value: { success: 1, user_group: { ...answered, api_environment_tag: "Testing" } },
                },
                overlap: {
                  summary: "With an overlap",
                  value: {
                    success: 1,
                    user_group: { ...answered, api_environment_tag: "Testing" },
                    previous_token_valid_until: "2026-11-20T09:00:00.000Z",
                  },
                },
              },
            },
          },
        },
        ...failures(["unknown_token", "overlap_running", "idempotency_conflict"]),
        default: otherFailure,
      },
    },
  },
  "/api/user/upsert": {
    post: {
      tags,
      operationId: "upsertUserGroup",
      summary: "Create a user group or merge into it",
      description:
        "Creates the group if there is none, and otherwise merges the given fields like `PATCH`: one call for a page view or a sync. The same call again changes nothing and says `changed: false`. `If-Match` is refused: `PATCH` takes it.",
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: groupMerge, examples: { full: { summary: "All fields", value: group } } },
        },
      },
      responses: {
        200: {
          description: "The group with its token.",
          headers: headers("X-Request-Id", "ETag"),
          content: {
            "application/json": {
              schema: upsertedAnswer,
              examples: {
                created: {
                  value: {
                    success: 1,
                    new_user_group: true,
                    changed: true,
                    user_group: { ...answered, properties: group.properties },
                  },
                },
              },
            },
          },
        },
        ...failures(["unknown_user_group"]),
        default: otherFailure,
      },
    },
  },
  "/api/user/end-overlap": { post: endingOverlap },
  "/api/user/get-or-create": {
    post: {
      ...getOrCreate,
      operationId: "getOrCreateUserGroup",
      summary: "Get or create a user group by POST",
      description: "Same as `GET /api/user`, for clients, proxies and CDNs that do not support a GET with a body.",
    },
  },
};

/** A field as a query parameter, where objects are JSON. */
export function asQuery(name: string, field: Parameters<typeof createSchema>[0]): oas31.ParameterObject {
  const { description, ...schema } = createSchema(field, { io: "input" }).schema as oas31.SchemaObject;
  const about = { name, in: "query" as const, ...(description && { description }) };
  return JSON_MEMBERS.has(name) ? { ...about, content: { "application/json": { schema } } } : { ...about, schema };
}
