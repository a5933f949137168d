/** Whether two lists or settings are equal, regardless of the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Refuses to overwrite what someone else has saved since a dialog opened. */
export function requireUnchanged(now: unknown, opened: unknown) {
  if (isSame(now, opened)) return;
  throw new Error(
    "Someone has changed this since you opened it. Copy your changes, close this dialog, and make them again.",
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([name, one]) => [name, sorted(one)])
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}
