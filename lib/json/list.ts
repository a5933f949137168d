import { anyJson } from "@/lib/json/any-json";
import { JsonError, NOT_CLOSED, parseMembers } from "@/lib/json/json";
import type { ShallowJson } from "@/lib/json/raw-json";
import {
  CLOSE_LIST,
  endOfString,
  endOfValue,
  LINE_FEED,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  RETURN,
  skipSpace,
} from "@/lib/json/scan";

/** An element of a list, as text. */
export interface Element {
  text: string;
  /** UTF-16 offset in the document */
  start: number;
}

/** The rest of a document around a list is larger than allowed. */
export class FrameError extends Error {
  constructor(readonly hasList: boolean) {
    super("what surrounds the list is too large");
  }
}

/** The list to split a document at. */
interface Wanted {
  /** the name of its member */
  name: string;
  /** the most elements to read */
  most: number;
  /** the most characters of the document outside the list: they are parsed in one turn */
  around: number;
}

/** A document split at one member that is a list. */
export interface ListDocument {
  /** its members, with an empty list in place of the list */
  members: Record<string, ShallowJson> | ShallowJson;
  /** undefined if the member is missing or not a list */
  elements: Element[] | undefined;
  /** whether the list has more elements than requested */
  hasMore: boolean;
}

interface Range {
  start: number;
  end: number;
}

/**
 * Splits a document into its members and the elements of one list, which stay text so that each can be parsed in its
 * own turn. Parsing all elements with {@link parseElement} completes the checks of parseMembers, except that depth
 * counts from the element.
 * @throws {JsonError} when the text around the elements is not I-JSON, {@link FrameError} when it is too large
 */
export function splitList(text: string, { name, most, around }: Wanted): ListDocument {
  const list = findList(text, name, around);
  const inner = list ? list.end - list.start : 0;
  if (text.length - inner > around) throw new FrameError(list !== undefined);
  if (!list) return { members: parseMembers(text), elements: undefined, hasMore: false };
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
  let [line, lineStart] = [1, 0];
  for (let at = 0; at < offset; at++) {
    const code = document.charCodeAt(at);
    if (code !== LINE_FEED && code !== RETURN) continue;
    if (code === RETURN && at + 1 < offset && document.charCodeAt(at + 1) === LINE_FEED) at++;
    line++;
    lineStart = at + 1;
  }
  return new JsonError(reason, { offset, length, line, column: offset - lineStart + 1 });
}

/**
 * The range between the brackets of the first list with this name that begins in the first `within` characters;
 * undefined if there is none, or the text is malformed.
 * @throws {JsonError} when a longer list is not closed
 */
function findList(text: string, name: string, within: number): Range | undefined {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return undefined;
  for (at = skipSpace(text, at + 1); at < within && text.charCodeAt(at) === QUOTE; at = skipSpace(text, at + 1)) {
    const end = endOfString(text, at);
    if (end > within) return undefined;
    const isIt = anyJson(text.slice(at, end)) === name;
    at = skipSpace(text, end);
    if (text[at] !== ":") return undefined;
    at = skipSpace(text, at + 1);
    if (isIt) {
      if (text.charCodeAt(at) !== OPEN_LIST) return undefined;
      const close = endOfValue(text, at + 1, false);
      if (text.charCodeAt(close) === CLOSE_LIST) return { start: at + 1, end: close };
      if (text.length <= within) return undefined;
      throw placed(text, close, new JsonError(NOT_CLOSED, { offset: close, length: 1, line: 1, column: 1 }));
    }
    at = endOfValue(text, at, true);
    if (text[at] !== ",") return undefined;
  }
  return undefined;
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
