/** The first characters of a text, never ending in half a character. */
export function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

/** A text, or its first characters with an ellipsis. */
export function excerpt(text: string, most: number): string {
  return text.length > most ? `${beginning(text, most)}…` : text;
}
