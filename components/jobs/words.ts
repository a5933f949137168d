import type { Job, JobOutcome } from "@/lib/jobs/schema";

export const OUTCOMES: Record<JobOutcome, string> = {
  create: "To create",
  change: "To change",
  same: "No change",
  error: "Error",
  created: "Created",
  changed: "Changed",
  skipped: "Skipped",
  delete: "To delete",
  deleted: "Deleted",
  restore: "To restore",
  restored: "Restored",
};

const STATES: Record<Job["state"], string> = {
  receiving: "File incomplete",
  checking: "Checking",
  checked: "Checked, not applied",
  applying: "Applying",
  done: "Done",
  cancelled: "Cancelled",
  failed: "Failed",
};

/** A job's state; "Not applied" if it ended before changing anything, as a dry run does. */
export function stateOf(job: Job): string {
  return isUnapplied(job) ? "Not applied" : STATES[job.state];
}

export function isUnapplied(job: Job): boolean {
  return job.state === "cancelled" && appliedIn(job) === 0;
}

/** How many rows have changed something. */
export function appliedIn({ done }: Job): number {
  return done.created + done.changed + done.deleted + done.restored;
}

/** A row's outcome, given the job's state. */
export function outcomeIn(state: Job["state"], outcome: JobOutcome): string {
  const isOver = state === "cancelled" || state === "failed";
  return isOver && PLANNED.some((one) => one === outcome) ? "Not applied" : OUTCOMES[outcome];
}

const PLANNED = ["create", "change", "delete", "restore"] as const;
const DONE = ["created", "changed", "deleted", "restored", "skipped"] as const;
const UNCHANGED = ["same", "error"] as const;

/** Row counts by outcome, without zeros. */
export function countsOf({ state, planned, done }: Job): { outcome: JobOutcome; count: number }[] {
  const isAhead = ["receiving", "checking", "checked"].includes(state);
  const counts = [
    ...(isAhead ? PLANNED : []).map((outcome) => ({ outcome, count: planned[outcome] })),
    ...(isAhead ? [] : DONE).map((outcome) => ({ outcome, count: done[outcome] })),
    ...UNCHANGED.map((outcome) => ({ outcome, count: planned[outcome] })),
  ];
  return counts.filter(({ count }) => count > 0);
}

/** How many rows the job applies, and how many are finished. */
export function progressOf({ planned, left }: Job): { total: number; finished: number } {
  const total = planned.create + planned.change + planned.delete + planned.restore;
  return { total, finished: total - left };
}

/** "1 row", "1,204 rows". */
export function rows(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
}

/** A job's state and figures. */
export function summaryOf(one: Job): string {
  const counts = countsOf(one).map(
    ({ outcome, count }) => `${OUTCOMES[outcome].toLowerCase()}: ${count.toLocaleString("en")}`,
  );
  return [stateOf(one), ...counts].join(" · ");
}
