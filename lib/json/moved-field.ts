// Fields of other calls, and of Explo's customer and user group API, that callers may send by mistake
// (docs/coming-from-explo.md).

/** The field to send instead, which must be one that the call knows, and how to say so. */
type Hint = [field: string, words: string];

const ID: Hint = ["user_group_id", "send user_group_id"];
const MAPPING: Hint = ["mapping", "send mapping"];
const DATA_SOURCE: Hint = ["mapping", "send it as a member of mapping, which maps schema ids to data source ids"];
const PROPERTIES: Hint = ["properties", "send properties"];
const PROPERTY: Hint = ["properties", "keep it in properties"];
const DEMO: Hint = ["properties", "use an environment tagged Testing, or keep it in properties"];
const NEW_ID: Hint = ["user_group_id", "send new_user_group_id with PATCH /api/user"];
const END: Hint = ["user_group_id", "set it with PATCH /api/user"];
const TOKEN: Hint = ["current_token", "send current_token"];

const HINTS: Record<string, Hint> = {
  provided_id: ID,
  customer_id: ID,
  end_user_group_id: ID,
  group_id: ID,
  customer_provided_id: ID,
  data_source_id: DATA_SOURCE,
  data_source_provided_id: DATA_SOURCE,
  parent_schema_datasource_mapping: MAPPING,
  emails: PROPERTY,
  group_tags: PROPERTY,
  tags: PROPERTY,
  access_group: PROPERTY,
  access_groups: PROPERTY,
  permissions: PROPERTY,
  email: PROPERTY,
  hierarchy_level: PROPERTY,
  hierarchy_level_name: PROPERTY,
  parent_provided_id: PROPERTY,
  customer_token: TOKEN,
  user_group_token: TOKEN,
  access_ends_at: END,
  is_demo_group: DEMO,
  new_provided_id: NEW_ID,
  attributes: PROPERTIES,
  computed_properties: PROPERTIES,
  computed_parent_schema_datasource_mapping: MAPPING,
};

/** What to do instead of sending another API's field, in snake or camel case; undefined for any other field. */
export function movedField(key: string, known: readonly string[]): string | undefined {
  const snake = key.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
  const [field, words] = (Object.hasOwn(HINTS, snake) && HINTS[snake]) || [];
  return field !== undefined && known.includes(field) ? words : undefined;
}
