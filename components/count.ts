/** A count in words: "10,000+" where nobody counted on. */
export function countOf({ count, exact }: { count: number; exact: boolean }): string {
  return `${count.toLocaleString("en")}${exact ? "" : "+"}`;
}
