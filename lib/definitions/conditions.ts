import { type FindingKey, type GROUP_FINDING_KINDS, MEMBERS, UNUSED_DAYS } from "@/lib/definitions/findings-schema";
import {
  type DataSource,
  type Definitions,
  type PropertyDefinition,
  sourcesByName,
  type ValueFindingKind,
} from "@/lib/definitions/schema";
import { isListType, itemTypeOf, type PropertyType } from "@/lib/definitions/value-types";

// Findings as SQL conditions on a row `g` of user_group in environment $1. They must agree with check.ts.

/** Adds a value to the statement's, and returns its parameter. */
type Add = (value: unknown) => string;

/**
 * The SQL condition of groups with a finding; adds its values. A property's condition reads the properties as jsonb,
 * `p`; a mapping's reads the mapping as json, `m`, which keeps a number's spelling.
 */
export function conditionOf({ kind, name }: FindingKey, definitions: Definitions, values: unknown[]): string {
  const add: Add = (value) => `$${values.push(value)}`;
  const member = MEMBERS[kind];
  if (member === null) return OF_GROUPS[kind as keyof typeof OF_GROUPS];
  if (member === "mapping") return mappingCondition({ kind, name }, definitions, add);
  return propertyCondition({ kind, name }, definitions, add);
}

const LONG_AGO = `now() - interval '${UNUSED_DAYS} days'`;

/** Scalar subqueries: for EXISTS, PostgreSQL might collect all rows first. */
const OF_GROUPS = {
  unused: `g.created_at < ${LONG_AGO}
    AND (SELECT u.last_used_at < ${LONG_AGO} FROM group_use u WHERE u.environment_id = $1 AND u.team_id = g.team_id)`,
  // user_group_sort_name_idx
  same_name: `(SELECT true FROM user_group o
    WHERE o.environment_id = $1 AND lower(o.name) COLLATE "C" = lower(g.name) COLLATE "C"
      AND o.team_id <> g.team_id LIMIT 1)`,
  // If two ids look alike, at least one differs from its skeleton: user_group_id_skeleton_idx has only those.
  look_alike_id: `coalesce((SELECT true FROM user_group o
    WHERE o.environment_id = $1 AND id_skeleton(o.provided_id) = id_skeleton(g.provided_id)
      AND id_skeleton(o.provided_id) <> o.provided_id AND o.team_id <> g.team_id LIMIT 1),
    id_skeleton(g.provided_id) <> g.provided_id AND (SELECT true FROM user_group o
      WHERE o.environment_id = $1 AND o.provided_id = id_skeleton(g.provided_id)))`,
} satisfies Record<(typeof GROUP_FINDING_KINDS)[number], string>;

function propertyCondition({ kind, name }: FindingKey, { properties, ...rest }: Definitions, add: Add): string {
  const defined = rest.enforcement === "off" ? {} : properties;
  if (name === null) return `jsonb_strip_nulls(p - ${add(Object.keys(defined))}::text[]) <> '{}'`;
  const property = Object.hasOwn(defined, name) ? defined[name] : undefined;
  // PostgreSQL refuses values that a statement does not use.
  if (kind === "unknown_property" && property) return "false";
  if (kind === "wrong_type" && !property) return "false";
  if (kind === "not_in_enum" && !property?.enum) return "false";
  const value = `(p -> ${add(name)}::text)`;
  const type = `coalesce(jsonb_typeof(${value}), 'null')`;
  if (!property || kind === "missing") return `${type} ${kind === "missing" ? "=" : "<>"} 'null'`;
  const hasType = typeCondition(property.type, value);
  const test =
    kind === "wrong_type" ? `NOT (${hasType})` : `${hasType} AND NOT (${enumCondition(property, value, add)})`;
  return `CASE WHEN ${type} <> 'null' THEN ${test} ELSE false END`;
}

/** Calendar days from the year 1, as in isDay. */
const DAY =
  "^(?!0000)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)" +
  "|02-(0[1-9]|1[0-9]|2[0-8]))" +
  "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$";

/** Whether a jsonb value has a type; never null. */
function typeCondition(type: PropertyType, value: string): string {
  if (isListType(type)) {
    const item = typeCondition(itemTypeOf(type), "i");
    const all = `NOT EXISTS (SELECT FROM jsonb_array_elements(${value}) AS e(i) WHERE NOT (${item}))`;
    return `CASE jsonb_typeof(${value}) WHEN 'array' THEN ${all} ELSE false END`;
  }
  switch (type) {
    case "any":
      return "true";
    case "integer":
      return `CASE jsonb_typeof(${value}) WHEN 'number' THEN trunc((${value})::numeric) = (${value})::numeric
        ELSE false END`;
    case "date":
      return `CASE jsonb_typeof(${value}) WHEN 'string' THEN ${value} #>> '{}' ~ '${DAY}' ELSE false END`;
    default:
      return `jsonb_typeof(${value}) = '${type}'`;
  }
}

/** Whether a value of the type is in the enum; for a list, whether all its items are. */
function enumCondition({ type, enum: allowed }: PropertyDefinition, value: string, add: Add): string {
  const list = isListType(type) ? value : `jsonb_build_array(${value})`;
  return `${list} <@ ${add(`[${(allowed ?? []).map(({ text }) => text).join(",")}]`)}::jsonb`;
}

function mappingCondition({ kind, name }: FindingKey, definitions: Definitions, add: Add): string {
  const isOff = definitions.enforcement === "off";
  const schemas = isOff ? [] : Object.keys(definitions.schemas);
  const sources = isOff ? [] : [...sourcesByName(definitions.data_sources)];
  if (name === null) {
    const wrong = mappedWrongly(
      kind as ValueFindingKind,
      { schemas, sources },
      { key: "e.key", value: "e.value", add },
    );
    return `EXISTS (SELECT FROM json_each_text(m) AS e WHERE e.value IS NOT NULL AND ${wrong})`;
  }
  const key = `${add(name)}::text`;
  const value = `(m ->> ${key})`;
  if (kind === "missing_schema") return `${value} IS NULL`;
  const isWrong = mappedWrongly(kind as ValueFindingKind, { schemas, sources }, { key, value, add });
  return `(${value} IS NOT NULL AND ${isWrong})`;
}

interface Known {
  schemas: string[];
  sources: [id: string, source: DataSource][];
}

/** Whether mapping a schema to a data source, both as text, contradicts the definitions. */
function mappedWrongly(
  kind: ValueFindingKind,
  { schemas, sources }: Known,
  { key, value, add }: { key: string; value: string; add: Add },
): string {
  if ((kind === "unknown_schema" ? schemas : sources).length === 0) return "false";
  const isKnown = schemas.length === 0 ? "true" : `${key} = ANY (${add(schemas)}::text[])`;
  if (kind === "unknown_schema") return `NOT ${isKnown}`;
  if (kind === "unknown_data_source") {
    return `${isKnown} AND NOT ${value} = ANY (${add(sources.map(([id]) => id))}::text[])`;
  }
  const pairs = sources.flatMap(([id, { schemas: fitting }]) => fitting.map((schema) => ({ id, schema })));
  const restricted = `${value} = ANY (${add(pairs.map(({ id }) => id))}::text[])`;
  const [names, ids] = [add(pairs.map(({ schema }) => schema)), add(pairs.map(({ id }) => id))];
  const fits = `(${key}, ${value}) IN (SELECT * FROM unnest(${names}::text[], ${ids}::text[]))`;
  return `${isKnown} AND ${restricted} AND NOT ${fits}`;
}
