/** The four tints, each with its text colour. */
export const HUES = [
  "bg-hue-1 text-hue-1-text",
  "bg-hue-2 text-hue-2-text",
  "bg-hue-3 text-hue-3-text",
  "bg-hue-4 text-hue-4-text",
] as const;

/** The index of a text's tint: the same for the same text. */
export function hueOf(text: string): 0 | 1 | 2 | 3 {
  let sum = 0;
  for (const character of text) sum = (sum * 367 + (character.codePointAt(0) ?? 0)) | 0;
  // Mixes in higher bits: a product's lowest bits depend only on its factors' lowest bits.
  return (((sum ^ (sum >>> 15)) >>> 0) % HUES.length) as 0 | 1 | 2 | 3;
}
