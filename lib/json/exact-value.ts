// Reads the text of one JSON value without a JavaScript number, which could change it.

/** A canonical form of a number's value: significant digits, and the power of ten of the last. */
function decimal(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  // The lookbehind tries each run of zeros once instead of once per zero, which would take minutes.
  const significant = digits.replace(/(?<!0)0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** The most digits with which a program writes a double: C's %.17g, and PHP with serialize_precision=17. */
const MAX_DIGITS = 17;

/**
 * Whether a literal is its double as programs write it: the shortest digits that identify it, or at most 17 digits.
 */
export function namesDouble(literal: string, double: number): boolean {
  const exact = decimal(literal);
  if (exact === decimal(String(double))) return true;
  const digits = /^-?(\d+)/.exec(exact)?.[1]?.length ?? 0;
  return digits <= MAX_DIGITS && exact === decimal(double.toPrecision(digits));
}

/** PostgreSQL's limits on a number: digits after the point, and exponent (NUMERIC_DSCALE_MAX, set_var_from_str). */
const MAX_SCALE = 16_383;
const MAX_EXPONENT = 2 ** 30 - 2;

/** Whether PostgreSQL can hold a literal in jsonb, which lists search: 0e-20000 it cannot. */
export function fitsNumeric(literal: string): boolean {
  const [, fraction = "", exponent = "0"] = /(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  return Math.abs(Number(exponent)) <= MAX_EXPONENT && fraction.length - Number(exponent) <= MAX_SCALE;
}

/** Whether the text is a number, of any size. */
export function isNumber(text: string): boolean {
  return /^[-\d]/.test(text);
}

/** Whether the text is a whole number, of any size and in any notation. */
export function isWholeNumber(text: string): boolean {
  return isNumber(text) && (/^-?\d+$/.test(text) || !decimal(text).includes("e-"));
}

/** A string's value; undefined for anything else. */
export function stringIn(text: string): string | undefined {
  if (text[0] !== '"') return undefined;
  return text.includes("\\") ? JSON.parse(text) : text.slice(1, -1);
}

/** A canonical text, the same for equal scalars. */
export function canonicalScalar(text: string): string {
  const string = stringIn(text);
  if (string !== undefined) return `"${string}`;
  return isNumber(text) ? decimal(text) : text;
}

/** Whether a string is a calendar day as YYYY-MM-DD, from the year 1. */
export function isDay(string: string): boolean {
  // The length first, which is cheap: there can be hundreds of values.
  if (string.length !== 10 || !/^(?!0000)\d{4}-\d\d-\d\d$/.test(string)) return false;
  const day = new Date(string);
  // Date reads 30 February as a day in March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(string);
}
