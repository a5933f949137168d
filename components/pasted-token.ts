const PREFIX = /ug(?:t|a_live|a_test)_/i;

/** Whether a text seems to hold one of our tokens or most of it: by prefix, or by a length that no hex hash has. */
export function holdsToken(text: string): boolean {
  return PREFIX.test(text) || /(?<![0-9A-Za-z])[0-9A-Za-z]{41,49}(?![0-9A-Za-z])/.test(text);
}

/** The complete user group token in a text, if any. */
export function tokenIn(text: string): string | undefined {
  return /ugt_[0-9A-Za-z]{49}(?![0-9A-Za-z])/.exec(text)?.[0];
}
