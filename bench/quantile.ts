/** The value below which this share of the values lies; a median between two values is their mean. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  if (share === 0.5 && sorted.length > 0 && sorted.length % 2 === 0) {
    const half = sorted.length / 2;
    return ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
  }
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The median. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
