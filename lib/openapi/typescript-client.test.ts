import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import type {
  AllowedOrigins,
  BatchAnswer,
  BatchRequest,
  Definitions,
  DefinitionsAnswer,
  DeletedList,
  DeletedQuery,
  DeliveriesQuery,
  DeliveryAnswer,
  DeliveryList,
  Done,
  EndedOverlap,
  EnvironmentTag,
  Events,
  EventsQuery,
  Findings,
  FixRequest,
  FoundGroup,
  GroupDeletion,
  GroupList,
  GroupListQuery,
  GroupMerge,
  GroupRequest,
  GroupRestoration,
  GroupSelection,
  GroupState,
  GroupUsage,
  GroupUsageQuery,
  History,
  HistoryQuery,
  JobAnswer,
  JobList,
  JobRows,
  JobRowsQuery,
  NamedGroup,
  NewChange,
  NewImport,
  NewJob,
  NewWebhook,
  Refusal,
  RefusalCode,
  ReplayAnswer,
  RestoredGroup,
  Revocations,
  RotatedGroup,
  SuggestedDefinitions,
  Summary,
  TokenOwner,
  UpdatedGroup,
  UpsertedGroup,
  Usage,
  UsageQuery,
  ViewedGroup,
  Viewer,
  ViewerSettings,
  ViewerSettingsAnswer,
  ViewerToken,
  ViewerTokenOptions,
  ViewsEnded,
  WebhookAnswer,
  WebhookChange,
  WebhookList,
  WebhookReplay,
  WebhookSecret,
} from "@/clients/typescript/src/client";

// Compares the TypeScript client's types with the committed description.
const api = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
const ajv = addFormats.default(new Ajv2020({ strict: false, formats: { base64: true } }));
ajv.addSchema(api, "api");
// biome-ignore lint/suspicious/noExplicitAny: the description as JSON
const operations: Record<string, any> = Object.fromEntries(
  Object.values(api.paths as Record<string, object>).flatMap((path) =>
    Object.values(path).map((operation) => [operation.operationId, operation]),
  ),
);
const json = (place: { content: Record<string, { schema: object }> }) => place.content["application/json"]?.schema;
const validates = (schema: object | undefined, value: unknown) =>
  ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')), value);
const isAnswerOf = (operationId: string, value: unknown) =>
  validates(json(operations[operationId].responses["200"]), value);
const isBodyOf = (operationId: string, value: unknown) => validates(json(operations[operationId].requestBody), value);

const at = "2026-11-25T08:00:00.000Z";
const place = { team_id: 3, name: "Example", provided_id: "example_1" };
const group = { ...place, token: "ugt_a" };
const environment = { slug: "testing", name: "Testing" };
const api_environment_tag = "Testing" as const;
const actor = { type: "api_token" as const, id: "1", name: "backend" };
const living = { state: "active" as const, access_ends_at: null, api_environment_tag };
const job: JobAnswer["job"] = {
  ...{ id: 7, kind: "import", name: "a.csv", mode: "sync", max_deletions: "5%", state: "checked", problem: null },
  ...{ by: "Ada", undoes: null, created_at: at, ended_at: null, read: 1 },
  planned: { create: 1, change: 0, delete: 0, restore: 0, same: 0, error: 0 },
  done: { created: 0, changed: 0, deleted: 0, restored: 0, skipped: 0 },
  ...{ left: 1, can_apply: true, can_undo: false },
};
const found = { success: 1, new_user_group: true, user_group: { ...group, properties: null } } satisfies FoundGroup;
const rotated = { success: 1, user_group: { ...group, api_environment_tag } } satisfies RotatedGroup;
const state = { success: 1, user_group: { ...place, ...living } } satisfies GroupState;
const updated = {
  success: 1,
  user_group: { ...group, properties: { plan: ["pro", 1, null] }, api_environment_tag },
} satisfies UpdatedGroup;
const defined = {
  ...{ success: 1, version: 3 },
  definitions: {
    properties: {
      plan: {
        ...{ type: "string", required: true, default: "free", enum: ["free", "pro"], description: null },
        ...{ overridable: false, viewer_visible: true },
      },
    },
    schemas: { 40: { name: "Orders", required: true } },
    data_sources: { 213: { name: "Orders EU", provided_id: null, schemas: ["40"] } },
    ...{ unknown_properties: "allow", enforcement: "report", creations: "report" },
  },
} satisfies DefinitionsAnswer;
const webhook: WebhookAnswer["webhook"] = {
  ...{ id: 1, url: "https://example.com/hook", description: "billing", types: ["user_group.*"], enabled: false },
  ...{ disabled_at: at, disabled_reason: "gone", previous_secret_valid_until: null },
  made_by: { type: "api_token", id: "1", name: "backend" },
  health: {
    ...{ recent: ["failed"], waiting: 0, last_delivered_at: null, failing_since: at },
    ...{ next_attempt_at: null, read_until: at },
  },
  ...{ created_at: at, updated_at: at },
};
const delivery: DeliveryAnswer["delivery"] = {
  ...{ id: "1", webhook_id: 1, message_id: "msg_1", type: "user_group.updated", team_id: 3, state: "failed" },
  ...{ created_at: at, next_attempt_at: null, attempts: [{ at, status: null, duration_ms: 4, error: "dns" }] },
  body: "{}",
};
const withSecret = { success: 1, webhook, secret: "whsec_a" } satisfies WebhookSecret;

