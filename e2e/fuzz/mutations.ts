import fc from "fast-check";

/** Changes a text, with a character per byte, somewhere (`at` is within it) and somehow. */
type Mutator = (text: string, at: number, pick: number) => string;

const bytes = (text: string) => Buffer.from(text).toString("latin1");

const TOKENS = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "null",
  "true",
  "NaN",
  "-",
  "0",
  "1e",
  "'",
  "/*",
  "//",
  "&",
  "=",
  "%",
  "+",
  "\\u0000",
  "\\ud800",
  "\\udc00",
  "\\u00e9",
  "\\x41",
  "\\/",
  "%00",
  "%ff",
  "%ED%A0%80",
  "\0",
  "\n",
  "\t",
  "\v",
  "\r\n",
  ...[
    "\uFEFF",
    "\u00A0",
    "\u202E",
    "\u200B",
    "é",
    "😀",
    '"__proto__":',
    '"user_group_id":',
    '"name"',
    "[[[[",
    "}}",
  ].map(bytes),
];
const IN_STRINGS = [
  "\\u0000",
  "\\ud800",
  "\\udc00",
  "\\u202e",
  "\\x41",
  "\\/",
  "\\n",
  "\\ud83d\\ude00",
  "\0",
  "\n",
  "%00",
  "+",
];
const NOT_UTF8 = [
  "\xff",
  "\xc0\xaf",
  "\xed\xa0\x80",
  "\xe9",
  "\xf5\x80\x80\x80",
  "\xe2\x82",
  "\xf4\x90\x80\x80",
  "\x80",
];
const NUMBERS = [
  "9007199254740993",
  "-9007199254740992",
  "1e400",
  "-1e400",
  "1e-400",
  "1e200000",
  "0.1234567890123456789012345678901",
  "-0",
  "1.10",
  "1E+2",
  "01",
  "1.",
  ".5",
  "+1",
  "0x10",
  "1_000",
  "Infinity",
  "9007199254740991",
  "1e21",
  "123456789012345678",
];
const TYPES = ["null", "true", "42", '""', '"x"', "[]", "{}", '[{"a":1}]', '" "'];
const LEVELS = [1, 2, 5, 28, 29, 30, 31, 32, 64, 5_000];
const UNKNOWN = ["isAdmin", "team_id", "token", "propertes", "__proto__", "constructor", "api_environment_tag", ""];

const VALUE = /(?<=[:[,][ \r\n\t]*)("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/g;
const NAME = /"(?:[^"\\]|\\.)*"\s*:/g;

const choose = <T>(from: readonly T[], pick: number) => from[pick % from.length] as T;
const insert = (text: string, at: number, piece: string) => text.slice(0, at) + piece + text.slice(at);
const replace = (text: string, match: RegExpExecArray | undefined, piece: (found: string) => string) =>
  match ? text.slice(0, match.index) + piece(match[0]) + text.slice(match.index + match[0].length) : text;
/** The first match of the pattern at or after `at`; otherwise the last. */
const near = (text: string, pattern: RegExp, at: number) => {
  const found = [...text.matchAll(pattern)];
  return found.find(({ index }) => index >= at) ?? found.at(-1);
};
const wrap = (value: string, levels: number, isArray: boolean) =>
  (isArray ? "[" : '{"a":').repeat(levels) + value + (isArray ? "]" : "}").repeat(levels);

const MUTATORS = {
  "a flipped bit": (text, at, pick) =>
    text.slice(0, at) + String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << (pick % 8))) + text.slice(at + 1),
  "cut short": (text, at) => text.slice(0, at),
  "a piece left out": (text, at, pick) => text.slice(0, at) + text.slice(at + 1 + (pick % 16)),
  "a token put in": (text, at, pick) => insert(text, at, choose(TOKENS, pick)),
  "bytes that are not UTF-8": (text, at, pick) => insert(text, at, choose(NOT_UTF8, pick)),
  "a member twice": (text, at, pick) =>
    replace(text, near(text, NAME, at), (name) => `${name}${choose(TYPES, pick)},${name}`),
  "a character escaped": (text, at, pick) =>
    replace(text, near(text, /[a-z_]/g, at), (letter) => {
      const hex = letter.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${pick % 2 ? hex : hex.toUpperCase()}`;
    }),
  "an escape put in": (text, at, pick) =>
    replace(text, near(text, /[a-z_]/g, at), (letter) => letter + choose(IN_STRINGS, pick)),
  "another number": (text, at, pick) => replace(text, near(text, VALUE, at), () => choose(NUMBERS, pick)),
  "another type": (text, at, pick) => replace(text, near(text, VALUE, at), () => choose(TYPES, pick)),
  "nested deeper": (text, at, pick) =>
    replace(text, near(text, VALUE, at), (value) => wrap(value, choose(LEVELS, pick), pick % 2 === 0)),
  "an unknown member": (text, at, pick) =>
    replace(text, near(text, /\{/g, at), () => `{"${choose(UNKNOWN, pick)}":${choose(TYPES, at)},`),
  "two in one": (text) => text + text,
  "in UTF-16": (text) => Buffer.from(Buffer.from(text, "latin1").toString(), "utf16le").toString("latin1"),
} satisfies Record<string, Mutator>;

export interface Mutation {
  name: keyof typeof MUTATORS;
  at: number;
  pick: number;
}

/** One mutation of a text in transit. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  name: fc.constantFrom(...(Object.keys(MUTATORS) as (keyof typeof MUTATORS)[])),
  at: fc.nat(),
  pick: fc.nat(),
});

/** Applies them in order. */
export function mutate(text: string, mutations: readonly Mutation[]): string {
  return mutations.reduce((was, { name, at, pick }) => MUTATORS[name](was, at % (was.length + 1), pick), text);
}
