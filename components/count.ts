/** A count in words: "10,000+" where nobody counted on. */
export function countOf({ count, exact }: { count: number; exact: boolean }): string {
  return `${count.toLocaleString("en")}${exact ? "" : "+"}`;
}

/** How many there are, in words: "about 19,000" where that is an estimate. */
export function totalOf({ count, exact }: { count: number; exact: boolean }): string {
  return exact ? count.toLocaleString("en") : `about ${count.toLocaleString("en", { maximumSignificantDigits: 2 })}`;
}
