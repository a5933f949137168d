// Reads the text of one JSON value without a JavaScript number, which could change it.

/** A canonical form of a number's value: significant digits, and the power of ten of the last. */
export function decimal(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  // The lookbehind tries each run of zeros once instead of once per zero, which would take minutes.
  const significant = digits.replace(/(?<!0)0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
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

/** The same text for equal scalars, however they are spelt. */
export function canonicalScalar(text: string): string {
  const string = stringIn(text);
  if (string !== undefined) return `"${string}`;
  return isNumber(text) ? decimal(text) : text;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Whether a string is a day of the calendar as YYYY-MM-DD, from the year 1. */
export function isDay(string: string): boolean {
  const [, year = 0, month = 0, day = 0] = DATE.exec(string)?.map(Number) ?? [];
  if (year === 0 || month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
}
