// The contract's rules for ids, names and bodies, implemented a second time: a test that used the service's own code
// would only compare it with itself.

const CONTROL = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const BLANK = "[\\s\\u0085\\u180E\\u200B-\\u200D\\u2060\\uFEFF]";
const BLANK_AT_AN_END = new RegExp(`^${BLANK}|${BLANK}$`);
/** A character of these general categories is visible, except these few letters and symbols. */
const DRAWN = /(?![\u115F\u1160\u3164\uFFA0\u2800\u{1D159}])[\p{L}\p{N}\p{P}\p{S}\p{Co}\p{Cn}]/gu;
const NEVER_DRAWN = /[\u2065\uFFF0-\uFFF8\u{E0000}-\u{E0FFF}]/u;
const NONCHARACTER = /\p{Noncharacter_Code_Point}/u;
const MAX_DEPTH = 32;

function isText(text: string): boolean {
  return text !== "" && [...text].length <= 255 && !CONTROL.test(text) && isStorable(text);
}

/** Whether a text may be the id of a group. */
export function isId(text: string): boolean {
  return isText(text) && !BLANK_AT_AN_END.test(text);
}

/** Whether a text may be the name of a group. */
export function isName(text: string): boolean {
  return isText(text) && (text.match(DRAWN) ?? []).some((character) => !NEVER_DRAWN.test(character));
}

/** The tokens of a JSON text; arbitrary parts of any other text. */
function tokensOf(text: string): string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
}

/** A JSON text without the white space between its tokens. */
export function compact(text: string): string {
  return tokensOf(text).join("");
}

/** The members of a JSON object, each value as compact JSON text. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let value = "";
  for (const token of tokensOf(text)) {
    if (depth === 1 && (token === "," || token === "}")) {
      if (name !== undefined) members.set(name, value);
      name = undefined;
      value = "";
    } else if (depth === 1 && name === undefined) name = JSON.parse(token);
    else if (depth > 1 || (depth === 1 && token !== ":")) value += token;
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
  }
  return members;
}

/** Why a text is not I-JSON that every reader interprets alike; undefined if it is. */
export function faultOf(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return String(error);
  }
  const tokens = tokensOf(text);
  let depth = 0;
  for (const token of tokens) {
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels`;
    if (/^-?\d+$/.test(token) && token !== "-0" && String(Math.trunc(safe(Number(token)))) !== token) return token;
    if (/^-?\d/.test(token) && !Number.isFinite(Number(token))) return token;
    if (token.startsWith('"') && !isStorable(JSON.parse(token))) return token;
  }
  // JSON.parse keeps one of two members with the same name.
  if (tokens.filter((token) => token === ":").length !== countMembers(value)) return "a member name stands twice";
  return undefined;
}

function safe(number: number): number {
  return Number.isSafeInteger(number) ? number : Number.NaN;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0") && !NONCHARACTER.test(text);
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, one) => sum + countMembers(one), own);
}
