import { conditionOf } from "@/lib/definitions/conditions";
import { type FindingKey, MEMBERS } from "@/lib/definitions/findings-schema";
import { type Definitions, NO_DEFINITIONS } from "@/lib/definitions/schema";
import { readDefinitions } from "@/lib/definitions/service";
import { type Filter, writeOperand } from "@/lib/groups/filter";
import type { GroupSelection } from "@/lib/groups/list-schema";

/** The columns that conditions use, of a row named g. */
interface Row {
  /** lower-case name */
  name: string;
  /** as jsonb */
  properties: string;
  /** makes a condition on `state` and `access_ends_at` of user_group */
  state(condition: string): string;
}

const USER_GROUP: Row = { name: "lower(name)", properties: "properties::jsonb", state: (condition) => condition };
const GROUP_SEARCH: Row = {
  name: "sort_name",
  properties: "properties",
  state: (condition) =>
    `EXISTS (SELECT FROM user_group u WHERE u.environment_id = $1 AND u.team_id = g.team_id AND ${condition})`,
};

/** A condition in equivalent SQL spellings; the first of their values is the environment. */
interface Condition {
  /** cheapest for a given row; the planner can estimate its matches */
  plain(values: unknown[], row: Row): string;
  /** on group_search in its index's form, if that is not the plain one */
  indexed?(values: unknown[]): string;
  /** for a given row, if that is not the plain one */
  atHand?(values: unknown[]): string;
}

/** All conditions of a list, in the same spellings. */
export interface Match {
  /** the conditions that an index finds; undefined without any */
  byIndex: Indexed | undefined;
  /** whether there are other conditions */
  isScanned: boolean;
  /** all conditions on user_group as g, cheapest for a given row */
  asCase(values: unknown[]): string;
}

/** Conditions on group_search as g. */
export interface Indexed {
  /** for the planner's estimates */
  plain(values: unknown[]): string;
  /** for indexes */
  indexed(values: unknown[]): string;
}

/** The conditions of a list; undefined without any. Findings use the current definitions. */
export async function matchOf(environmentId: number, selection: GroupSelection): Promise<Match | undefined> {
  const hasFinding = selection.filter.some(({ operator }) => operator === "finding");
  return matching(selection, hasFinding ? (await readDefinitions(environmentId)).document : NO_DEFINITIONS);
}

function matching(
  { search, filter, state, used, updated_since: since }: GroupSelection,
  definitions: Definitions,
): Match | undefined {
  const indexed: Condition[] = [
    ...(state === "suspended" || state === "ended" ? [isIn(STATE_CONDITIONS[state])] : []),
    // Most groups are active, so this condition narrows another index's matches but is useless for a look-up.
    ...(state === "active" && used !== "" ? [isIn(STATE_CONDITIONS.active)] : []),
    ...(since === undefined ? [] : [isUpdatedSince(since)]),
    ...(search === ""
      ? []
      : [anyOf(normalForms(search).map((term) => (hasTrigram(term) ? contains(term) : begins(term))))]),
    ...(used === "" ? [] : [isUsed(used)]),
    ...equalities(filter),
  ];
  const scanned: Condition[] = [
    ...(state === "active" && used === "" ? [isIn(STATE_CONDITIONS.active)] : []),
    ...comparisons(filter.filter((one): one is Comparison => one.operator !== "is" && one.operator !== "finding")),
    ...filter.flatMap((one) => (one.operator === "finding" ? [isFound(one.finding, definitions)] : [])),
  ];
  if (indexed.length + scanned.length === 0) return undefined;
  const all = (spell: (match: Condition) => string) => indexed.map((match) => `(${spell(match)})`).join(" AND ");
  return {
    byIndex:
      indexed.length === 0
        ? undefined
        : {
            plain: (values) => all((match) => match.plain(values, GROUP_SEARCH)),
            indexed: (values) => all((match) => match.indexed?.(values) ?? match.plain(values, GROUP_SEARCH)),
          },
    isScanned: scanned.length > 0,
    // CASE fixes the order: PostgreSQL underestimates the cost of reading properties, and would check them first.
    asCase: (values) =>
      [...indexed, ...scanned]
        .map((match) => `(${match.atHand?.(values) ?? match.plain(values, USER_GROUP)})`)
        .reduceRight((rest, one) => `CASE WHEN ${one} THEN ${rest} ELSE false END`),
  };
}

