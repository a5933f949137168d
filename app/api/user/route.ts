import { withNeeds, withScopes } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { foundAnswer, rotatedAnswer, updatedAnswer } from "@/lib/groups/answer-schema";
import { deleteGroup } from "@/lib/groups/deletion";
import { doneAnswer, groupDeletion } from "@/lib/groups/deletion-schema";
import { byToken } from "@/lib/groups/group";
import { rotateByToken } from "@/lib/groups/rotation";
import { GROUP_EXAMPLE, groupPatch, groupRequest, tokenRotation } from "@/lib/groups/schema";
import { answerFound, answerRotated, answerUpdated } from "@/lib/groups/serialize";
import { CREATION, getOrCreateGroup, mergeGroup, updateGroup } from "@/lib/groups/service";

export const GET = endpoint({
  operationId: "getOrCreateUserGroupByQuery",
  summary: "Get or create a user group",
  description:
    "Returns the group with this `user_group_id`; the other fields never change an existing group. If there is none, " +
    "creates it with `name` (default: the id), `mapping` (default: `{}`) and `properties` (default: null). Of " +
    "several concurrent requests with one new id, exactly one creates the group.\n\n" +
    "Send the fields either as a JSON body or as a query, not both. Browsers and `fetch` cannot send a GET with a " +
    "body, and some proxies drop it: use `POST /api/user/get-or-create` there.",
  access: withNeeds({ scopes: ["tokens:read"], sometimes: [CREATION] }),
  input: groupRequest,
  bodyOnGet: true,
  hasHead: false,
  conditions: "ignored",
  group: ({ user_group_id: providedId }) => [{ providedId }],
  requestExamples: { full: { summary: "All fields", value: GROUP_EXAMPLE }, least: { summary: "Only the id" } },
  bodyNote: "In place of the query. Generated clients send the query: OpenAPI describes no body of a GET.",
  answered: "The group with its token.",
  answer: foundAnswer,
  answerExamples: {
    created: { summary: "A new group" },
    existing: { summary: "An existing group", value: { new_user_group: false, user_group: { properties: null } } },
  },
  etag: '"3-1"',
  errors: ["unknown_user_group"],
  handle: async (request) => answerFound(await getOrCreateGroup(request)),
});

export const PUT = endpoint({
  operationId: "updateUserGroup",
  summary: "Update a user group",
  description:
    "Changes the given fields. Omitted fields stay unchanged; `mapping` and `properties` are replaced as a whole, " +
    "and null clears `properties`. Never creates a group, and never changes its token.",
  access: withScopes("groups:write", "tokens:read"),
  mayRecall: true,
  // All but If-Match, which `handle` reads.
  conditions: "ignored",
  input: groupRequest,
  parameters: { "If-Match": {} },
  requestExamples: {
    properties: { summary: "New properties", value: { properties: { filterValue: "other" } } },
    clear: { summary: "No properties", value: { properties: null } },
    full: { summary: "All fields", value: GROUP_EXAMPLE },
  },
  answered: "The updated group.",
  answer: updatedAnswer,
  answerExample: { user_group: { properties: { filterValue: "other" } } },
  etag: '"3-1"',
  errors: ["unknown_user_group"],
  handle: async ({ call, caller, input }) =>
    answerUpdated(await updateGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});

export const PATCH = endpoint({
  operationId: "mergeUserGroup",
  summary: "Merge into a user group",
  description:
    "Changes the given fields, and within `mapping` and `properties` only the given members (JSON merge patch, RFC " +
    "7396): null removes a member, and all others keep their text. Callers who set different members at the same " +
    "time do not undo each other. `properties: null` clears them all. `access_ends_at` sets when the group's access " +
    "ends, and `new_user_group_id` gives the group another id. Never creates a group, and never changes its token. " +
    "The content type may be `application/merge-patch+json`.",
  access: withScopes("groups:write", "tokens:read"),
  conditions: ["If-Match"],
  input: groupPatch,
  mediaTypes: ["application/json", "application/merge-patch+json"],
  requestExamples: {
    member: { summary: "One property", value: { properties: { filterValue: "other" } } },
    end: { summary: "The end of access", value: { access_ends_at: "2027-01-31T23:00:00Z" } },
    rename: { summary: "Another id", value: { new_user_group_id: "example_2" } },
  },
  answered: "The updated group.",
  answer: updatedAnswer,
  answerExample: { user_group: { properties: { filterValue: "other" } } },
  etag: '"3-1"',
  errors: ["unknown_user_group", "id_taken"],
  handle: async ({ call, caller, input }) =>
    answerUpdated(await mergeGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});

export const POST = endpoint({
  operationId: "rotateUserGroupToken",
  summary: "Rotate the token of a user group",
  description:
    "Gives the group a new token; the one you sent stops working immediately. Of several concurrent requests with " +
    "one token, exactly one succeeds, and the others get 404.\n\n" +
    "With `overlap_seconds`, the token you sent stays valid for that long, as the group's previous token. A group " +
    "has one at most: rotating again with an overlap meanwhile is 409 `overlap_running`. Sending the replaced token " +
    "again with `overlap_seconds` during the overlap returns the same new token without rotating, so every " +
    "concurrent request gets it. A rotation without an overlap ends both tokens before the new one.",
  access: withScopes("tokens:rotate", "tokens:read"),
  conditions: "ignored",
  input: tokenRotation,
  group: ({ current_token }) => byToken(current_token),
  parameters: { "Idempotency-Key": {} },
  requestExamples: {
    rotation: { summary: "The current token" },
    overlap: { summary: "An overlap of an hour", value: { overlap_seconds: 3600 } },
  },
  answered: "The group with its new token.",
  answer: rotatedAnswer,
  answerExamples: {
    rotated: { summary: "Immediately" },
    overlap: { summary: "With an overlap", value: { previous_token_valid_until: "2026-11-20T09:00:00.000Z" } },
  },
  etag: '"3-1"',
  errors: ["unknown_token", "overlap_running"],
  handle: async ({ call, ...request }) =>
    answerRotated(
      await rotateByToken({ idempotencyKey: call.headers["idempotency-key"]?.toString(), ...request }),
      request.caller,
    ),
});

export const DELETE = endpoint({
  operationId: "deleteUserGroup",
  summary: "Delete a user group",
  description:
    "Deletes the group with this `user_group_id` or `current_token`; if you send both, they must belong together. " +
    "Its token stops working immediately. Deleted groups are kept for `DELETED_GROUPS_KEPT` (7 days by default) and " +
    "can be restored with their token.\n\n" +
    "The next GET with the same `user_group_id` creates a new group with another token. To stop serving a group for " +
    "a while, suspend it instead.\n\n" +
    "A query can hold `user_group_id` only: proxies log URLs, and a token must not be in a log.",
  access: withScopes("groups:delete"),
  conditions: ["If-Match"],
  input: groupDeletion,
  inQuery: ["user_group_id"],
  parameters: {
    user_group_id: { description: "The id, instead of a body.", schema: { type: "string", examples: ["example_1"] } },
  },
  requestExample: { user_group_id: "example_1" },
  bodyNote: "Required unless the request has a query.",
  answered: "The group was deleted.",
  answer: doneAnswer,
  errors: ["unknown_user_group", "unknown_token"],
  handle: async ({ call, caller, input }) =>
    done(await deleteGroup({ caller, input, ifMatch: call.headers["if-match"] })),
});
