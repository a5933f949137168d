import type { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiParameterObject, ZodOpenApiPathsObject } from "zod-openapi";
import type { ErrorCode } from "@/lib/errors";
import { overlapEndedAnswer, restoredGroupAnswer, rotatedAnswer, stateAnswer } from "@/lib/groups/answer-schema";
import {
  deletedListAnswer,
  deletedQuery,
  doneAnswer,
  groupDeletion,
  groupErasure,
  groupRestoration,
} from "@/lib/groups/deletion-schema";
import { groupResumption, groupSuspension, overlapEnding } from "@/lib/groups/schema";
import { foundTokenAnswer, tokenReplacement, tokenReveal, tokenSearch } from "@/lib/groups/token-schema";
import { failures, otherFailure } from "@/lib/openapi/failure";
import { type HEADERS, headers, ifMatch } from "@/lib/openapi/header";
import { USER_GROUPS } from "@/lib/openapi/tag";

// The end of a group's life, its suspension, and its token for those who do not hold it.

const tags = [USER_GROUPS.name];
const id = { user_group_id: "example_1" };
const place = { team_id: 3, provided_id: "example_1", name: "Example 1" };
const done = { success: 1 };
const state = (now: "active" | "suspended") => ({
  success: 1,
  user_group: { ...place, state: now, access_ends_at: null, api_environment_tag: "Testing" },
});
const withToken = { success: 1, user_group: { ...place, token: "ugt_…", api_environment_tag: "Testing" } };

const IF_MATCH = ifMatch('"3-1"');

export const IDEMPOTENCY_KEY: ZodOpenApiParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes the rotation safe to retry: for 24 h, the same key and body return the first answer again without rotating. Keys are per API token.",
  schema: { type: "string", minLength: 1, maxLength: 255, examples: ["9f0c6b1e-rotate-example_1"] },
};

interface Described {
  operationId: string;
  summary: string;
  description: string;
  /** its schema and an example */
  body?: [z.ZodType, object];
  /** when it can be left out */
  bodyNote?: string;
  answer: [z.ZodType, object];
  answered: string;
  errors?: ErrorCode[];
  parameters?: ZodOpenApiParameterObject[];
  query?: z.ZodObject;
  sent?: (keyof typeof HEADERS)[];
}

function operation(described: Described): ZodOpenApiOperationObject {
  const {
    operationId,
    summary,
    description,
    body,
    bodyNote,
    answer,
    answered,
    errors,
    parameters,
    query,
    sent = [],
  } = described;
  const content = ([schema, value]: typeof answer) => ({
    "application/json": { schema, examples: { example: { value } } },
  });
  return {
    tags,
    operationId,
    summary,
    description,
    ...(parameters && { parameters }),
    ...(query && { requestParams: { query } }),
    ...(body && {
      requestBody: { required: !bodyNote, content: content(body), ...(bodyNote && { description: bodyNote }) },
    }),
    responses: {
      200: { description: answered, headers: headers("X-Request-Id", ...sent), content: content(answer) },
      ...failures(errors),
      default: otherFailure,
    },
  };
}

/** DELETE /api/user, for the path that the contract's calls share. */
export const deletion: ZodOpenApiOperationObject = operation({
  operationId: "deleteUserGroup",
  summary: "Delete a user group",
  description:
    "Deletes the group with this `user_group_id` or `current_token`; if you send both, they must belong together. Its token stops working immediately. Deleted groups are kept for `DELETED_GROUPS_KEPT` (7 days by default) and can be restored with their token.\n\nThe next GET with the same `user_group_id` creates a new group with another token. To stop serving a group for a while, suspend it instead.\n\nA query can hold `user_group_id` only: proxies log URLs, and a token must not be in a log.",
  body: [groupDeletion, id],
  bodyNote: "Required unless the request has a query.",
  answer: [doneAnswer, done],
  answered: "The group was deleted.",
  errors: ["unknown_user_group", "unknown_token", "stale"],
  parameters: [
    {
      name: "user_group_id",
      in: "query",
      description: "The id, instead of a body.",
      schema: { type: "string", examples: ["example_1"] },
    },
    IF_MATCH,
  ],
});

/** POST /api/user/end-overlap. */
export const endingOverlap: ZodOpenApiOperationObject = operation({
  operationId: "endUserGroupOverlap",
  summary: "End the overlap of a rotation",
  description:
    "Stops the group's previous token immediately, before the end of its overlap. The current token stays as it is. Without a running overlap nothing changes, and `overlap_ended` is false.",
  body: [overlapEnding, id],
  answer: [
    overlapEndedAnswer,
    { success: 1, overlap_ended: true, user_group: { ...place, api_environment_tag: "Testing" } },
  ],
  answered: "The group, without a previous token.",
  errors: ["unknown_user_group"],
});

