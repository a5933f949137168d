// Writes src/openapi.ts, which git ignores: the types of bodies, queries and answers, from the API's description.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const FOLDER = import.meta.dirname;

/** @typedef {any} Schema a JSON Schema, or another part of the description */
/** @typedef {Record<string, [place: string, comment: string]>} Names types by name: their places, and a comment */

/** The comments of whole answers come from the description. @type {Names} */
export const ANSWERS = {
  EnvironmentTag: ["updateUserGroup.user_group.api_environment_tag", "The tag of the API token's environment."],
  FoundGroup: ["getOrCreateUserGroup", "The existing group, or the one this call created."],
  UpsertedGroup: ["upsertUserGroup", "The group after an upsert."],
  UpdatedGroup: ["updateUserGroup", "The group after an update or a merge."],
  RotatedGroup: ["rotateUserGroupToken", "The group with its token."],
  EndedOverlap: ["endUserGroupOverlap", "The group whose overlap was to end."],
  GroupState: ["suspendUserGroup", "The group after it was suspended or resumed."],
  RestoredGroup: ["restoreUserGroup", "The group after it was restored."],
  Done: ["deleteUserGroup", "An answer with no further members."],
  Viewer: ["identifyViewer", "The group that a token of either kind identifies; an unknown token yields nothing else."],
  TokenOwner: ["findUserGroupByToken", "The owner of a token, if there is one."],
  FieldIssue: ["batchUserGroups.results[].warnings[]", "A refused field: its path in the request, and how to fix it."],
  DefinitionIssue: ["restoreUserGroup.issues[]", "A group's problem: the path of the property, or of the schema."],
  RefusalCode: ["Failure.error.code", "The service's error codes."],
  Refusal: ["Failure", "The body of an error response."],
  ListedGroup: ["listUserGroups.user_groups[]", "A group in a list, never with its token."],
  GroupList: ["listUserGroups", "A page of groups."],
  SummarizedValue: ["summarizeUserGroups.properties[].values[]", "A value, and how many sampled groups have it."],
  Summary: ["summarizeUserGroups", "What an environment's groups have in common."],
  HistoryEntry: ["listUserGroupHistory.entries[]", "An entry of the history."],
  History: ["listUserGroupHistory", "A page of the history, newest first."],
  HistoryCounts: ["countUserGroupHistory", "How many entries the history has per hour."],
  FeedEvent: ["listEvents.events[]", "An event in the environment."],
  Events: ["listEvents", "A page of the feed, oldest first."],
  DeletedGroup: ["listDeletedUserGroups.user_groups[]", "A deleted group that can be restored."],
  DeletedList: ["listDeletedUserGroups", "A page of deleted groups, most recently deleted first."],
  Usage: ["getUsage.0", "How often renderers checked tokens on each day."],
  UsedGroup: ["getUsage.1.user_groups[]", "How often a group's tokens were checked."],
  GroupUsage: ["getUsage.1", "A page of the groups that were used, most checks first."],
  BatchResult: ["batchUserGroups.results[]", "The result for one group."],
  BatchAnswer: ["batchUserGroups", "The results, in the order of the request."],
  JobState: ["getJob.job.state", "The state of a job."],
  Job: ["getJob.job", "A job and its figures."],
  JobAnswer: ["getJob", "A job."],
  JobList: ["listJobs", "The jobs, newest first."],
  JobOutcome: ["listJobRows.rows[].outcome", "What a row would do (`create`), or did (`created`)."],
  JobRow: ["listJobRows.rows[]", "What a row of a job would do, or did."],
  JobRows: ["listJobRows", "A page of rows."],
  ViewerToken: ["mintViewerToken", "A viewer token, and when it expires."],
  ApiTokenValue: ["replaceApiToken", "A new value of the API token."],
  Revocation: [
    "listRevocations.revocations[]",
    "The lowest valid generation of a group's viewer tokens, or until when those of one person were revoked.",
  ],
  Revocations: ["listRevocations", "A part of the revocations."],
  ViewsEnded: ["endViews", "The answer when all views of a group were ended."],
  ViewerEnded: ["endViewer", "The answer when one person's views were ended."],
  AllowedOrigins: ["getAllowedOrigins", "Where dashboards of a group may be embedded."],
  ViewerSettingsAnswer: ["getViewerSettings", "The environment's viewer settings."],
  PropertyType: ["getDefinitions.definitions.properties{}.type", "The type of a property."],
  DefinitionsAnswer: ["getDefinitions", "The environment's definitions, with all members written out."],
  SuggestedDefinitions: ["suggestDefinitions", "The definitions, extended by what the newest groups suggest."],
  Findings: ["getFindings", "Findings in the groups, the most frequent first."],
  DeliveryState: ["testWebhook.delivery.state", "The state of a delivery."],
  Webhook: ["updateWebhook.webhook", "A webhook with the state of its deliveries."],
  WebhookList: ["listWebhooks", "The webhooks."],
  WebhookAnswer: ["updateWebhook", "A webhook."],
  WebhookSecret: ["createWebhook", "A webhook with its secret, which is shown only once."],
  AttemptError: ["testWebhook.delivery.attempts[].error.0", "Why an attempt failed."],
  Delivery: ["testWebhook.delivery", "What a webhook was sent."],
  DeliveryAnswer: ["testWebhook", "A delivery."],
  DeliveryList: ["listDeliveries", "A page of deliveries, newest first."],
  ReplayAnswer: ["replayWebhook", "The deliveries that are sent again."],
};