const origins = {
  success: 1,
  allowed_origins: ["https://app.example.com"],
  effective_origins: null,
} satisfies AllowedOrigins;
const settings = {
  success: 1,
  settings: {
    ...{ visible: { properties: ["plan"], mapping: ["40"] }, audience: null, preview_url: null },
    ...{ allowed_origins: null, templates: {} },
  },
} satisfies ViewerSettingsAnswer;

/** Answers with every required member. */
const ANSWERS: [operationId: string, answer: object][] = [
  ["getOrCreateUserGroup", found],
  ["upsertUserGroup", { ...found, changed: true } satisfies UpsertedGroup],
  ["updateUserGroup", updated],
  ["mergeUserGroup", updated],
  ["rotateUserGroupToken", rotated],
  ["replaceUserGroupToken", rotated],
  ["getUserGroupToken", rotated],
  ["suspendUserGroup", state],
  ["resumeUserGroup", state],
  ["restoreUserGroup", state satisfies RestoredGroup],
  ["deleteUserGroup", { success: 1 } satisfies Done],
  ["purgeUserGroup", { success: 1 } satisfies Done],
  [
    "endUserGroupOverlap",
    {
      success: 1,
      overlap_ended: true,
      user_group: { ...place, api_environment_tag: "Testing" },
    } satisfies EndedOverlap,
  ],
  [
    "findUserGroupByToken",
    { success: 1, found: "previous", valid_until: at, user_group: { ...place, environment } } satisfies TokenOwner,
  ],
  [
    "findUserGroupByToken",
    { success: 1, found: "current", user_group: { ...place, environment } } satisfies TokenOwner,
  ],
  ["findUserGroupByToken", { success: 1, found: "unknown" } satisfies TokenOwner],
  [
    "findUserGroupByToken",
    {
      ...{ success: 1, found: "rotated", at, by: actor },
      user_group: { team_id: 3, provided_id: null, name: null, exists: false, environment },
    } satisfies TokenOwner,
  ],
  [
    "findUserGroupByToken",
    { success: 1, found: "api_token", name: "n", state: "valid", environment } satisfies TokenOwner,
  ],
  [
    "listUserGroups",
    {
      ...{ success: 1, next_cursor: null, previous_cursor: null, total: 1, total_is_exact: true },
      user_groups: [
        {
          ...{ ...place, ...living, mapping: {}, properties: null, created_at: at, updated_at: at, rotated_at: at },
          ...{ token_last_used_at: null, token_first_used_at: null, previous_token: null, etag: '"3-1"' },
        },
      ],
    } satisfies GroupList,
  ],
  [
    "summarizeUserGroups",
    {
      ...{ success: 1, total: 1, counts_are_exact: true, sampled: 1 },
      states: { in_use: 0, idle: 0, never_used: 1, suspended: 0, ended: 0 },
      properties: [{ name: "plan", groups: 1, values: [{ value: "pro", groups: 1 }] }],
    } satisfies Summary,
  ],
  [
    "listUserGroupHistory",
    {
      ...{ success: 1, next_cursor: null },
      entries: [
        {
          ...{ id: "1", at, action: "user_group.created", actor, request_id: null, team_id: 3 },
          user_group: { provided_id: "example_1", name: "Example", exists: true },
          ...{ environment: "testing", before: null, after: { name: "Example" }, token_changed: false },
        },
      ],
    } satisfies History,
  ],
  [
    "listEvents",
    {
      ...{ success: 1, next_cursor: "a", caught_up: true },
      events: [
        {
          ...{ id: "1", type: "user_group.created", at, actor, request_id: null },
          data: { team_id: 3, provided_id: "example_1", name: "Example", changed: ["name"] },
        },
      ],
    } satisfies Events,
  ],
  [
    "listDeletedUserGroups",
    {
      ...{ success: 1, next_cursor: null },
      user_groups: [
        {
          ...{ ...place, ...living, created_at: at, deleted_at: at, deleted_by: actor, kept_until: at },
          is_id_taken: false,
        },
      ],
    } satisfies DeletedList,
  ],
  ["batchUserGroups", { success: 1, results: [{ user_group_id: "a", outcome: "same" }] } satisfies BatchAnswer],
  ["createJob", { success: 1, job } satisfies JobAnswer],
  ["sendJobPiece", { success: 1, job } satisfies JobAnswer],
  ["getJob", { success: 1, job } satisfies JobAnswer],
  ["applyJob", { success: 1, job } satisfies JobAnswer],
  ["cancelJob", { success: 1, job } satisfies JobAnswer],
  ["undoJob", { success: 1, job: { ...job, kind: "undo", mode: "undo", undoes: 6 } } satisfies JobAnswer],
  ["listJobs", { success: 1, jobs: [job] } satisfies JobList],
  [
    "listJobRows",
    {
      ...{ success: 1, next: null },
      rows: [
        {
          ...{ line: 1, outcome: "change", provided_id: "a", team_id: 3 },
          before: { name: "A", mapping: "{}", properties: null },
          after: { name: "B", mapping: "{}", properties: "{}" },
          issues: [{ path: ["name", 1], message: "m" }],
        },
      ],
    } satisfies JobRows,
  ],
  [
    "getUsage",
    {
      ...{ success: 1, from: "2026-11-20", to: "2026-11-20", checks: 1 },
      days: [{ day: "2026-11-20", checks: 1 }],
    } satisfies Usage,
  ],
  [
    "getUsage",
    {
      ...{ success: 1, from: "2026-11-20", to: "2026-11-20", next_cursor: null },
      user_groups: [{ ...place, checks: 1, days: [1] }],
    } satisfies GroupUsage,
  ],
  ["identifyViewer", { success: 1, active: false } satisfies Viewer],
  [
    "identifyViewer",
    {
      ...{ success: 1, active: true },
      user_group: { ...place, mapping: { 40: "213" }, properties: null, api_environment_tag },
    } satisfies Viewer,
  ],
  ["mintViewerToken", { success: 1, viewer_token: "eyJ", expires_at: at } satisfies ViewerToken],
  [
    "listRevocations",
    { success: 1, revocations: [{ team_id: 3, gen: 2 }], next_since: "a", has_more: false } satisfies Revocations,
  ],
  ["endViews", { success: 1, team_id: 3, gen: 2 } satisfies ViewsEnded],
  ["getAllowedOrigins", origins],
  ["setAllowedOrigins", origins],
  ["getViewerSettings", settings],
  ["setViewerSettings", settings],
  ["getDefinitions", defined],
  ["setDefinitions", defined],
  [
    "getFindings",
    {
      ...{ success: 1, checked_at: at, is_current: true, groups: 3, definitions_version: 1 },
      findings: [
        { filter: "unused", kind: "unused", member: null, name: null, message: "not used", count: 1, like: null },
        {
          ...{ filter: "plan:missing", kind: "missing", member: "properties", name: "plan" },
          ...{ message: "is required", count: 1, like: null },
        },
      ],
      days: [{ day: "2026-11-20", groups: 1 }],
    } satisfies Findings,
  ],
  ["fixFinding", { success: 1, job } satisfies JobAnswer],
  ["suggestDefinitions", { success: 1, groups: 1, definitions: defined.definitions } satisfies SuggestedDefinitions],
  ["listWebhooks", { success: 1, webhooks: [webhook] } satisfies WebhookList],
  ["createWebhook", withSecret],
  ["updateWebhook", { success: 1, webhook } satisfies WebhookAnswer],
  ["deleteWebhook", { success: 1 } satisfies Done],
  ["rotateWebhookSecret", withSecret],
  ["testWebhook", { success: 1, delivery } satisfies DeliveryAnswer],
  ["replayWebhook", { success: 1, deliveries: null } satisfies ReplayAnswer],
  ["listDeliveries", { success: 1, deliveries: [delivery], next_cursor: null } satisfies DeliveryList],
];

