import type { Import, ImportOutcome } from "@/lib/imports/schema";

/** What became of a row, or is to. */
export const OUTCOMES: Record<ImportOutcome, string> = {
  create: "To create",
  change: "To change",
  same: "No change",
  error: "Error",
  created: "Created",
  changed: "Changed",
  skipped: "Skipped",
};

const STATES: Record<Import["state"], string> = {
  uploading: "File not here whole yet",
  checking: "Being checked",
  checked: "Checked, not applied",
  applying: "Being applied",
  done: "Done",
  cancelled: "Cancelled",
  failed: "Failed",
};

/** How an import stands; one that ended before anything was done, as a dry run by command does, was not applied. */
export function stateOf(job: Import): string {
  return isUnapplied(job) ? "Not applied" : STATES[job.state];
}

export function isUnapplied(job: Import): boolean {
  return job.state === "cancelled" && progressOf(job).finished === 0;
}

/** What became of a row of an import that is in this state. */
export function outcomeIn(state: Import["state"], outcome: ImportOutcome): string {
  const isOver = state === "cancelled" || state === "failed";
  return isOver && (outcome === "create" || outcome === "change") ? "Not done" : OUTCOMES[outcome];
}

/** Rows of an import by what became of them, those that there are. */
export function countsOf({ state, planned, done }: Import): { outcome: ImportOutcome; count: number }[] {
  const isAhead = ["uploading", "checking", "checked"].includes(state);
  const counts: [ImportOutcome, number][] = isAhead
    ? [
        ["create", planned.create],
        ["change", planned.change],
      ]
    : [
        ["created", done.created],
        ["changed", done.changed],
        ["skipped", done.skipped],
      ];
  counts.push(["same", planned.same], ["error", planned.error]);
  return counts.flatMap(([outcome, count]) => (count > 0 ? [{ outcome, count }] : []));
}

/** How many rows there are to carry out, and how many of them are. */
export function progressOf({ planned, done }: Import): { total: number; finished: number } {
  return { total: planned.create + planned.change, finished: done.created + done.changed + done.skipped };
}

/** "1 row", "1,204 rows". */
export function rows(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
}

/** How an import stands, with its figures. */
export function summaryOf(one: Import): string {
  const counts = countsOf(one).map(
    ({ outcome, count }) => `${OUTCOMES[outcome].toLowerCase()}: ${count.toLocaleString("en")}`,
  );
  return [stateOf(one), ...counts].join(" · ");
}
