/** Characters that draw nothing alone: white space, format characters, marks, fillers and blank symbols. */
const INVISIBLE_ONLY = /^[\p{White_Space}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}\u2800\u{1D159}]*$/u;

/** The message for a name without visible characters. */
export const BLANK = "must not be blank: it has no visible character";

/** Whether a name has a visible character. */
export function isVisible(text: string): boolean {
  return !INVISIBLE_ONLY.test(text);
}
