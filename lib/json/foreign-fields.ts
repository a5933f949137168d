/** Other names of our fields: of our own answers, and of Explo's calls for customers and user groups. */
const RENAMED = new Map([
  ["provided_id", "user_group_id"],
  ["group_id", "user_group_id"],
  ["customer_id", "user_group_id"],
  ["end_user_group_id", "user_group_id"],
  ["token", "current_token"],
  ["customer_token", "current_token"],
  ["user_group_token", "current_token"],
  ["parent_schema_datasource_mapping", "mapping"],
  ["computed_parent_schema_datasource_mapping", "mapping"],
  ["computed_properties", "properties"],
  ["attributes", "properties"],
]);

const PARENTS = "groups have no parents: send each group its whole mapping and properties";
const ENVIRONMENT = "the API token's environment takes its place";
const PEOPLE = "people are not stored: put what your dashboards need into properties";

/** Fields of Explo's calls, and of our answers, that no call takes, each with what to use. */
const ABSENT = new Map([
  ["is_demo_group", "keep demo groups in a Testing environment, with an API token of it"],
  ["email", PEOPLE],
  ["emails", PEOPLE],
  ["permissions", PEOPLE],
  ["group_tags", "put tags into properties; lists can filter by them"],
  ["group_tag_ids", "put tags into properties; lists can filter by them"],
  ["access_group", ENVIRONMENT],
  ["access_groups", ENVIRONMENT],
  ["access_group_id", ENVIRONMENT],
  ["api_environment_tag", ENVIRONMENT],
  ["environment", ENVIRONMENT],
  ["hierarchy_level", PARENTS],
  ["hierarchy_level_name", PARENTS],
  ["parent_provided_id", PARENTS],
  ["new_provided_id", "an id cannot change: create a user group with the new one"],
  ["team_id", "the group is named by user_group_id"],
]);

/** What to send instead of a field of another API, or of one of ours in camel case; undefined when we do not know it. */
export function adviceOnField(key: string, known: readonly string[]): string | undefined {
  const name = toSnakeCase(key);
  if (known.includes(name)) return `is not a known field (did you mean ${name}?)`;
  const ours = RENAMED.get(name);
  if (ours && known.includes(ours)) return `is not a known field: it is called ${ours} here`;
  const instead = ABSENT.get(name);
  if (instead && known.includes("user_group_id")) return `is not a known field: ${instead}`;
  return undefined;
}

function toSnakeCase(key: string): string {
  return key.length <= 100 ? key.replace(/(?<=[a-z0-9])[A-Z]+/g, (capitals) => `_${capitals}`).toLowerCase() : key;
}