/** @type {Names} */
const BODIES = {
  GroupRequest: ["updateUserGroup", "The body of get-or-create and update."],
  GroupMerge: ["upsertUserGroup", "The body of upsert: in mapping and properties, null removes a member."],
  GroupPatch: ["mergeUserGroup", "The body of merge: in mapping and properties, null removes a member."],
  GroupRestoration: ["restoreUserGroup", "The body of a restoration."],
  BatchRequest: ["batchUserGroups", "The body of a batch: 1 to 500 groups, at most 4 MiB."],
  NewImport: ["createJob.0", "A file about to be sent."],
  ViewerTokenOptions: ["mintViewerToken", "What a viewer token says and how long it lives."],
  ViewerEnding: ["endViewer", "Whose views to end."],
  NewWebhook: ["createWebhook", "The body that creates a webhook."],
  WebhookChange: ["updateWebhook", "What to change of a webhook; an omitted member stays as it is."],
};

/** Bodies that a program reads, edits and sends back: their lists are mutable. @type {Names} */
const DOCUMENTS = {
  PropertyDefinition: ["setDefinitions.properties{}", "What a property must be."],
  SchemaDefinition: ["setDefinitions.schemas{}", "A schema that mappings may name."],
  DataSourceDefinition: ["setDefinitions.data_sources{}", "A data source that mappings may name."],
  Definitions: ["setDefinitions", "What every group of the environment must have; an omitted member is reset."],
  ClaimTemplate: ["setViewerSettings.templates{}", "A claim template: claims to add, and their audience."],
  ViewerSettings: ["setViewerSettings", "What an environment's viewer tokens contain; an omitted setting is reset."],
};

/** @type {Names} */
const QUERIES = {
  GroupSelection: ["exportUserGroups", "What a list and an export match; everything that is given must hold."],
  GroupListQuery: ["listUserGroups", "The query of a page of groups."],
  HistoryQuery: ["listUserGroupHistory", "The query of the history."],
  EventsQuery: ["listEvents", "The query of the feed."],
  DeletedQuery: ["listDeletedUserGroups", "The query of the deleted groups."],
  UsageQuery: ["getUsage", "The days of the use; by default the last 30."],
  GroupUsageQuery: ["getUsage", "The query of the groups that were used."],
  JobRowsQuery: ["listJobRows", "The query of a job's rows."],
  DeliveriesQuery: ["listDeliveries", "The query of a webhook's deliveries."],
};

/** Members that the client sets itself, or takes as an argument. @type {Record<string, string[]>} */
const LEFT_OUT = {
  ViewerTokenOptions: ["user_group_id", "token"],
  WebhookChange: ["webhook_id"],
  GroupSelection: ["format"],
  HistoryQuery: ["scope"],
  UsageQuery: ["by", "limit", "cursor"],
  GroupUsageQuery: ["by"],
  DeliveriesQuery: ["webhook_id"],
};

const HEAD = `// From docs/openapi.json, by openapi.mjs.

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** Who did something; \`id\` is a member's or an API token's. */
export interface Actor<Type extends string = "api_token" | "member" | "operator"> {
  type: Type;
  id: string | null;
  name: string;
}
`;

/** The type of `enum` in definitions, whose values the description leaves open. */
const ENUM = "(string | number | boolean)[] | null";

/** @type {Schema} */
const { paths, components } = withoutReferences(
  JSON.parse(readFileSync(path.join(FOLDER, "../../docs/openapi.json"), "utf8")),
);
/** @type {Record<string, Schema>} */
const calls = Object.fromEntries(
  Object.values(paths).flatMap((methods) => Object.values(methods).map((call) => [call.operationId, call])),
);
const bodyOf = (/** @type {string} */ id) => jsonOf(calls[id].requestBody);
/** The answers and parts of answers that have names. @param {Names} named */
export const findAnswers = (named) =>
  find(named, (id) => (id in calls ? jsonOf(calls[id].responses[200]) : components.schemas[id]));
