const PREFIX = /ug(?:t|a_live|a_test)_/i;

/**
 * Whether a text seems to hold one of our tokens, whole or partial: by its prefix, or by an unusually long run of
 * letters and digits.
 */
export function holdsToken(text: string): boolean {
  return PREFIX.test(text) || /[0-9A-Za-z]{40}/.test(text);
}

/** Like {@link holdsToken}, but allows other long values such as hashes. */
export function holdsWholeToken(text: string): boolean {
  return PREFIX.test(text) || /(?<![0-9A-Za-z])[0-9A-Za-z]{49}(?![0-9A-Za-z])/.test(text);
}

/** The text to look up: the whole token in it, else all of it; undefined if the token is partial. */
export function tokenIn(text: string): string | undefined {
  const [token] = /ug(?:t|a_live|a_test)_[0-9A-Za-z]{49}(?![0-9A-Za-z])/.exec(text) ?? [];
  return token ?? (PREFIX.test(text) ? undefined : text);
}