/** A suspended group is suspended whether its access has ended or not. Each state but the first has its own index. */
export const STATE_CONDITIONS = {
  active: "state = 'active' AND (access_ends_at IS NULL OR access_ends_at > now())",
  suspended: "state = 'suspended'",
  ended: "state <> 'suspended' AND access_ends_at <= now()",
};

function isIn(state: string): Condition {
  return { plain: (_, row) => row.state(state) };
}

function isUpdatedSince(time: string): Condition {
  return { plain: (values) => `g.updated_at >= $${values.push(time)}::timestamptz` };
}

/** A text as typed, composed and decomposed: names and ids are stored as sent. */
function normalForms(text: string): string[] {
  return [...new Set([text, text.normalize("NFC"), text.normalize("NFD")])];
}

function anyOf(conditions: Condition[]): Condition {
  const either = (spell: (condition: Condition) => string) => conditions.map((one) => `(${spell(one)})`).join(" OR ");
  return {
    plain: (values, row) => either((one) => one.plain(values, row)),
    indexed: (values) => either((one) => one.indexed?.(values) ?? one.plain(values, GROUP_SEARCH)),
  };
}

function contains(term: string): Condition {
  const plain = (values: unknown[], { name }: Row) => {
    const pattern = `lower($${values.push(`%${escapeLike(term)}%`)}::text)`;
    return `${name} LIKE ${pattern} OR lower(provided_id COLLATE "default") LIKE ${pattern}`;
  };
  return {
    plain,
    indexed(values) {
      const literal = `regexp_replace(to_search_text($${values.push(term)}), '([\\\\%_])', '\\\\\\1', 'g')`;
      // In a Turkish locale, I lowers to a letter beyond ASCII.
      const hasEscapes = /[^\0-\x7f]|I/.test(term);
      // A wildcard replaces an escape's backslash: pg_trgm would look up the digits after it, which many numbers match.
      const pattern = hasEscapes ? `regexp_replace(${literal}, '\\\\\\\\(?=\\d)', '%', 'g')` : literal;
      const candidates = `search_text LIKE '%' || ${pattern} || '%'`;
      // False matches: digits within escapes, escapes within numbers, the line end after a name.
      return hasEscapes || /[\d\n]/.test(term) ? `${candidates} AND (${plain(values, GROUP_SEARCH)})` : candidates;
    },
  };
}

/**
 * Without a trigram no index finds substrings, but user_group's sorted indexes find prefixes: of names in lower case,
 * of ids in each likely spelling.
 */
function begins(term: string): Condition {
  const upper = term.toUpperCase();
  const spellings = [...new Set([term, term.toLowerCase(), upper, upper.slice(0, 1) + term.slice(1).toLowerCase()])];
  const plain = (values: unknown[], row: Row) => {
    const name = `${row.name} COLLATE "C" LIKE lower($${values.push(`${escapeLike(term)}%`)}::text)`;
    const ids = spellings.map((id) => `provided_id LIKE $${values.push(`${escapeLike(id)}%`)}`);
    return [name, ...ids].join(" OR ");
  };
  return {
    plain,
    indexed: (values) =>
      `g.team_id IN (SELECT team_id FROM user_group WHERE environment_id = $1 AND (${plain(values, USER_GROUP)}))`,
  };
}

/** When a token was last used. A subquery for a given row, because EXISTS might collect all uses first. */
function isUsed(used: string): Condition {
  const when = (values: unknown[]) => {
    if (used === "never") return "last_used_at = '-infinity'";
    const days = Number(/\d+/.exec(used)?.[0]);
    const isWithin = used.startsWith("within");
    const recently = `last_used_at ${isWithin ? ">=" : "<"} now() - $${values.push(days)}::int * interval '1 day'`;
    return used.startsWith("idle") ? `${recently} AND last_used_at > '-infinity'` : recently;
  };
  const use = "FROM group_use u WHERE u.environment_id = $1 AND u.team_id = g.team_id";
  return {
    plain: (values) => `EXISTS (SELECT ${use} AND ${when(values)})`,
    atHand: (values) => `(SELECT ${when(values)} ${use})`,
  };
}

