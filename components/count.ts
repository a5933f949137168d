/** "10,000+" where counting stopped. */
export function countOf({ count, exact }: { count: number; exact: boolean }): string {
  return `${count.toLocaleString("en")}${exact ? "" : "+"}`;
}

/** "about 19,000" for an estimate. */
export function totalOf({ count, exact }: { count: number; exact: boolean }): string {
  return exact ? count.toLocaleString("en") : `about ${count.toLocaleString("en", { maximumSignificantDigits: 2 })}`;
}

/** "1 user group", "2 user groups". */
export const groupsIn = (count: number) => `${count.toLocaleString("en")} user ${count === 1 ? "group" : "groups"}`;