test("an answer about a viewer token includes its claims", () => {
  const answer = {
    ...{ success: 1, active: true, token_state: "previous", valid_until: at },
    allowed_origins: ["https://app.example.com"],
    variables: { plan: 1 },
    issues: [{ path: ["properties", "plan"], kind: "wrong_type", message: "must be a string" }],
    user_group: { ...place, mapping: {}, properties: null, api_environment_tag },
    viewer_token: { viewer: null, variables: { plan: "pro" }, preview: false, expires_at: at },
  } satisfies Required<Extract<Viewer, { active: true }>>;
  expect(isAnswerOf("identifyViewer", answer), ajv.errorsText()).toBe(true);
  for (const reason of ["suspended", "ended", "expired", "revoked", "incomplete"] as const) {
    expect(isAnswerOf("identifyViewer", { success: 1, active: false, reason } satisfies Viewer)).toBe(true);
  }
});

test("answers have warnings when definitions report", () => {
  const warnings = [{ path: ["properties", "plan"], message: "m" }];
  const batch = { success: 1, results: [{ user_group_id: "a", outcome: "same", warnings }] } satisfies BatchAnswer;
  expect(isAnswerOf("batchUserGroups", batch), ajv.errorsText()).toBe(true);
  const row = { line: 1, outcome: "create", provided_id: "a", team_id: null, before: null, after: null } as const;
  const rows = { success: 1, next: null, rows: [{ ...row, issues: [], warnings }] } satisfies JobRows;
  expect(isAnswerOf("listJobRows", rows), ajv.errorsText()).toBe(true);
});

