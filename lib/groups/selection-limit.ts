// Separate from the schemas: the list needs this, and would load zod with them.

/** The most groups that one request of the dashboard deletes or restores. */
export const MAX_SELECTED = 100;

/** A selection in parts, one for each request. */
export function partsOf(teamIds: number[]): number[][] {
  const parts = Array.from({ length: Math.ceil(teamIds.length / MAX_SELECTED) });
  return parts.map((_, index) => teamIds.slice(index * MAX_SELECTED, (index + 1) * MAX_SELECTED));
}
