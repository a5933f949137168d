/** Placeholder for the group's current token, which the program reads. */
export const CURRENT_TOKEN = Symbol("the current token");

/** The data of a snippet: JSON, or a placeholder for the current token. */
export type Value = null | boolean | number | string | typeof CURRENT_TOKEN | Value[] | { [name: string]: Value };

/** Whether a program reads the current token for its body. */
export function hasCurrentToken(value: Value | undefined): boolean {
  if (value === CURRENT_TOKEN) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasCurrentToken);
}

/** A language's notation for values. */
export interface Notation {
  string: (text: string) => string;
  /** a member's name, unless it is a string */
  name?: (name: string) => string;
  words: { null: string; true: string; false: string };
  currentToken: string;
  indent: string;
  /** whether a one-line object has spaces inside its braces */
  padded: boolean;
  /** whether the last of several lines ends in a comma */
  trailingComma: boolean;
}

/** The most characters of a one-line value. */
const WIDTH = 72;

/** Formats a value in the language; lines after the first are indented by `depth`. */
export function literal(value: Value, notation: Notation, depth = 0): string {
  const { words, string, name: nameOf = string } = notation;
  if (value === CURRENT_TOKEN) return notation.currentToken;
  if (value === null) return words.null;
  if (typeof value === "boolean") return value ? words.true : words.false;
  if (typeof value === "number") return JSON.stringify(value);
  if (typeof value === "string") return string(value);
  const isArray = Array.isArray(value);
  const [open = "", close = ""] = isArray ? "[]" : "{}";
  const parts = isArray
    ? value.map((one) => literal(one, notation, depth + 1))
    : Object.entries(value).map(([name, one]) => `${nameOf(name)}: ${literal(one, notation, depth + 1)}`);
  if (parts.length === 0) return open + close;
  const inside = parts.join(", ");
  if (inside.length <= WIDTH && !inside.includes("\n")) {
    return notation.padded && !isArray ? `${open} ${inside} ${close}` : open + inside + close;
  }
  const begin = `\n${notation.indent.repeat(depth + 1)}`;
  const end = `${notation.trailingComma ? "," : ""}\n${notation.indent.repeat(depth)}`;
  return open + begin + parts.join(`,${begin}`) + end + close;
}

/** Characters that are invisible or misleading in a program: controls, direction marks, line separators. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A code point in hexadecimal, with this many digits. */
export function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** JSON text with all unseen characters escaped. */
export const jsonLiteral: Notation = {
  string: (text) =>
    JSON.stringify(text).replace(UNSEEN, (character) =>
      Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(""),
    ),
  words: { null: "null", true: "true", false: "false" },
  currentToken: "",
  indent: "  ",
  padded: false,
  trailingComma: false,
};