test.each(ANSWERS)("an answer of %s has exactly the members of the client's type", (id, answer) => {
  expect(isAnswerOf(id, answer), ajv.errorsText()).toBe(true);
  for (const smaller of withoutEach(answer)) expect(isAnswerOf(id, smaller), JSON.stringify(smaller)).toBe(false);
});

test("a definition in an answer has the members of the client's type", () => {
  const { properties, schemas, data_sources } = defined.definitions;
  for (const [member, named] of Object.entries({ properties, schemas, data_sources })) {
    for (const [name, definition] of Object.entries(named)) {
      for (const smaller of withoutEach(definition)) {
        const definitions = { ...defined.definitions, [member]: { [name]: smaller } };
        expect(isAnswerOf("getDefinitions", { ...defined, definitions }), JSON.stringify(smaller)).toBe(false);
      }
    }
  }
});

const BODIES: [operationId: string, ...bodies: object[]][] = [
  [
    "getOrCreateUserGroup",
    { user_group_id: "a", name: "n", mapping: {}, properties: {} } satisfies Required<GroupRequest>,
  ],
  ["updateUserGroup", { user_group_id: "a", properties: null } satisfies GroupRequest],
  [
    "mergeUserGroup",
    { user_group_id: "a", name: "n", mapping: {}, properties: null, access_ends_at: at } satisfies Required<GroupMerge>,
  ],
  ["upsertUserGroup", { user_group_id: "a", access_ends_at: null } satisfies GroupMerge],
  ["rotateUserGroupToken", { current_token: "ugt_a" }, { current_token: "ugt_a", overlap_seconds: 60 }],
  [
    "deleteUserGroup",
    { user_group_id: "a" } satisfies GroupDeletion,
    { current_token: "ugt_a", user_group_id: "a" } satisfies GroupDeletion,
  ],
  ["restoreUserGroup", { user_group_id: "a", team_id: 3, replace: true } satisfies Required<GroupRestoration>],
  ["purgeUserGroup", { team_id: 3 }],
  ["suspendUserGroup", { user_group_id: "a", reason: "r" }],
  ["resumeUserGroup", { user_group_id: "a" }],
  ["endUserGroupOverlap", { user_group_id: "a" }],
  ["replaceUserGroupToken", { user_group_id: "a" } satisfies NamedGroup, { team_id: 3 } satisfies NamedGroup],
  ["getUserGroupToken", { team_id: 3, purpose: "copy" }],
  ["findUserGroupByToken", { text: "t" }],
  [
    "batchUserGroups",
    {
      ...{ mode: "rotate", dry_run: true, overlap_seconds: 60 },
      user_groups: [{ user_group_id: "a" }],
    } satisfies Required<BatchRequest>,
    { mode: "merge", user_groups: [{ user_group_id: "a", name: "n" }] } satisfies BatchRequest,
  ],
  [
    "createJob",
    { kind: "import", file_name: "a", bytes: 0, mode: "sync", max_deletions: 5 } satisfies Required<NewImport>,
    ...(
      [
        { mode: "merge", user_group_ids: ["a"], properties: { plan: "pro" }, apply: true },
        { mode: "set", team_ids: [1], mapping: {}, properties: null },
        { mode: "rename", where: { filter: ["Plan:missing"] }, properties: { Plan: "plan" } },
        { mode: "remove", where: {}, properties: ["plan"] },
        { mode: "suspend", team_ids: [1], reason: "r" },
        { mode: "resume", team_ids: [1] },
        { mode: "rotate", team_ids: [1], overlap_seconds: 60 },
        { mode: "delete", team_ids: [1] },
      ] satisfies NewChange[]
    ).map((change) => ({ kind: "change", ...change }) satisfies NewJob),
  ],
  ["sendJobPiece", { content: "YQ==" }],
  ["applyJob", {}],
  ["cancelJob", {}],
  ["undoJob", { apply: true }],
  [
    "fixFinding",
    { finding: "plan:missing", set: { a: null } } satisfies FixRequest,
    { finding: "plan:wrong_type", remove: true } satisfies FixRequest,
    { finding: "Plan:unknown_property", rename_to: "plan" } satisfies FixRequest,
  ],
  ["identifyViewer", { token: "ugt_a" }, { token: "ugt_a", strict: true }],
  [
    "mintViewerToken",
    { user_group_id: "a" } satisfies ViewedGroup,
    {
      ...({ token: "ugt_a" } satisfies ViewedGroup),
      ...({
        ...{ viewer: "v", expires_in: 60, audience: "b", variables: {}, template: "cube" },
      } satisfies Required<ViewerTokenOptions>),
    },
  ],
  ["endViews", { user_group_id: "a" }],
  ["setAllowedOrigins", { user_group_id: "a", allowed_origins: null }],
  [
    "setViewerSettings",
    {} satisfies ViewerSettings,
    {
      visible: { properties: ["plan"], mapping: ["40"] },
      ...{ audience: "b", preview_url: "https://a.example/#{{viewerToken}}", allowed_origins: [] },
      templates: { cube: { audience: null, claims: { cube: { team_id: "{{team_id}}" } } } },
    } satisfies Required<ViewerSettings>,
  ],
  ["setDefinitions", {} satisfies Definitions, defined.definitions satisfies Required<Definitions>],
  ["createWebhook", { url: "https://a.example", description: "d", types: null } satisfies Required<NewWebhook>],
  [
    "updateWebhook",
    {
      ...{ webhook_id: 1, url: "https://a.example", description: "d", types: ["user_group.*"] },
      ...({ enabled: true, from: "now" } satisfies WebhookChange),
    } satisfies Required<WebhookChange> & { webhook_id: number },
  ],
  ["deleteWebhook", { webhook_id: 1 }],
  ["rotateWebhookSecret", { webhook_id: 1 }],
  ["testWebhook", { webhook_id: 1 }],
  [
    "replayWebhook",
    ...([{ delivery_id: "1" }, { failed: true }, { since: at }] satisfies WebhookReplay[]).map((what) => ({
      webhook_id: 1,
      ...what,
    })),
  ],
];

