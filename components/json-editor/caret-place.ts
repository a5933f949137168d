import { parse } from "jsonc-parser";
import type { Span } from "./rows";

/** What the caret of an object's text is in, and what a choice there replaces. */
interface Place extends Span {
  /** before the caret, without its quote */
  typed: string;
  /** the whole token, where there is one */
  token: string | undefined;
}

interface KeyPlace extends Place {
  part: "key";
  /** of the other members */
  keys: ReadonlySet<string>;
  hasColon: boolean;
  /** the end of a member before it that lacks its comma */
  commaAt: number | undefined;
  /** whether a member follows without a comma */
  isFollowed: boolean;
}

interface ValuePlace extends Place {
  /** an item is in the list of the member */
  part: "value" | "item";
  key: string;
}

/**
 * Where the caret is in the text of a JSON object that may be unfinished; undefined where its members have nothing to
 * choose.
 */
export function caretPlace(text: string, caret: number): KeyPlace | ValuePlace | undefined {
  const { tokens, own } = tokensAround(text, caret);
  const before = tokens.filter(({ from }) => from < (own?.from ?? caret));
  const after = tokens.slice(before.length + (own ? 1 : 0));
  const place: Place = {
    from: own?.from ?? caret,
    to: own?.to ?? caret,
    typed: own ? text.slice(own.from, caret).replace(/^"|"$/g, "") : "",
    token: own?.text,
  };
  const { opens, key, awaits } = readMembers(before);
  const previous = before.at(-1);
  const isNext = previous !== undefined && /^[{[,]$/.test(previous.text);
  if (opens === "{[" && isNext && key !== undefined) return { ...place, part: "item", key };
  if (opens !== "{") return undefined;
  if (awaits === "value") return key === undefined ? undefined : { ...place, part: "value", key };
  if (awaits === "colon") return undefined;
  const next = after[0]?.text;
  return {
    ...place,
    part: "key",
    hasColon: next === ":",
    keys: new Set(readMembers([...before, ...after]).keys),
    commaAt: isNext ? undefined : previous?.to,
    isFollowed: next !== undefined && !/^[:,}\]]$/.test(next),
  };
}

interface Token extends Span {
  text: string;
}

/** Brackets, separators, and what is between them: strings as far as their line goes, and words. */
const TOKENS = /[{}[\]:,]|"(?:[^"\\\r\n]|\\[^\r\n])*"?|[^\s{}[\]:,"]+/g;

function tokensOf(text: string, offset = 0): Token[] {
  return [...text.matchAll(TOKENS)].map(({ 0: text, index }) => {
    const from = offset + index;
    return { text, from, to: from + text.length };
  });
}

/** The tokens of a text, and the one that the caret is in or behind. */
function tokensAround(text: string, caret: number): { tokens: Token[]; own: Token | undefined } {
  const tokens = tokensOf(text);
  const index = tokens.findIndex(({ text, from, to }) => from < caret && caret <= to && !/^[{}[\]:,]$/.test(text));
  const own = tokens[index];
  if (!own) return { tokens, own };
  const next = tokens[index + 1]?.text;
  const isWhole = own.text[0] !== '"' || (isClosed(own.text) && (next === undefined || /^[:,}\]]$/.test(next)));
  if (isWhole) return { tokens, own };
  // A string that was just begun runs into what follows.
  const begun = { text: text.slice(own.from, caret), from: own.from, to: caret };
  return { tokens: [...tokens.slice(0, index), begun, ...tokensOf(text.slice(caret), caret)], own: begun };
}

/** Whether a token is a string with both quotes. */
export function isClosed(token: string): boolean {
  return token.length > 1 && token[0] === '"' && token.endsWith('"');
}

/** The keys of the outermost object, and where its tokens end: in which brackets, and with which member. */
function readMembers(tokens: Token[]) {
  const keys: string[] = [];
  let opens = "";
  let key: string | undefined;
  let awaits: "key" | "colon" | "value" = "key";
  for (const { text } of tokens) {
    const isOutermost = opens === "{";
    if (/^[{[]$/.test(text)) opens += text;
    else if (/^[}\]]$/.test(text)) opens = opens.slice(0, -1);
    if (!isOutermost) {
      // The end of a value.
      if (opens === "{") awaits = "key";
    } else if (text === ",") awaits = "key";
    else if (text === ":") {
      if (awaits === "colon" && key !== undefined) keys.push(key);
      awaits = "value";
    } else if (awaits === "value") awaits = "key";
    else if (isClosed(text)) {
      key = parse(text);
      awaits = "colon";
    }
  }
  return { keys, opens, key, awaits };
}
