/** Characters that draw nothing by themselves: white space, format characters, marks, fillers and blank symbols. */
const INVISIBLE_ONLY = /^[\p{White_Space}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}\u2800\u{1D159}]*$/u;

/** What a name without a visible character is told. */
export const BLANK = "must not be blank: it has no visible character";

/** Whether people see anything of a name. */
export function isVisible(text: string): boolean {
  return !INVISIBLE_ONLY.test(text);
}
