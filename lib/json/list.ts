import { JsonError, parseMembers } from "@/lib/json/json";
import type { ShallowJson } from "@/lib/json/raw-json";

/** An element of a list, as text. */
export interface Element {
  text: string;
  /** UTF-16 offset in the document */
  start: number;
}

/** A document split at one member that is a list. */
export interface ListDocument {
  /** its members, with an empty list in the place of the list */
  members: Record<string, ShallowJson> | ShallowJson;
  /** undefined where the member is something else than a list, or missing */
  elements: Element[] | undefined;
  /** whether there are more than were asked for */
  hasMore: boolean;
}

interface Range {
  start: number;
  end: number;
}

/**
 * Splits a document into its members and the elements of one list in it, which are left as text: each can then be parsed in a turn of
 * its own. After parsing all elements with {@link parseElement}, the document is checked as by parseMembers; only depth counts
 * from the element.
 * @throws {JsonError} when what surrounds the elements is not I-JSON
 */
export function splitList(text: string, name: string, most: number): ListDocument {
  const list = findList(text, name);
  if (!list) return { members: parseMembers(text), elements: undefined, hasMore: false };
  const inner = list.end - list.start;
  let members: ListDocument["members"];
  try {
    members = parseMembers(text.slice(0, list.start) + text.slice(list.end));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { offset } = error.place;
    throw placed(text, offset < list.start ? offset : offset + inner, error);
  }
  const { elements, hasMore } = elementsOf(text, list, most);
  return { members, elements, hasMore };
}

/**
 * Parses an element like parseMembers.
 * @throws {JsonError} with the place in the document
 */
export function parseElement(document: string, { text, start }: Element): ListDocument["members"] {
  try {
    return parseMembers(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw placed(document, start + error.place.offset, error);
  }
}

/** The error, at this place of the document. */
function placed(document: string, offset: number, { reason, place: { length } }: JsonError): JsonError {
  const before = document.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  const line = before.split(/\r\n|\r|\n/).length;
  return new JsonError(reason, { offset, length, line, column: offset - lineStart + 1 });
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** JSON's white space. */
const SPACE = new Set([9, 10, 13, 32]);

/** What is between the brackets of the first member with this name; undefined if there is none, or the text is malformed. */
function findList(text: string, name: string): Range | undefined {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return undefined;
  for (at = skipSpace(text, at + 1); text.charCodeAt(at) === QUOTE; at = skipSpace(text, at + 1)) {
    const end = endOfString(text, at);
    const isIt = nameOf(text.slice(at, end)) === name;
    at = skipSpace(text, end);
    if (text[at] !== ":") return undefined;
    at = skipSpace(text, at + 1);
    if (isIt) {
      if (text.charCodeAt(at) !== OPEN_LIST) return undefined;
      const close = endOfValue(text, at + 1, false);
      return text.charCodeAt(close) === CLOSE_LIST ? { start: at + 1, end: close } : undefined;
    }
    at = endOfValue(text, at, true);
    if (text.charCodeAt(at) !== COMMA) return undefined;
  }
  return undefined;
}

function nameOf(literal: string): unknown {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

function elementsOf(text: string, { start, end }: Range, most: number): { elements: Element[]; hasMore: boolean } {
  const elements: Element[] = [];
  if (skipSpace(text, start) === end) return { elements, hasMore: false };
  for (let at = start; at <= end; ) {
    if (elements.length === most) return { elements, hasMore: true };
    const from = skipSpace(text, at);
    const to = endOfValue(text, from, true);
    elements.push({ text: text.slice(from, to), start: from });
    at = to + 1;
  }
  return { elements, hasMore: false };
}

/** The offset of the bracket that closes what surrounds a value, or of a comma after it; the text's length without one. */
function endOfValue(text: string, from: number, endsAtComma: boolean): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 0) return at;
      depth--;
    } else if (code === COMMA && depth === 0 && endsAtComma) return at;
  }
  return text.length;
}

/** The offset after a string's closing quote. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (SPACE.has(text.charCodeAt(at))) at++;
  return at;
}
