import type { Variable } from "@/lib/definitions/schema";
import { type Token, tokensOf } from "@/lib/definitions/sql-tokens";
import type { FieldIssue } from "@/lib/errors";
import { RawJson } from "@/lib/json/raw-json";

/** A parameterised statement. */
export interface Preview {
  sql: string;
  /** in the order of their numbers */
  parameters: Variable[];
}

type Previewed = { value: Preview; issues?: undefined } | { value?: undefined; issues: FieldIssue[] };

const MOST_ISSUES = 10;
/** The longest text to write out in a suggestion. */
const MAX_SUGGESTED = 200;

const NULL = new RawJson("null", "scalar");
const ANY_PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const CONTINUES = /[\w$.'"`{}\u0080-\uFFFF]/;
/** Types that a constant may follow, as in `date '2026-11-30'`; a parameter may not. */
const TYPES = new Set(
  "date time timetz timestamp timestamptz interval numeric decimal integer int int4 int8 smallint bigint real float float8 precision boolean bool text varchar char json jsonb uuid inet cidr bytea money".split(
    " ",
  ),
);

/**
 * Makes a parameterised statement of a query with placeholders such as `{{user_group.plan}}`: the same name has one number,
 * and a value is never part of the query's text. A placeholder that is a whole text in single quotes replaces it.
 */
export function previewQuery(query: string, variables: Variable[]): Previewed {
  const known = new Map(variables.map((variable) => [variable.name, variable]));
  const numbers = new Map<string, number>();
  const issues: FieldIssue[] = [];
  let sql = "";
  let lastWord = "";
  for (const token of tokensOf(query)) {
    const text = query.slice(token.start, token.end);
    const name = nameOf(token, text);
    const fault = faultOf({ token, text, name, query, lastWord });
    if (fault !== undefined) issues.push({ path: ["sql"], message: `${placeIn(query, token.start)}: ${fault}` });
    if (issues.length === MOST_ISSUES) break;
    if (name === undefined) sql += text;
    else {
      const number = numbers.get(name) ?? numbers.size + 1;
      numbers.set(name, number);
      sql += `$${number}`;
    }
    if (token.kind !== "space" && token.kind !== "comment") lastWord = token.kind === "word" ? text.toLowerCase() : "";
  }
  if (issues.length > 0) return { issues };
  const parameters = [...numbers.keys()].map(
    (name): Variable => known.get(name) ?? { name, value: NULL, source: "missing" },
  );
  return { value: { sql, parameters } };
}

/** The property that a token becomes a parameter for. */
function nameOf({ kind }: Token, text: string): string | undefined {
  if (kind === "placeholder") return propertyIn(text.slice(2, -2));
  const [literal, content = ""] = (kind === "text" && /^'\{\{([^{}]*)\}\}'$/.exec(text)) || [];
  return literal === undefined ? undefined : propertyIn(content.replaceAll("''", "'"));
}

/** The property that a placeholder names, given what is in its braces. */
function propertyIn(inBraces: string): string | undefined {
  const [, name] = /^user_group\.(.+)$/s.exec(inBraces.trim()) ?? [];
  return name;
}

interface Found {
  token: Token;
  text: string;
  name: string | undefined;
  query: string;
  /** the word before it, without one in between */
  lastWord: string;
}

/** Why a token is refused, and what to write in its place. */
function faultOf({ token: { kind, start, end }, text, name, query, lastWord }: Found): string | undefined {
  if (kind === "not closed") return "the text, name or comment that begins here is not closed";
  if (kind === "parameter") return `${text} would be mixed up with the parameters of placeholders: write the value`;
  if (kind === "placeholder" && name === undefined) return `${text} is unknown: write {{user_group.NAME}}`;
  if (name !== undefined) {
    if (TYPES.has(lastWord)) return `a parameter cannot follow ${lastWord}: write ${castOf(text, lastWord)}`;
    if (CONTINUES.test((query[start - 1] ?? "") + (query[end] ?? ""))) {
      return `${text} touches what is next to it: a parameter is a value of its own, not a part of a name or number`;
    }
    return undefined;
  }
  const inside = placeholderIn(text);
  if (kind === "comment" || inside === undefined) return undefined;
  if (kind === "quoted name")
    return `${inside} is inside a quoted name: a parameter is a value and cannot name anything`;
  if (kind === "dollar text") return `${inside} is inside a $$ text: write it as 'text' || ${inside}`;
  return `${inside} is inside a text: write ${TYPES.has(lastWord) ? castOf(text, lastWord) : concatenation(text)}`;
}

/** The first placeholder for a property in a text. */
function placeholderIn(text: string): string | undefined {
  for (const [placeholder, inBraces = ""] of text.matchAll(ANY_PLACEHOLDER)) {
    if (propertyIn(inBraces) !== undefined) return placeholder;
  }
  return undefined;
}

/** The same text as an expression with the placeholders outside quotes. */
function concatenation(literal: string): string {
  const [, prefix = "", content] = /^([^']*)'(.*)'$/s.exec(literal) ?? [];
  if (content === undefined) return literal;
  if (literal.length > MAX_SUGGESTED) return "'text' || {{user_group.NAME}} || 'text'";
  const parts: string[] = [];
  let from = 0;
  const addText = (text: string) => text !== "" && parts.push(`${prefix}'${text}'`);
  for (const { 0: placeholder, 1: inBraces = "", index } of content.matchAll(ANY_PLACEHOLDER)) {
    if (propertyIn(inBraces) === undefined) continue;
    addText(content.slice(from, index));
    parts.push(placeholder);
    from = index + placeholder.length;
  }
  addText(content.slice(from));
  return parts.join(" || ");
}

function castOf(text: string, type: string): string {
  return `CAST(${concatenation(text)} AS ${type === "precision" ? "double precision" : type})`;
}

function placeIn(query: string, offset: number): string {
  const lines = query.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
