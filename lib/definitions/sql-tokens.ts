// Divides a query as PostgreSQL does, as far as it matters for where a placeholder may be.

type TokenKind =
  | "space"
  | "comment"
  | "text"
  | "quoted name"
  | "dollar text"
  | "word"
  | "parameter"
  | "placeholder"
  | "other"
  | "not closed";

/** A part of a query; the parts together are the query. */
export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
}

const WORD_START = "A-Za-z_\\u0080-\\uFFFF";
/** One of them matches at any place. The first of those that do counts. */
const PATTERNS: [TokenKind, RegExp][] = [
  ["space", /\s+/y],
  ["comment", /--[^\r\n]*/y],
  ["placeholder", /\{\{[^{}]*\}\}/y],
  ["parameter", /\$\d+/y],
  // Digits too: 1e5 is one token, and a placeholder next to it would become part of it.
  ["word", new RegExp(`[0-9][0-9${WORD_START}]*|[${WORD_START}][0-9${WORD_START}$]*`, "y")],
  ["other", /./sy],
];
const DOLLAR_QUOTE = new RegExp(`\\$(?:[${WORD_START}][0-9${WORD_START}]*)?\\$`, "y");
/** The quote of a text with or without a prefix, or of a name. */
const QUOTE = /(?:[EeNnBbXx]|[Uu]&)?'|(?:[Uu]&)?"|`/y;
const BLOCK_COMMENT_EDGE = /\/\*|\*\//g;

/** The tokens of a query. */
export function* tokensOf(sql: string): Generator<Token> {
  for (let start = 0; start < sql.length; ) {
    const [kind, end] = quotedAt(sql, start) ?? plainAt(sql, start);
    yield { kind, start, end };
    start = end;
  }
}

function quotedAt(sql: string, start: number): [TokenKind, number] | undefined {
  if (sql.startsWith("/*", start)) return closed("comment", endOfBlockComment(sql, start), sql);
  const dollar = matchAt(DOLLAR_QUOTE, sql, start);
  if (dollar !== undefined) {
    const end = sql.indexOf(dollar, start + dollar.length);
    return closed("dollar text", end < 0 ? undefined : end + dollar.length, sql);
  }
  const opening = matchAt(QUOTE, sql, start);
  const quote = opening?.at(-1);
  if (opening === undefined || quote === undefined) return undefined;
  const escapes = /^e/i.test(opening);
  return closed(quote === "'" ? "text" : "quoted name", endOfQuoted(sql, start + opening.length, quote, escapes), sql);
}

function plainAt(sql: string, start: number): [TokenKind, number] {
  for (const [kind, pattern] of PATTERNS) {
    const found = matchAt(pattern, sql, start);
    if (found !== undefined) return [kind, start + found.length];
  }
  throw new Error("the last pattern matches any character");
}

function closed(kind: TokenKind, end: number | undefined, sql: string): [TokenKind, number] {
  return end === undefined ? ["not closed", sql.length] : [kind, end];
}

function matchAt(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0];
}

/** The offset after the closing quote; one that is doubled, or escaped by a backslash where that has a meaning, closes nothing. */
function endOfQuoted(sql: string, from: number, quote: string, escapes: boolean): number | undefined {
  for (let at = from; at < sql.length; at++) {
    if (escapes && sql[at] === "\\") at++;
    else if (sql[at] === quote && sql[at + 1] !== quote) return at + 1;
    else if (sql[at] === quote) at++;
  }
  return undefined;
}

/** Comments of this kind can be nested. */
function endOfBlockComment(sql: string, start: number): number | undefined {
  let depth = 0;
  BLOCK_COMMENT_EDGE.lastIndex = start;
  for (let edge = BLOCK_COMMENT_EDGE.exec(sql); edge; edge = BLOCK_COMMENT_EDGE.exec(sql)) {
    depth += edge[0] === "/*" ? 1 : -1;
    if (depth === 0) return edge.index + 2;
  }
  return undefined;
}