export const groupLifePaths: ZodOpenApiPathsObject = {
  "/api/user-groups/suspend": {
    post: operation({
      operationId: "suspendUserGroup",
      summary: "Suspend a user group",
      description:
        "From now on `POST /api/viewer` answers `active: false` with the reason `suspended` for the group's token. The group keeps its token, and all other calls keep working. Suspending a suspended group changes nothing.",
      body: [groupSuspension, { ...id, reason: "Invoice 4711 is overdue" }],
      answer: [stateAnswer, state("suspended")],
      answered: "The suspended group.",
      errors: ["unknown_user_group", "stale"],
      parameters: [IF_MATCH],
      sent: ["ETag"],
    }),
  },
  "/api/user-groups/resume": {
    post: operation({
      operationId: "resumeUserGroup",
      summary: "Resume a user group",
      description:
        "Ends a suspension: the group's token is served again, unless its access has ended (`state` is then `ended`). Resuming a group that is not suspended changes nothing.",
      body: [groupResumption, id],
      answer: [stateAnswer, state("active")],
      answered: "The group, no longer suspended.",
      errors: ["unknown_user_group", "stale"],
      parameters: [IF_MATCH],
      sent: ["ETag"],
    }),
  },
  "/api/user-groups/deleted": {
    get: operation({
      operationId: "listDeletedUserGroups",
      summary: "List deleted user groups",
      description: "The deleted groups that can still be restored, the last deleted first. Never a token.",
      query: deletedQuery,
      answer: [
        deletedListAnswer,
        {
          success: 1,
          user_groups: [
            {
              ...state("active").user_group,
              created_at: "2026-11-01T08:00:00.000Z",
              deleted_at: "2026-11-20T08:00:00.000Z",
              deleted_by: { type: "api_token", id: "1", name: "backend" },
              kept_until: "2026-11-27T08:00:00.000Z",
              is_id_taken: false,
            },
          ],
          next_cursor: null,
        },
      ],
      answered: "A page of deleted groups.",
    }),
  },
  "/api/user-groups/restore": {
    post: operation({
      operationId: "restoreUserGroup",
      summary: "Restore a deleted user group",
      description:
        "Brings the last deleted group with this `user_group_id` back, or the one with this `team_id`: with its token, its number and its history. If another group has the id now, the answer is 409, unless you send `replace: true`: then that group is deleted in the same transaction. Definitions refuse no restoration: `issues` are what they find.",
      body: [groupRestoration, id],
      answer: [restoredGroupAnswer, state("active")],
      answered: "The restored group.",
      errors: ["unknown_user_group", "conflict"],
      sent: ["ETag"],
    }),
  },
  "/api/user-groups/purge": {
    post: operation({
      operationId: "purgeUserGroup",
      summary: "Erase a deleted user group for good",
      description:
        "Erases a deleted group, with its content in the history, in imports and in its use. The history keeps that something happened, when and by whom. Backups, and logs that have left the service, still hold what they held. A group that is not deleted is a conflict.",
      body: [groupErasure, { team_id: 3 }],
      answer: [doneAnswer, done],
      answered: "The group was erased.",
      errors: ["unknown_user_group", "conflict"],
    }),
  },
  "/api/user-groups/token": {
    post: operation({
      operationId: "getUserGroupToken",
      summary: "Get the token of a user group",
      description: "Returns the group with its current token. The history records each call, and its purpose.",
      body: [tokenReveal, { team_id: 3 }],
      answer: [rotatedAnswer, withToken],
      answered: "The group with its token.",
      errors: ["unknown_user_group"],
      sent: ["ETag"],
    }),
  },
  "/api/user-groups/rotate": {
    post: operation({
      operationId: "replaceUserGroupToken",
      summary: "Rotate the token of a user group by id or number",
      description:
        "Like `POST /api/user`, for callers who do not hold the current token. Of several concurrent requests exactly one succeeds, and the others get 412. `overlap_seconds` keeps the replaced token valid for that long.",
      body: [tokenReplacement, { team_id: 3 }],
      answer: [rotatedAnswer, withToken],
      answered: "The group with its new token.",
      errors: ["unknown_user_group", "overlap_running", "idempotency_conflict", "stale"],
      parameters: [IF_MATCH, IDEMPOTENCY_KEY],
      sent: ["ETag"],
    }),
  },
  "/api/user-groups/find-by-token": {
    post: operation({
      operationId: "findUserGroupByToken",
      summary: "Find out whose token this is",
      description:
        "Finds the owner of a token in a text: a user group, current or former, or an API token of this environment. The text is stored nowhere and never logged.",
      body: [tokenSearch, { text: "token=ugt_…" }],
      answer: [
        foundTokenAnswer,
        { success: 1, found: "current", user_group: { ...place, environment: { slug: "testing", name: "Testing" } } },
      ],
      answered: "The owner, or why there is none.",
    }),
  },
};
