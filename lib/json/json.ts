import { printParseErrorCode, visit } from "jsonc-parser";
import { fitsNumeric, namesDouble } from "@/lib/json/exact-value";
import { excerpt } from "@/lib/json/excerpt";
import { isObject, RawJson, type ShallowJson } from "@/lib/json/raw-json";

/** The deepest accepted nesting, including the outermost value: deeper documents can be stored but not read back. */
export const MAX_DEPTH = 32;

/** A place in a text: UTF-16 offset and length, and line and column, counted from 1. */
export interface JsonPlace {
  offset: number;
  length: number;
  line: number;
  column: number;
}

/** A document that is not I-JSON (RFC 7493), with the place of the fault. */
export class JsonError extends Error {
  constructor(
    readonly reason: string,
    readonly place: JsonPlace,
  ) {
    super(`${reason}, at line ${place.line}, column ${place.column}`);
  }
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The fault of an unclosed list. */
export const NOT_CLOSED = "the array is not closed with ]";

/** The fault of text that is not a JSON token. */
export const UNEXPECTED_TOKEN = "unexpected token; names and strings need straight double quotes";
/** The fault of a number with more digits than a double has. */
export const UNSAFE_NUMBER = "many JSON readers would change this number: send it as a string";

const SYNTAX: Record<string, string> = {
  InvalidNumberFormat: "this is not a JSON number",
  PropertyNameExpected: "expected a member name in double quotes; no comma is allowed before a closing brace",
  ValueExpected: "expected a value; no comma is allowed before a closing bracket",
  ColonExpected: "expected a colon",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "the object is not closed with }",
  CloseBracketExpected: NOT_CLOSED,
  EndOfFileExpected: "unexpected text after the JSON document",
  InvalidCommentToken: "comments are not allowed in JSON",
  UnexpectedEndOfString: "the string is not closed",
  UnexpectedEndOfNumber: "the number is incomplete",
  InvalidUnicode: "\\u must be followed by four hexadecimal digits",
  InvalidEscapeCharacter: "invalid JSON escape",
  InvalidCharacter: "a control character in a string must be escaped",
};

/**
 * Parses a JSON document one level deep: an object's members, with each nested value kept as {@link RawJson}. A
 * document that is not an object is returned as is.
 * @throws {JsonError} when it is not I-JSON, nested deeper than 32 levels, or contains NUL or a number that JSON.parse
 * would change
 */
export function parseMembers(text: string): Record<string, ShallowJson> | ShallowJson {
  return parsePlain(text) ?? scanMembers(text, { outerDepth: 0, onError: raise });
}

/**
 * Parses a stored document like {@link parseMembers}, but also accepts what callers may not send: the history adds one
 * level.
 * @throws {JsonError} when it is not JSON
 */
export function readStoredMembers(text: string): Record<string, ShallowJson> {
  const members = parsePlain(text) ?? scanMembers(text, { outerDepth: -1, onError: () => undefined });
  return isObject(members) ? members : {};
}

function scanMembers(
  text: string,
  options: Pick<Scan, "outerDepth" | "onError">,
): Record<string, ShallowJson> | ShallowJson {
  const members: Record<string, ShallowJson> = {};
  const onMember = (name: string, value: ShallowJson) => {
    // An object without a prototype would make V8 take the slow path for every member.
    if (name === "__proto__") Object.defineProperty(members, name, { value, enumerable: true });
    else members[name] = value;
  };
  const whole = scan(text, { ...options, onMember });
  return whole instanceof RawJson && whole.kind === "object" ? members : whole;
}

/** Opens nested values, or escapes characters of a string. */
const NESTED_OR_ESCAPED = /[\\[{]/;

/**
 * An object of plain strings, without escapes: most requests are no more, and JSON.parse reads it in a tenth of the
 * time. Each string takes two quotes, so that a duplicate name shows as surplus quotes.
 */
function parsePlain(text: string): Record<string, string> | undefined {
  if (text[0] !== "{" || NESTED_OR_ESCAPED.test(text.slice(1)) || stringFault(text)) return undefined;
  let members: Record<string, unknown>;
  try {
    members = JSON.parse(text);
  } catch {
    // The full parser reports the place of the fault.
    return undefined;
  }
  const values = Object.values(members);
  const isPlain = values.every((value) => typeof value === "string");
  return isPlain && text.split('"').length - 1 === 4 * values.length ? (members as Record<string, string>) : undefined;
}

/**
 * Parses one JSON value that is, or becomes, a member of a document.
 * @throws {JsonError} like {@link parseMembers}
 */
export function parseValue(text: string): ShallowJson {
  return scan(text, { outerDepth: 1, onMember: () => undefined, onError: raise });
}

/**
 * Parses a value like {@link parseValue}, but collects all faults; of syntax one per line, as one fault causes others.
 * Only invalid syntax or excessive depth leaves the value undefined.
 */
export function checkValue(text: string): { value: ShallowJson | undefined; errors: JsonError[] } {
  const errors: JsonError[] = [];
  const broken = new Set<number>();
  const onError = (error: JsonError) => {
    errors.push(error);
  };
  const onSyntax = (error: JsonError) => {
    if (!broken.has(error.place.line)) errors.push(error);
    broken.add(error.place.line);
  };
  try {
    const value = scan(text, { outerDepth: 1, onMember: () => undefined, onError, onSyntax });
    return { value: broken.size > 0 ? undefined : value, errors };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { value: undefined, errors: broken.size > 0 ? errors : [...errors, error] };
  }
}

/** A JSON object or null without white space; undefined for any other text, and for faults. */
export function compactObject(text: string): string | undefined {
  const { value, errors } = checkValue(text);
  if (errors.length > 0) return undefined;
  if (value === null) return "null";
  return value instanceof RawJson && value.kind === "object" ? value.text : undefined;
}

interface Scan {
  outerDepth: number;
  onMember: (name: string, value: ShallowJson) => void;
  /** receives faults that do not stop parsing */
  onError: (error: JsonError) => void;
  /** receives invalid syntax, which otherwise stops parsing */
  onSyntax?: (error: JsonError) => void;
}

function scan(text: string, { outerDepth, onMember, onError, onSyntax = raise }: Scan): ShallowJson {
  const seen: Set<string>[] = [];
  const starts: number[] = [];
  let memberName = "";
  let whole: ShallowJson | undefined;
  // Without such an escape, every string is part of the text as is.
  const mayHoldFaults = text.includes("\\u") || stringFault(text) !== undefined;

  const value = (found: ShallowJson) => {
    if (starts.length === 0) whole = found;
    else if (starts.length === 1 && seen.length === 1) onMember(memberName, found);
  };
  const report = (reason: string | undefined, ...at: Position) => {
    if (reason !== undefined) onError(new JsonError(reason, place(...at)));
  };
  const open = (...at: Position) => {
    starts.push(at[0]);
    if (starts.length + outerDepth > MAX_DEPTH) {
      raise(new JsonError(`nesting is deeper than ${MAX_DEPTH} levels`, place(...at)));
    }
  };
  const close = (offset: number, kind: RawJson["kind"]) => {
    const start = starts.pop() ?? 0;
    if (starts.length < 2) value(new RawJson(compact(text.slice(start, offset + 1)), kind));
  };

  visit(
    text,
    {
      onObjectBegin(offset, length, line, column) {
        open(offset, length, line, column);
        seen.push(new Set());
      },
      onObjectProperty(name, offset, length, line, column) {
        const at: Position = [offset, length, line, column];
        if (mayHoldFaults) report(stringFault(name), ...at);
        const names = seen.at(-1);
        if (names?.has(name)) report(`duplicate member name ${quote(name)}`, ...at);
        names?.add(name);
        if (starts.length === 1) memberName = name;
      },
      onObjectEnd(offset) {
        seen.pop();
        close(offset, "object");
      },
      onArrayBegin: (offset, length, line, column) => open(offset, length, line, column),
      onArrayEnd: (offset) => close(offset, "array"),
      onLiteralValue(literal, offset, length, line, column) {
        const at: Position = [offset, length, line, column];
        if (mayHoldFaults && typeof literal === "string") report(stringFault(literal), ...at);
        if (typeof literal === "number") report(numberFault(text.slice(offset, offset + length), literal), ...at);
        value(literal);
      },
      onError: (code, ...at) =>
        onSyntax(
          new JsonError(
            text.startsWith(BYTE_ORDER_MARK)
              ? "it begins with a byte order mark (U+FEFF): send it without"
              : (SYNTAX[printParseErrorCode(code)] ?? UNEXPECTED_TOKEN),
            place(...at),
          ),
        ),
    },
    { disallowComments: true },
  );
  if (whole === undefined) throw new JsonError("expected a value", place(0, 0, 0, 0));
  return whole;
}

/** In jsonc-parser's form: line and column count from 0. */
type Position = [offset: number, length: number, line: number, column: number];

function place(...[offset, length, line, column]: Position): JsonPlace {
  return { offset, length, line: line + 1, column: column + 1 };
}

function raise(error: JsonError): never {
  throw error;
}

/** The 66 noncharacters. In Latin-1 text \p{Noncharacter_Code_Point} takes 150 times as long. */
const NONCHARACTER =
  /[\uFDD0-\uFDEF\uFFFE\uFFFF]|[\uD83F\uD87F\uD8BF\uD8FF\uD93F\uD97F\uD9BF\uD9FF\uDA3F\uDA7F\uDABF\uDAFF\uDB3F\uDB7F\uDBBF\uDBFF][\uDFFE\uDFFF]/;

/** The fault that RFC 7493 forbids in a string, or undefined. */
export function stringFault(value: string): string | undefined {
  if (value.includes("\0")) return "a NUL character (\\u0000) cannot be stored";
  if (!value.isWellFormed()) return "unpaired surrogate";
  const found = NONCHARACTER.exec(value)?.[0].codePointAt(0)?.toString(16).toUpperCase();
  return found && `U+${found} is a noncharacter, which I-JSON (RFC 7493) forbids`;
}

function numberFault(literal: string, value: number): string | undefined {
  if (literal.length <= 15 && !/[eE]/.test(literal)) return undefined;
  const isInteger = /^-?\d+$/.test(literal);
  const exact = isInteger ? Number.isSafeInteger(value) : namesDouble(literal, value) && fitsNumeric(literal);
  return exact ? undefined : UNSAFE_NUMBER;
}

function compact(text: string): string {
  return /\s/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1") : text;
}

function quote(name: string): string {
  return JSON.stringify(excerpt(name, 40));
}