test("each described body has a client type, and each client type's body is described", () => {
  for (const [id, ...bodies] of BODIES) {
    for (const body of bodies) expect(isBodyOf(id, body), `${id}: ${ajv.errorsText()}`).toBe(true);
  }
  const described = Object.values(operations).flatMap(({ operationId, requestBody }) =>
    // Deployments apply a file with the command or curl.
    requestBody && operationId !== "applySettings" ? [operationId] : [],
  );
  expect(BODIES.map(([id]) => id).sort()).toEqual(described.sort());
});

type Names<Query> = Record<keyof Query, true>;
const selection: Names<GroupSelection> = {
  search: true,
  filter: true,
  state: true,
  used: true,
  updated_since: true,
};
const page = { limit: true, cursor: true } as const;
const QUERIES: [operationId: string, names: object, unused?: string[]][] = [
  [
    "listUserGroups",
    { ...selection, ...page, user_group_id: true, team_id: true, sort: true } satisfies Names<GroupListQuery>,
  ],
  ["exportUserGroups", selection, ["format"]],
  [
    "listUserGroupHistory",
    {
      ...{ ...page, user_group_id: true, team_id: true, member: true, api_token: true },
      ...{ action: true, from: true, to: true },
    } satisfies Names<HistoryQuery>,
    ["scope"],
  ],
  ["listEvents", { after: true, types: true, limit: true, wait: true, include: true } satisfies Names<EventsQuery>],
  ["listDeletedUserGroups", { ...page, user_group_id: true } satisfies Names<DeletedQuery>],
  ["getUsage", { ...page, from: true, to: true, team_id: true } satisfies Names<UsageQuery & GroupUsageQuery>, ["by"]],
  ["listRevocations", { since: true }],
  ["listJobRows", { outcome: true, after: true, limit: true } satisfies Names<JobRowsQuery>],
  ["listDeliveries", { ...page, state: true } satisfies Names<DeliveriesQuery>, ["webhook_id"]],
];

