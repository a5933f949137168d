import { checkValue, type JsonPlace } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";

/** What the text of a JSON field may be. */
export interface JsonRules {
  /** A blank text is refused. */
  required?: boolean | undefined;
  /** The text may be `null`. */
  nullable?: boolean | undefined;
  /** The most bytes of UTF-8, white space between tokens not counted; 64 KiB unless told. */
  maxBytes?: number | undefined;
}

/** What is wrong with a JSON text, and where, if it is wrong at a place. */
export interface JsonProblem {
  message: string;
  place?: JsonPlace;
}

/** All that keeps a text from being taken as the JSON object of a field, by the same reader as the server's; none if it is one. */
export function findProblems(text: string, { required, nullable, maxBytes = 65_536 }: JsonRules = {}): JsonProblem[] {
  if (isBlank(text)) return required ? [{ message: "must not be empty" }] : [];
  const { value, errors } = checkValue(text);
  const problems: JsonProblem[] = errors.map(({ reason, place }) => ({ message: reason, place }));
  if (value === undefined || (value === null && nullable)) return problems;
  if (!(value instanceof RawJson) || value.kind !== "object") {
    const message = nullable ? "must be a JSON object or null" : "must be a JSON object";
    return [{ message, place: placeOfWhole(text) }, ...problems];
  }
  if (new TextEncoder().encode(value.text).length > maxBytes) {
    problems.push({ message: `must have at most ${maxBytes / 1024} KiB` });
  }
  return problems;
}

/** Whether there is nothing but JSON's white space. */
export function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

/** A problem as a sentence, with its line where it has one. */
export function describeProblem({ message, place }: JsonProblem): string {
  return place ? `Line ${place.line}: ${message}` : capitalize(message);
}

/** The text with its first letter in upper case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function placeOfWhole(text: string): JsonPlace {
  const offset = text.length - text.trimStart().length;
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return {
    offset,
    length: text.trim().length,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
  };
}