/** Groups with a finding, in a subquery that parses the properties or the mapping once. */
function isFound(finding: FindingKey, definitions: Definitions): Condition {
  const parsed = { properties: "coalesce(properties::jsonb, '{}') AS p", mapping: "mapping::json AS m" };
  const member = MEMBERS[finding.kind];
  return {
    plain(values) {
      const condition = conditionOf(finding, definitions, values);
      return member === null ? condition : `(SELECT ${condition} FROM (SELECT ${parsed[member]} OFFSET 0) AS parsed)`;
    },
  };
}

/**
 * Conditions on equal properties. Those with different names become one object to contain, so that the properties are
 * parsed once for all of them.
 */
function equalities(filters: Filter[]): Condition[] {
  const whole = new Map<string, string>();
  const others: Condition[] = [];
  for (const filter of filters) {
    if (filter.operator !== "is") continue;
    const { name } = filter;
    const value = writeOperand(filter.value);
    // Containing an object or a list is weaker than being equal to it.
    if (typeof filter.value === "object" && filter.value !== null) others.push(equals(name, value));
    else if (whole.has(name)) others.push(has(member(name, value)));
    else whole.set(name, value);
  }
  const members = [...whole].map(([name, value]) => member(name, value)).join(",");
  return [...(whole.size > 0 ? [has(members)] : []), ...others];
}

function member(name: string, text: string): string {
  return `${JSON.stringify(name)}:${text}`;
}

/** Groups with properties that contain these members. */
function has(members: string): Condition {
  return { plain: (values, row) => `${row.properties} @> $${values.push(`{${members}}`)}::jsonb` };
}

function equals(name: string, value: string): Condition {
  const { plain } = has(member(name, value));
  return {
    plain: (values, row) =>
      `${plain(values, row)} AND (${row.properties}) -> $${values.push(name)}::text = $${values.push(value)}::jsonb`,
  };
}

type Comparison = Exclude<Filter, { operator: "finding" }>;

/** Comparisons that no index answers, in a subquery that parses the properties once. */
function comparisons(filters: Comparison[]): Condition[] {
  if (filters.length === 0) return [];
  return [
    {
      plain: (values, { properties }) =>
        `(SELECT ${filters.map((filter) => comparison(filter, values)).join(" AND ")}
          FROM (SELECT coalesce(${properties}, '{}') AS p OFFSET 0) AS parsed)`,
    },
  ];
}

/** A condition on the properties p. */
function comparison(filter: Comparison, values: unknown[]): string {
  const name = `$${values.push(filter.name)}::text`;
  const { operator, value } = filter;
  const json = () => `$${values.push(writeOperand(value))}::jsonb`;
  const text = () => `$${values.push(value)}::text`;
  const ofKind = (kind: string, test: string) =>
    `CASE jsonb_typeof(p -> ${name}) WHEN '${kind}' THEN ${test} ELSE false END`;
  if (operator === "not") return `(p -> ${name}) IS DISTINCT FROM ${json()}`;
  if (operator === "contains") return ofKind("string", `strpos(p ->> ${name}, ${text()}) > 0`);
  const sign = operator === "gt" ? ">" : "<";
  // As jsonb, texts would be compared by the locale.
  if (typeof value === "string") return ofKind("string", `(p ->> ${name}) COLLATE "C" ${sign} ${text()}`);
  return ofKind("number", `(p -> ${name}) ${sign} ${json()}`);
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Whether pg_trgm can look up a substring: three letters or digits, or fewer at the beginning or end of a word. */
function hasTrigram(term: string): boolean {
  // Characters beyond ASCII are escaped to three digits or more.
  return /[a-z0-9]{3}|[^a-z0-9][a-z0-9]|[a-z0-9]{2}[^a-z0-9]|[^\0-\x7f]/i.test(term);
}
