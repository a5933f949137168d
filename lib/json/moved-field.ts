// Fields of Explo's customer and user group API, which callers bring along (docs/coming-from-explo.md).

/** The field to send instead, which must be one that the call knows, and how to say so. */
type Hint = [field: string, words: string];

const ID: Hint = ["user_group_id", "send user_group_id"];
const MAPPING: Hint = ["mapping", "send mapping"];
const DATA_SOURCE: Hint = ["mapping", "send it as a member of mapping, which maps schema ids to data source ids"];
const PROPERTY: Hint = ["properties", "keep it in properties"];
const DEMO: Hint = ["properties", "use an environment tagged Testing, or keep it in properties"];
const TOKEN: Hint = ["current_token", "send current_token"];

const HINTS: Record<string, Hint> = {
  ...{ provided_id: ID, customer_id: ID, end_user_group_id: ID, group_id: ID, customer_provided_id: ID },
  ...{ data_source_id: DATA_SOURCE, data_source_provided_id: DATA_SOURCE, parent_schema_datasource_mapping: MAPPING },
  ...{ emails: PROPERTY, group_tags: PROPERTY, access_group: PROPERTY, access_groups: PROPERTY, permissions: PROPERTY },
  ...{ hierarchy_level: PROPERTY, parent_provided_id: PROPERTY, is_demo_group: DEMO },
  ...{ customer_token: TOKEN, user_group_token: TOKEN },
};

/** What to do in place of sending a field of another API, in snake or camel case; undefined for any other. */
export function movedField(key: string, known: readonly string[]): string | undefined {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const [field, words] = (Object.hasOwn(HINTS, snake) && HINTS[snake]) || [];
  return field !== undefined && known.includes(field) ? words : undefined;
}
