import type { Import, ImportOutcome } from "@/lib/imports/schema";

export const OUTCOMES: Record<ImportOutcome, string> = {
  create: "To create",
  change: "To change",
  same: "No change",
  error: "Error",
  created: "Created",
  changed: "Changed",
  skipped: "Skipped",
  delete: "To delete",
  deleted: "Deleted",
};

const STATES: Record<Import["state"], string> = {
  uploading: "File incomplete",
  checking: "Checking",
  checked: "Checked, not applied",
  applying: "Applying",
  done: "Done",
  cancelled: "Cancelled",
  failed: "Failed",
};

/** An import's state; "Not applied" if it ended before changing anything, as a dry run does. */
export function stateOf(job: Import): string {
  return isUnapplied(job) ? "Not applied" : STATES[job.state];
}

export function isUnapplied(job: Import): boolean {
  return job.state === "cancelled" && progressOf(job).finished === 0;
}

/** A row's outcome, given the import's state. */
export function outcomeIn(state: Import["state"], outcome: ImportOutcome): string {
  const isOver = state === "cancelled" || state === "failed";
  return isOver && ["create", "change", "delete"].includes(outcome) ? "Not applied" : OUTCOMES[outcome];
}

/** Row counts by outcome, without zeros. */
export function countsOf({ state, planned, done }: Import): { outcome: ImportOutcome; count: number }[] {
  const isAhead = ["uploading", "checking", "checked"].includes(state);
  const counts: [ImportOutcome, number][] = isAhead
    ? [
        ["create", planned.create],
        ["change", planned.change],
        ["delete", planned.delete],
      ]
    : [
        ["created", done.created],
        ["changed", done.changed],
        ["deleted", done.deleted],
        ["skipped", done.skipped],
      ];
  counts.push(["same", planned.same], ["error", planned.error]);
  return counts.flatMap(([outcome, count]) => (count > 0 ? [{ outcome, count }] : []));
}

/** How many rows are to be applied, and how many are. */
export function progressOf({ planned, done }: Import): { total: number; finished: number } {
  return {
    total: planned.create + planned.change + planned.delete,
    finished: done.created + done.changed + done.deleted + done.skipped,
  };
}

/** Whether its rows come from a file; if not, from groups. */
export function hasFile({ undoes, fixes }: Import): boolean {
  return undoes === null && fixes === null;
}

/** "1 row", "1,204 rows". */
export function rows(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
}

/** An import's state and figures. */
export function summaryOf(one: Import): string {
  const counts = countsOf(one).map(
    ({ outcome, count }) => `${OUTCOMES[outcome].toLowerCase()}: ${count.toLocaleString("en")}`,
  );
  return [stateOf(one), ...counts].join(" · ");
}