test.each(QUERIES)("the query of %s has the parameters of the client's type", (id, names, unused = []) => {
  const parameters: { in: string; name: string }[] = operations[id].parameters;
  const described = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  expect([...Object.keys(names), ...unused].sort()).toEqual(described.sort());
});

test("an error has the members of the client's type", () => {
  const refusal = {
    success: 0,
    error: { code: "unavailable", message: "m", request_id: "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55" },
  } satisfies Refusal;
  const fits = (value: object) => ajv.validate({ $ref: "api#/components/schemas/Failure" }, value);
  expect(fits(refusal), ajv.errorsText()).toBe(true);
  for (const smaller of withoutEach(refusal)) expect(fits(smaller), JSON.stringify(smaller)).toBe(false);
});

test("the client has exactly the existing codes and tags", () => {
  const { Failure, UpdatedUserGroup } = api.components.schemas;
  const codes: Record<RefusalCode, true> = {
    ...{ bad_request: true, invalid_json: true, body_missing: true, unauthorized: true, forbidden: true },
    ...{ not_found: true, unknown_user_group: true, unknown_token: true, method_not_allowed: true },
    ...{
      request_timeout: true,
      conflict: true,
      not_active: true,
      overlap_running: true,
      too_many_deletions: true,
      idempotency_conflict: true,
      cursor_gone: true,
      stale: true,
      body_too_large: true,
    },
    ...{ unsupported_media_type: true, invalid_fields: true, rate_limited: true, headers_too_large: true },
    ...{ not_implemented: true, internal: true, unavailable: true },
  };
  expect(Failure.properties.error.properties.code.enum.toSorted()).toEqual(Object.keys(codes).toSorted());
  const tags: Record<EnvironmentTag, true> = { Customer: true, Testing: true };
  expect(UpdatedUserGroup.properties.user_group.properties.api_environment_tag.enum).toEqual(Object.keys(tags));
});

const FREE = ["mapping", "properties", "before", "after", "templates", "schemas", "data_sources"];

/** Yields the value without each member in turn, at any depth and in a list's first item; free-form objects are kept. */
function* withoutEach(value: object): Generator<object> {
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    if (FREE.includes(name)) continue;
    const inner = Array.isArray(member) ? member[0] : member;
    if (typeof inner !== "object" || inner === null) continue;
    for (const smaller of withoutEach(inner)) yield { ...value, [name]: Array.isArray(member) ? [smaller] : smaller };
  }
}
