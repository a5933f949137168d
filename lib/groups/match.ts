import { invalidFields } from "@/lib/errors";
import { FilterError, type Condition as PropertyCondition, parseFilter } from "@/lib/groups/filter";
import type { GroupListQuery } from "@/lib/groups/schema";

/** The columns that conditions use, of a row named g. */
interface Row {
  /** lower-case name */
  name: string;
  /** as jsonb */
  properties: string;
}

const USER_GROUP: Row = { name: "lower(name)", properties: "properties::jsonb" };
const GROUP_SEARCH: Row = { name: "sort_name", properties: "properties" };

/** A condition in equivalent SQL spellings; of their values the first is the environment. */
interface Condition {
  /** cheapest for a given row; the planner can estimate its matches */
  plain(values: unknown[], row: Row): string;
  /** on group_search in its index's form, if not the plain one */
  indexed?(values: unknown[]): string;
  /** for a given row, if not the plain one */
  atHand?(values: unknown[]): string;
}

/** All conditions of a list, in the same spellings. */
export interface Match {
  /** on group_search as g, for the planner's estimates */
  plain(values: unknown[]): string;
  /** on group_search as g, for indexes */
  indexed(values: unknown[]): string;
  /** on user_group as g, cheapest for a given row */
  inTurn(values: unknown[]): string;
}

/**
 * The conditions of a list's search and filter; undefined without any.
 * @throws {AppError} `invalid_fields` for an invalid filter
 */
export function matching({
  search,
  filter,
  used,
}: Pick<GroupListQuery, "search" | "filter" | "used">): Match | undefined {
  const matches: Condition[] = [
    ...(search === "" ? [] : [hasTrigram(search) ? contains(search) : begins(search)]),
    ...(used === "" ? [] : [isUsed(used)]),
    ...properties(readFilter(filter)),
  ];
  if (matches.length === 0) return undefined;
  const all = (spell: (match: Condition) => string) => matches.map((match) => `(${spell(match)})`);
  return {
    plain: (values) => all((match) => match.plain(values, GROUP_SEARCH)).join(" AND "),
    indexed: (values) => all((match) => match.indexed?.(values) ?? match.plain(values, GROUP_SEARCH)).join(" AND "),
    // PostgreSQL underestimates the cost of reading properties, and would check them before the name.
    inTurn: (values) =>
      all((match) => match.atHand?.(values) ?? match.plain(values, USER_GROUP)).reduceRight(
        (rest, one) => `CASE WHEN ${one} THEN ${rest} ELSE false END`,
      ),
  };
}

function readFilter(filter: string): PropertyCondition[] {
  try {
    return parseFilter(filter);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw invalidFields([{ path: ["filter"], message: `${error.message} (at character ${error.offset + 1})` }]);
  }
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
      // In Turkish I lowers to a letter beyond ASCII.
      const hasEscapes = /[^\0-\x7f]|I/.test(term);
      // A wildcard replaces an escape's backslash: pg_trgm would look up the word after it, as in many numbers.
      const pattern = hasEscapes ? `regexp_replace(${literal}, '\\\\\\\\(?=\\d)', '%', 'g')` : literal;
      const candidates = `search_text LIKE '%' || ${pattern} || '%'`;
      // Digits also match in escapes, escapes in numbers, and a line end after a name.
      return hasEscapes || /[\d\n]/.test(term) ? `${candidates} AND (${plain(values, GROUP_SEARCH)})` : candidates;
    },
  };
}

/** Without a trigram no index finds substrings, but user_group's sorted indexes find prefixes; ids in each likely spelling. */
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
    return `last_used_at ${used.startsWith("not") ? "<" : ">="} now() - $${values.push(days)}::int * interval '1 day'`;
  };
  const use = "FROM group_use u WHERE u.environment_id = $1 AND u.team_id = g.team_id";
  return {
    plain: (values) => `EXISTS (SELECT ${use} AND ${when(values)})`,
    atHand: (values) => `(SELECT ${when(values)} ${use})`,
  };
}

/** Conditions with a single value become one object to contain, so that the text is parsed once for all of them. */
function properties(conditions: PropertyCondition[]): Condition[] {
  const single = new Map<string, string>();
  const others = conditions.filter(({ name, values: [text = "", ...more] }) => {
    if (more.length > 0 || single.has(name)) return true;
    single.set(name, text);
    return false;
  });
  const whole = [...single].map(([name, text]) => member(name, text)).join(",");
  return [
    ...(single.size > 0 ? [has([whole])] : []),
    ...others.map(({ name, values }) => has(values.map((text) => member(name, text)))),
  ];
}

function member(name: string, text: string): string {
  return `${JSON.stringify(name)}:${text}`;
}

/** Groups with properties that contain one of these objects. */
function has(objects: string[]): Condition {
  return {
    plain: (values, row) =>
      objects.map((members) => `${row.properties} @> $${values.push(`{${members}}`)}::jsonb`).join(" OR "),
  };
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Whether pg_trgm can look up a substring: three letters or digits, or fewer at the beginning or end of a word. */
function hasTrigram(term: string): boolean {
  // Characters beyond ASCII are escaped to three digits or more.
  return /[a-z0-9]{3}|[^a-z0-9][a-z0-9]|[a-z0-9]{2}[^a-z0-9]|[^\0-\x7f]/i.test(term);
}
