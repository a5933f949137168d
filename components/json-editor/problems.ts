import { checkValue, type JsonError, type JsonPlace, UNEXPECTED_TOKEN, UNSAFE_NUMBER } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";

export interface JsonRules {
  /** Refuses blank text. */
  required?: boolean | undefined;
  /** The text may be `null`. */
  nullable?: boolean | undefined;
  /** In bytes of UTF-8, without white space between tokens; 64 KiB by default. */
  maxBytes?: number | undefined;
}

/** A problem with a JSON text, and its place if known. */
export interface JsonProblem {
  /** in lower case, unless it has no place */
  message: string;
  place?: JsonPlace;
  /** false if the text can be saved despite it */
  isRefused?: boolean;
}

/** All reasons to reject a field's text, by the parser that the server uses too. */
export function findProblems(text: string, { required, nullable, maxBytes = 65_536 }: JsonRules = {}): JsonProblem[] {
  if (isBlank(text)) return required ? [{ message: "Must not be empty" }] : [];
  const { value, errors } = checkValue(text);
  const problems: JsonProblem[] = errors.map((error) => ({ message: faultInWords(error), place: error.place }));
  if (value === undefined || (value === null && nullable)) return problems;
  if (!(value instanceof RawJson) || value.kind !== "object") {
    const message = nullable ? "must be a JSON object or null" : "must be a JSON object";
    return [{ message, place: placeOf(text, text.length - text.trimStart().length, text.trim().length) }, ...problems];
  }
  if (new TextEncoder().encode(value.text).length > maxBytes) {
    problems.push({ message: `Must have at most ${maxBytes / 1024} KiB` });
  }
  return problems;
}

/** Words for people typing, in place of those for programmers. */
const WORDS: Record<string, string> = {
  [UNSAFE_NUMBER]: "too large or too precise for most JSON readers: put it in quotes",
  [UNEXPECTED_TOKEN]: "put names and text in double quotes",
};

/** An error in words for people typing. */
export const faultInWords = ({ reason }: JsonError) => WORDS[reason] ?? reason;

/** Whether there is only JSON white space. */
export function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

/** A problem in words, with its line if it has one. */
export function describeProblem({ message, place }: JsonProblem): string {
  return place ? `Line ${place.line}: ${message}` : message;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The place of a part of a text. */
export function placeOf(text: string, offset: number, length: number): JsonPlace {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { offset, length, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
