/** "10,000+" where counting stopped. */
export function countOf({ count, exact }: { count: number; exact: boolean }): string {
  return `${count.toLocaleString("en")}${exact ? "" : "+"}`;
}

/** "about 19,000" for an estimate. */
export function totalOf({ count, exact }: { count: number; exact: boolean }): string {
  return exact ? count.toLocaleString("en") : `about ${count.toLocaleString("en", { maximumSignificantDigits: 2 })}`;
}

/** Checks summed over days: "5 checks in 30 days". */
export function checksIn(days: number[]): string {
  const sum = days.reduce((total, checks) => total + checks, 0);
  return `${sum.toLocaleString("en")} ${sum === 1 ? "check" : "checks"} in ${days.length} days`;
}

/** "1 user group", "2 user groups". */
export const groupsIn = (count: number) => `${count.toLocaleString("en")} user ${count === 1 ? "group" : "groups"}`;
