// Fields of Explo's customer and user group API, which callers bring along (docs/coming-from-explo.md).
const ID = "is user_group_id here";
const MAPPING = "is a member of mapping here: schema ids to data source ids";
const TOKEN = "is current_token here";
const PROPERTY = "is not a field here: keep it in properties";
const HINTS: Record<string, string> = {
  ...{ provided_id: ID, customer_id: ID, end_user_group_id: ID, group_id: ID, customer_provided_id: ID },
  ...{ data_source_id: MAPPING, data_source_provided_id: MAPPING, parent_schema_datasource_mapping: "is mapping here" },
  is_demo_group: "is not a field here: use an environment tagged Testing, or keep it in properties",
  ...{ emails: PROPERTY, group_tags: PROPERTY, access_group: PROPERTY, access_groups: PROPERTY, permissions: PROPERTY },
  ...{ email: PROPERTY, hierarchy_level: PROPERTY, hierarchy_level_name: PROPERTY, parent_provided_id: PROPERTY },
  ...{ customer_token: TOKEN, user_group_token: TOKEN, attributes: "is properties here" },
  ...{ computed_properties: "is properties here", computed_parent_schema_datasource_mapping: "is mapping here" },
  new_provided_id: "is not a field here: a user_group_id cannot change",
};

/** What to send in place of an unknown field of another API; undefined for any other. The field meant must be one of those known. */
export function movedField(key: string, known: readonly string[]): string | undefined {
  const snake = key.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
  if (snake !== key && known.includes(snake)) return `is ${snake} here`;
  const hint = Object.hasOwn(HINTS, snake) ? HINTS[snake] : undefined;
  const meant = hint && ["user_group_id", "mapping", "properties", "current_token"].find((name) => hint.includes(name));
  return meant !== undefined && known.includes(meant) ? hint : undefined;
}