/** Types that programs only send. */
export const inputs = [
  ...find(BODIES, bodyOf, "readonly "),
  ...find(QUERIES, (id) => queryOf(calls[id].parameters), "readonly "),
];
const types = [...findAnswers(ANSWERS), ...inputs, ...find(DOCUMENTS, bodyOf)];

/** The names of types, by their text without names and comments. @type {Map<string, string>} */
const names = new Map();
for (const { name, schema, list } of types) {
  const shape = print(schema, list);
  // Answers have every member of a definition.
  if (name in DOCUMENTS && !shape.includes("{", 1)) names.set(shape.replaceAll("?:", ":"), `Required<${name}>`);
  names.set(shape, name);
}
const texts = types.map(({ name, comment, schema, list }) => {
  const type = print(schema, list, true);
  return `\n${commented(comment)}export ${schema.properties ? `interface ${name} ${type}` : `type ${name} = ${type};`}\n`;
});
store(path.join(FOLDER, "src/openapi.ts"), HEAD + texts.join(""));

/** Writes only changes: another build may be reading the file. @param {string} file @param {string} text */
export function store(file, text) {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

/** Replaces references by their schemas, except those to any JSON. @param {Schema} api */
function withoutReferences(api) {
  const follow = (/** @type {string} */ _, /** @type {Schema} */ part) =>
    api.components.schemas[/^#\/components\/schemas\/(?!__)(.+)/.exec(part?.$ref)?.[1] ?? ""] ?? part;
  return JSON.parse(JSON.stringify(api), follow);
}

/**
 * The schemas of the named types. `list` goes before the type of a list.
 * @param {Names} named @param {(id: string) => Schema} rootOf
 */
function find(named, rootOf, list = "") {
  return Object.entries(named).map(([name, [place, comment]]) => {
    const [id = "", ...steps] = place.match(/[^.[\]{}]+|\[\]|\{\}/g) ?? [];
    const schema = structuredClone(steps.reduce(stepInto, rootOf(id)));
    for (const member of LEFT_OUT[name] ?? []) delete schema.properties[member];
    return { name, comment, list, schema };
  });
}

/** @param {Schema} schema @param {string} step @returns {Schema} */
function stepInto({ properties, items, additionalProperties, ...union }, step) {
  if (step === "[]") return items;
  if (step === "{}") return additionalProperties;
  return properties?.[step] ?? (union.anyOf ?? union.oneOf)[step];
}

/** @param {Schema} part */
function jsonOf({ content }) {
  return content["application/json"].schema;
}

/** The parameters of a query as an object. @param {Schema[]} parameters */
function queryOf(parameters) {
  const members = parameters.filter((one) => one.in === "query");
  return {
    required: members.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      members.map(({ name, schema, description }) => [
        name,
        // Programs also filter by the actions of later versions.
        { ...(name === "action" ? { items: { type: "string" } } : schema), description },
      ]),
    ),
  };
}

/**
 * Prints a schema as a type: with the names of types and comments, or in full.
 * @param {Schema} schema @param {string} list @returns {string}
 */
export function print(schema, list, hasNames = false) {
  const inner = (/** @type {Schema} */ part) =>
    (hasNames && names.get(print(part, list))) || print(part, list, hasNames);
  const { type, properties, items, additionalProperties } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((/** @type {string} */ value) => JSON.stringify(value)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf ?? (Array.isArray(type) && type.map((one) => ({ type: one })));
  if (union) return union.map(inner).join(" | ");
  if (items) {
    const item = inner(items);
    const isUnion = !items.properties && item.includes(" | ");
    return `${list}${isUnion ? `(${item})` : item}[]`;
  }
  if (properties) return printObject(schema, inner, hasNames);
  if (type === "object")
    return additionalProperties === true ? "JsonObject" : `Record<string, ${inner(additionalProperties)}>`;
  return type?.replace("integer", "number") ?? "JsonValue";
}

/** @param {Schema} schema @param {(part: Schema) => string} inner @param {boolean} hasComments */
function printObject({ properties, required = [] }, inner, hasComments) {
  if (Object.keys(properties).join() === "type,id,name") return `Actor<${inner(properties.type)}>`;
  const members = Object.entries(properties).map(([name, part]) => {
    const member = `${name}${required.includes(name) ? "" : "?"}: ${name === "enum" ? ENUM : inner(part)};\n`;
    return hasComments ? commented(part.description) + member : member;
  });
  return `{\n${members.join("")}}`;
}

/** A comment, with lines of at most 110 columns. @param {string} [text] */
function commented(text) {
  if (!text) return "";
  const lines = linesOf(text);
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`;
}

/** Breaks a text into lines of at most 110 columns. @param {string} text */
export function linesOf(text) {
  return (text.replaceAll("; repeat the parameter.", ".").match(/.{1,110}(?:\s|$)/g) ?? []).map((line) =>
    line.trimEnd(),
  );
}
