import { z } from "zod";

/** Characters that draw nothing by themselves: white space, format characters, marks, fillers and blank symbols. */
const INVISIBLE_ONLY = /^[\p{White_Space}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}\u2800\u{1D159}]*$/u;

const FORBIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u;

/** The message for a text with characters that change how others are shown, or with noncharacters. */
export const UNSAFE = "must not contain control characters, bidirectional ones included, or noncharacters";

/** Whether a text has no control characters, bidirectional ones included, and no noncharacters. */
export function isSafe(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/**
 * Characters without their own glyph, which may be part of a visible letter: they are refused only at an end, where
 * they are invisible.
 */
const WITHOUT_GLYPH = "[\\p{Default_Ignorable_Code_Point}\\u2800\\u{1D159}\\uFFF9-\\uFFFB]";
const HIDDEN_AT_AN_END = new RegExp(`^${WITHOUT_GLYPH}|${WITHOUT_GLYPH}$`, "u");

/** The message for a text that begins or ends with an invisible character. */
export const HIDDEN_END = "must not begin or end with a character without a glyph, such as U+00AD";

/** Whether a text begins or ends with an invisible character. */
export function hasHiddenEnd(text: string): boolean {
  return HIDDEN_AT_AN_END.test(text);
}

/** The message for a name without visible characters. */
export const BLANK = "must not be blank: it has no visible character";

/** Whether a name has a visible character. */
export function isVisible(text: string): boolean {
  return !INVISIBLE_ONLY.test(text);
}

/** A text of 1 to 255 characters, stored as it is. */
export const shortText = z
  .string("must be a string")
  .min(1, "must not be empty")
  .max(255, "must have at most 255 characters");
/** A short text without characters that change how other texts are shown. */
export const safeText = shortText.refine((text) => text.isWellFormed() && isSafe(text), UNSAFE);

/** A name of at most `most` characters, at least one of them visible, and none that changes how others are shown. */
export const visibleName = (most: number, missing = "must be a string") =>
  z
    .string(missing)
    .trim()
    .max(most, `must have at most ${most} characters`)
    .refine((text) => !/[\p{Cc}\p{Bidi_Control}]/u.test(text), "must not contain control characters")
    .refine(isVisible, BLANK);
