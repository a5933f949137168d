import { test } from "@playwright/test";
import { isLong } from "../fixtures/long";

/** Repeats what an earlier run generated; printed with every failure and in the table of e2e/fuzz/table.ts. */
export const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** The number of runs: all with LONG_TESTS, or a tenth within `npm run test:release`. */
export function extent(whole: number): number {
  return isLong ? whole : Math.ceil(whole / 10);
}

/** A row of the table: the generated kind, its number, and the outcomes. */
export interface Row {
  what: string;
  generated: number;
  accepted: number;
  refused: number;
}

/** The annotation that carries rows to the table. */
export const ROWS = "fuzz";

/** Counts generated values by name. */
export class Tally {
  private readonly rows = new Map<string, Row>();

  add(what: string, isAccepted: boolean) {
    const row = this.rows.get(what) ?? { what, generated: 0, accepted: 0, refused: 0 };
    row.generated++;
    row[isAccepted ? "accepted" : "refused"]++;
    this.rows.set(what, row);
  }

  count(what: string): Row {
    return this.rows.get(what) ?? { what, generated: 0, accepted: 0, refused: 0 };
  }

  /** Does the work, and reports the counts to the table even if it fails. */
  async during(work: () => Promise<unknown>) {
    try {
      await work();
    } finally {
      const rows = [...this.rows.values()].sort((a, b) => a.what.localeCompare(b.what));
      test.info().annotations.push({ type: ROWS, description: JSON.stringify({ seed: SEED, rows }) });
    }
  }
}
