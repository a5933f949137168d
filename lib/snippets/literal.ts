/** In the place of a value: what the program reads the group's current token from. */
export const CURRENT_TOKEN = Symbol("the current token");

/** What a snippet sends: JSON, or a place for the current token. */
export type Value = null | boolean | number | string | typeof CURRENT_TOKEN | Value[] | { [name: string]: Value };

/** How a language writes values down. */
export interface Notation {
  string: (text: string) => string;
  /** a member, its value written already */
  member: (name: string, value: string) => string;
  object: (names: string[]) => { open: string; close: string };
  array: { open: string; close: string };
  words: { null: string; true: string; false: string };
  currentToken: string;
  indent: string;
  /** whether an object in one line has spaces inside its braces */
  padded: boolean;
  /** whether a comma ends the last of several lines */
  trailingComma: boolean;
}

/** The most characters a value has in one line. */
const WIDTH = 72;

/** Writes a value as the language does; the lines after the first begin at this depth. */
export function literal(value: Value, notation: Notation, depth = 0): string {
  const { words } = notation;
  if (value === CURRENT_TOKEN) return notation.currentToken;
  if (value === null) return words.null;
  if (typeof value === "boolean") return value ? words.true : words.false;
  if (typeof value === "number") return JSON.stringify(value);
  if (typeof value === "string") return notation.string(value);
  const isArray = Array.isArray(value);
  const { open, close } = isArray ? notation.array : notation.object(Object.keys(value));
  const parts = isArray
    ? value.map((one) => literal(one, notation, depth + 1))
    : Object.entries(value).map(([name, one]) => notation.member(name, literal(one, notation, depth + 1)));
  if (parts.length === 0) return open + close;
  const inside = parts.join(", ");
  if (inside.length <= WIDTH && !inside.includes("\n")) {
    return notation.padded && !isArray ? `${open} ${inside} ${close}` : open + inside + close;
  }
  const begin = `\n${notation.indent.repeat(depth + 1)}`;
  const end = `${notation.trailingComma ? "," : ""}\n${notation.indent.repeat(depth)}`;
  return open + begin + parts.join(`,${begin}`) + end + close;
}

/** What nobody sees in a program, or sees as something else: controls, marks of direction, separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const SHORT = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * A string in double quotes, as most languages have it, with an escape for all that is unseen.
 * @param special what else this language takes for more than itself between quotes; a backslash goes before it
 */
export function quoteDouble(text: string, escapeCode: (code: number) => string, special = /(?!)/g): string {
  const quoted = text.replace(/["\\]/g, "\\$&").replace(special, "\\$&");
  return `"${quoted.replace(UNSEEN, (one) => SHORT.get(one) ?? escapeCode(one.codePointAt(0) ?? 0))}"`;
}

/** A code point as so many hexadecimal digits. */
export function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** JSON text that shows all there is in it. */
export const jsonLiteral: Notation = {
  string: (text) =>
    JSON.stringify(text).replace(UNSEEN, (character) =>
      Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(""),
    ),
  member: (name, value) => `${jsonLiteral.string(name)}: ${value}`,
  object: () => ({ open: "{", close: "}" }),
  array: { open: "[", close: "]" },
  words: { null: "null", true: "true", false: "false" },
  currentToken: "",
  indent: "  ",
  padded: false,
  trailingComma: false,
};
