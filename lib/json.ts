import { printParseErrorCode, visit } from "jsonc-parser";

/** The deepest nesting accepted, counted from the outermost value: deeper documents can be stored but not read again. */
const MAX_DEPTH = 32;

/** A JSON object or array kept as the text it came in, less the white space between its tokens. */
export class RawJson {
  constructor(
    readonly text: string,
    readonly kind: "object" | "array",
  ) {}
}

/** What a member of a JSON object can be once nested values are kept as text. */
export type ShallowJson = string | number | boolean | null | RawJson;

/** A document that is not I-JSON (RFC 7493), with the place where that shows; lines and columns count from 1. */
export class JsonError extends Error {
  constructor(
    readonly reason: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`${reason}, at line ${line}, column ${column}`);
  }
}

const SYNTAX: Record<string, string> = {
  InvalidNumberFormat: "this is not a JSON number",
  PropertyNameExpected: "a member name in double quotes is expected here, and no comma before a closing brace",
  ValueExpected: "a value is expected here, and no comma before a closing bracket",
  ColonExpected: "a colon is expected here",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "the object is not closed with }",
  CloseBracketExpected: "the array is not closed with ]",
  EndOfFileExpected: "there is more after the end of the JSON document",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfString: "the string is not closed",
  UnexpectedEndOfNumber: "the number is not complete",
  InvalidUnicode: "\\u must be followed by four hexadecimal digits",
  InvalidEscapeCharacter: "this escape is not one of JSON's",
  InvalidCharacter: "a control character in a string must be escaped",
};

/**
 * Reads a JSON document one level deep: an object's members, each nested value kept as {@link RawJson}.
 * A document that is no object comes back as what it is.
 * @throws {JsonError} when it is not I-JSON, nested deeper than 32 levels, or holds a NUL or a number that JSON.parse would change
 */
export function parseMembers(text: string): Record<string, ShallowJson> | ShallowJson {
  const members: Record<string, ShallowJson> = Object.create(null);
  const whole = scan(text, 0, (name, value) => {
    members[name] = value;
  });
  return whole instanceof RawJson && whole.kind === "object" ? members : whole;
}

/**
 * Reads one JSON value that stands, or will stand, as a member of a document.
 * @throws {JsonError} as {@link parseMembers} does
 */
export function parseValue(text: string): ShallowJson {
  return scan(text, 1, () => undefined);
}

/** Writes a value as JSON, each {@link RawJson} in it as the text it holds; members that are undefined are left out. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${writeJson(member)}`;
  }
  return `{${text}}`;
}

function scan(text: string, outerDepth: number, onMember: (name: string, value: ShallowJson) => void): ShallowJson {
  const seen: Set<string>[] = [];
  const starts: number[] = [];
  let memberName = "";
  let whole: ShallowJson | undefined;

  const value = (found: ShallowJson) => {
    if (starts.length === 0) whole = found;
    else if (starts.length === 1 && seen.length === 1) onMember(memberName, found);
  };
  const open = (offset: number, line: number, column: number) => {
    starts.push(offset);
    if (starts.length + outerDepth > MAX_DEPTH) fail(`nesting is deeper than ${MAX_DEPTH} levels`, line, column);
  };
  const close = (offset: number, kind: RawJson["kind"]) => {
    const start = starts.pop() ?? 0;
    if (starts.length < 2) value(new RawJson(compact(text.slice(start, offset + 1)), kind));
  };

  visit(
    text,
    {
      onObjectBegin(offset, _length, line, column) {
        open(offset, line, column);
        seen.push(new Set());
      },
      onObjectProperty(name, _offset, _length, line, column) {
        checkString(name, line, column);
        const names = seen.at(-1);
        if (names?.has(name)) fail(`the member name ${quote(name)} stands twice in one object`, line, column);
        names?.add(name);
        if (starts.length === 1) memberName = name;
      },
      onObjectEnd(offset) {
        seen.pop();
        close(offset, "object");
      },
      onArrayBegin: open,
      onArrayEnd: (offset) => close(offset, "array"),
      onLiteralValue(literal, offset, length, line, column) {
        if (typeof literal === "string") checkString(literal, line, column);
        if (typeof literal === "number") checkNumber(text.slice(offset, offset + length), literal, line, column);
        value(literal);
      },
      onError: (code, _offset, _length, line, column) =>
        fail(
          SYNTAX[printParseErrorCode(code)] ?? "this is not JSON, whose names and strings take double quotes",
          line,
          column,
        ),
    },
    { disallowComments: true },
  );
  if (whole === undefined) fail("a value is expected here", 0, 0);
  return whole;
}

function fail(reason: string, line: number, column: number): never {
  throw new JsonError(reason, line + 1, column + 1);
}

function checkString(value: string, line: number, column: number) {
  if (value.includes("\0")) fail("a NUL character (\\u0000) cannot be stored", line, column);
  if (!value.isWellFormed()) fail("a surrogate stands without its other half", line, column);
}

function checkNumber(literal: string, value: number, line: number, column: number) {
  if (literal.length <= 15 && !/[eE]/.test(literal)) return;
  const isInteger = /^-?\d+$/.test(literal);
  const exact = isInteger ? Number.isSafeInteger(value) : decimal(literal) === decimal(String(value));
  if (!exact) fail("many JSON readers would change this number: send it as a string", line, column);
}

/** The decimal value of a number's text in one spelling: its significant digits and the power of ten of the last. */
function decimal(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  // Looks behind so that each run of zeros is tried once, not once for every zero in it: that would take minutes.
  const significant = digits.replace(/(?<!0)0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

function compact(text: string): string {
  return /\s/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1") : text;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
