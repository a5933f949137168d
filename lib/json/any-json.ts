/** The value of a text that should be JSON; undefined if it is not. */
export function anyJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
