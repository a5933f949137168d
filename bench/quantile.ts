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

/** A median with its 95 % confidence interval (sign test on the order statistics). */
export interface Estimate {
  median: number;
  low: number;
  high: number;
}

/** The median of the values, of which there should be 20 or more. */
export function estimate(values: number[]): Estimate {
  const sorted = [...values].sort((one, other) => one - other);
  const cut = cutOff(sorted.length);
  return {
    median: median(sorted),
    low: sorted[cut] ?? Number.NaN,
    high: sorted[sorted.length - 1 - cut] ?? Number.NaN,
  };
}

/** How many values to drop at each end so that the rest contains the median in 95 of 100 cases. */
function cutOff(count: number): number {
  let [tail, term, cut] = [0, 0.5 ** count, 0];
  for (; cut < count / 2; cut++) {
    tail += term;
    if (2 * tail > 0.05) break;
    term *= (count - cut) / (cut + 1);
  }
  return Math.max(0, cut - 1);
}
