/** One condition on a top-level property, as in `plan = pro`. */
export interface Condition {
  name: string;
  /** the JSON texts it may have: `10` is the string as well as the number, unless it is quoted */
  values: string[];
}

const MAX_CONDITIONS = 5;
const QUOTED = /^"(?:[^"\\]|\\.)*"/;
/** Literals that are JSON beside being words; a number's length keeps it within what the database can compare. */
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d{0,19})(?:\.\d{1,20})?)$/;

/** A filter that cannot be read: where that shows, counted from 0, and what is expected there. */
export class FilterError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/**
 * Reads a filter: conditions on properties, separated by commas, all of which hold. What has a comma, an equals sign or
 * outer spaces stands in JSON's double quotes; a quoted value is a string and nothing else.
 * @throws {FilterError}
 */
export function parseFilter(text: string): Condition[] {
  const conditions: Condition[] = [];
  let offset = 0;
  const word = (end: string, expected: string) => {
    offset += text.slice(offset).search(/\S|$/);
    const rest = text.slice(offset);
    const quoted = QUOTED.exec(rest)?.[0];
    const raw = quoted ?? rest.slice(0, rest.includes(end) ? rest.indexOf(end) : undefined);
    if (raw.trim() === "" || (!quoted && raw.startsWith('"'))) throw new FilterError(expected, offset);
    const value = quoted ? unquote(quoted, offset) : raw.trim();
    offset += raw.length;
    offset += text.slice(offset).search(/\S|$/);
    return { value, quoted: quoted !== undefined };
  };
  while (offset < text.length) {
    const { value: name } = word("=", "the name of a property is expected, as in plan = pro");
    if (text[offset] !== "=") throw new FilterError("= and a value are expected, as in plan = pro", offset);
    offset++;
    const { value, quoted } = word(",", "a value is expected, as in plan = pro");
    conditions.push({ name, values: [JSON.stringify(value), ...(!quoted && LITERAL.test(value) ? [value] : [])] });
    if (conditions.length > MAX_CONDITIONS) throw new FilterError(`at most ${MAX_CONDITIONS} conditions`, offset);
    if (offset < text.length && text[offset] !== ",") throw new FilterError("a comma is expected", offset);
    offset++;
  }
  return conditions;
}

function unquote(quoted: string, offset: number): string {
  try {
    const value: string = JSON.parse(quoted);
    if (value.isWellFormed() && !value.includes("\0")) return value;
  } catch {
    // Told below, like the rest.
  }
  throw new FilterError("this is not a string of JSON", offset);
}
