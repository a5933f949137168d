import { readCondition, writeCondition } from "@/components/groups/condition";

/** One condition on a top-level property, as in `plan = pro`. */
export interface Condition {
  name: string;
  /** as JSON text: an unquoted number, true, false or null is that; all else is a string */
  value: string;
}

const QUOTED = /^"(?:[^"\\]|\\.)*"/;
/** Words that are JSON literals too; a number's digits are within what JavaScript reads exactly. */
const LITERAL = /^(?:true|false|null|(?=.{1,16}$)-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?)$/;

/** An invalid filter: the position, counted from 0, and what is expected there. */
export class FilterError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/**
 * Parses a filter as URLs of 0.9.0 have it: conditions on properties, separated by commas, all of which must hold. A word with a comma, an equals
 * sign or outer spaces needs JSON's double quotes; a quoted value is always a string.
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
    const { value: name } = word("=", "expected a property name, as in plan = pro");
    if (text[offset] !== "=") throw new FilterError("expected = and a value, as in plan = pro", offset);
    offset++;
    const { value, quoted } = word(",", "expected a value, as in plan = pro");
    conditions.push({ name, value: !quoted && LITERAL.test(value) ? value : JSON.stringify(value) });
    if (offset < text.length && text[offset] !== ",") throw new FilterError("expected a comma", offset);
    offset++;
  }
  return conditions;
}

function unquote(quoted: string, offset: number): string {
  try {
    const value: string = JSON.parse(quoted);
    if (value.isWellFormed() && !value.includes("\0")) return value;
  } catch {
    // Reported below, like other faults.
  }
  throw new FilterError("invalid JSON string", offset);
}

/** Filters of an older URL in today's form; undefined if they are, or if one cannot be read, for the API to say why. */
export function renewFilters(filters: string[]): string[] | undefined {
  if (filters.every(readCondition)) return undefined;
  try {
    return filters.flatMap((filter) =>
      readCondition(filter)
        ? [filter]
        : parseFilter(filter).map((condition) => writeCondition({ ...condition, operator: "is" })),
    );
  } catch {
    return undefined;
  }
}
