/** Operators of conditions on a property, in the API's words, and how they are shown. */
export const OPERATORS = [
  { value: "is", label: "is" },
  { value: "not", label: "is not" },
  { value: "contains", label: "contains" },
  { value: "gt", label: ">" },
  { value: "lt", label: "<" },
  { value: "missing", label: "is missing" },
] as const;
export type Operator = (typeof OPERATORS)[number]["value"];

/** A condition on a top-level property, written `plan:is:"pro"` in URLs and in the API. */
export interface PropertyCondition {
  name: string;
  operator: Operator;
  /** JSON text; empty with `missing` */
  value: string;
}

const QUOTED = /^"(?:[^"\\]|\\.)*"/;
/** The first match ends the name. */
const OPERATION = /:(?:(is|not|contains|gt|lt):|(missing)$)/;
/** JSON literals, with numbers limited to the digits that JavaScript reads exactly. */
const LITERAL = /^(?:true|false|null|(?=.{1,16}$)-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?)$/;

/** Parses a condition; undefined if malformed. */
export function readCondition(text: string): PropertyCondition | undefined {
  const quoted = QUOTED.exec(text)?.[0];
  const rest = text.slice(quoted?.length ?? 0);
  const found = OPERATION.exec(rest);
  if (!found || (quoted !== undefined && found.index > 0)) return undefined;
  const operator = (found[1] ?? found[2]) as Operator;
  const value = rest.slice(found.index + found[0].length);
  try {
    const name = quoted === undefined ? rest.slice(0, found.index) : String(JSON.parse(quoted));
    if (operator !== "missing") JSON.parse(value);
    return { name, operator, value };
  } catch {
    return undefined;
  }
}

export function writeCondition({ name, operator, value }: PropertyCondition): string {
  const written = /^"|:|^$/.test(name) ? JSON.stringify(name) : name;
  return operator === "missing" ? `${written}:missing` : `${written}:${operator}:${value}`;
}

/** The words of a condition, as on its chip. */
export function wordsOf({ name, operator, value }: PropertyCondition): Record<keyof PropertyCondition, string> {
  const word = OPERATORS.find((one) => one.value === operator)?.label ?? operator;
  return { name, operator: word, value: plainText(value) };
}

/** A JSON string without its quotes, which are noise on a screen; any other value as it is. */
export function plainText(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : json;
  } catch {
    // Truncated.
    return json.replace(/^"/, "");
  }
}

/** Typed text as JSON text: a number, true, false or null unless quoted, else a string. */
export function typedValue(typed: string, operator: Operator = "is"): string {
  const text = typed.trim();
  if (QUOTED.exec(text)?.[0] === text) return text;
  return operator !== "contains" && LITERAL.test(text) ? text : JSON.stringify(text);
}

/** The text to type for a value: {@link typedValue} turns it back into the value. */
export function asTyped(json: string, operator: Operator = "is"): string {
  const text = plainText(json);
  return typedValue(text, operator) === json ? text : json;
}
