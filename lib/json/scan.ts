// Finds where values of a JSON text end, by character code: for texts with very many of them.

export const QUOTE = 34;
const COMMA = 44;
export const OPEN_LIST = 91;
export const CLOSE_LIST = 93;
export const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const TAB = 9;
export const LINE_FEED = 10;
export const RETURN = 13;
const SPACE = 32;

/**
 * The offset of the bracket that closes the object or list around a value, or, with `endsAtComma`, of a comma after the
 * value; the text's length if there is neither.
 */
export function endOfValue(text: string, from: number, endsAtComma: boolean): number {
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
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** The offset of the first character that is not white space. */
export function skipSpace(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return at;
  }
}
