/** Whether a text holds what looks like one of our tokens, whole or being typed. */
export function holdsToken(text: string): boolean {
  return /ug(?:t|a_live|a_test)_/.test(text);
}

/** The first token in a text that is as long as a token is: of a snippet or an address it takes that alone. */
export function tokenIn(text: string): string | undefined {
  return /ug(?:t|a_live|a_test)_[0-9A-Za-z]{49}(?![0-9A-Za-z])/.exec(text)?.[0];
}
