const PREFIX = /ug(?:t|a_live|a_test)_/i;

/**
 * Whether a text holds what looks like one of our tokens, whole or being typed: by its first letters, or by a run of
 * letters and digits as long as hardly anything else has.
 */
export function holdsToken(text: string): boolean {
  return PREFIX.test(text) || /[0-9A-Za-z]{40}/.test(text);
}

/** As {@link holdsToken}, where long values of other kinds are common, such as hashes. */
export function holdsWholeToken(text: string): boolean {
  return PREFIX.test(text) || /(?<![0-9A-Za-z])[0-9A-Za-z]{49}(?![0-9A-Za-z])/.test(text);
}

/** What of a text is to be asked about: a whole token alone, else all of it; undefined where a token is not whole. */
export function tokenIn(text: string): string | undefined {
  const [token] = /ug(?:t|a_live|a_test)_[0-9A-Za-z]{49}(?![0-9A-Za-z])/.exec(text) ?? [];
  return token ?? (PREFIX.test(text) ? undefined : text);
}
