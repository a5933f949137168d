import { useEffect, useRef } from "react";
import {
  countsOf,
  hasFile,
  isUnapplied,
  OUTCOMES,
  progressOf,
  rows,
  stateOf,
  summaryOf,
} from "@/components/jobs/words";
import { announce } from "@/components/ui/announcer";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import { isBusy } from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

/** A job's state, in a sentence or a bar, with figures. */
export function JobStatus({ job }: { job: Job }) {
  const counts = countsOf(job);
  const block = useRef<HTMLDivElement>(null);
  const known = useRef(job.state);
  const summary = isBusy(job.state) ? stateOf(job) : summaryOf(job);
  useEffect(() => announce(summary), [summary]);
  useEffect(() => {
    if (known.current === job.state) return;
    known.current = job.state;
    // The focused button went with the previous state.
    if (document.activeElement === document.body) block.current?.focus();
  }, [job.state]);
  return (
    <div ref={block} tabIndex={-1} className="flex flex-col gap-4 rounded-md">
      <Sentence job={job} />
      {isBusy(job.state) && counts.length > 0 && (
        <dl className="flex flex-wrap gap-x-8 gap-y-2">
          {counts.map(({ outcome, count }) => (
            <div key={outcome} className="flex flex-col">
              <dt className="text-text-muted text-xs">{OUTCOMES[outcome]}</dt>
              <dd className="font-semibold text-lg tabular-nums">{count.toLocaleString("en")}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function Sentence({ job }: { job: Job }) {
  const { state, problem, read } = job;
  const { total, finished } = progressOf(job);
  const figures = `${finished.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  switch (state) {
    case "receiving":
      return (
        <Notice title="The file is incomplete">
          <p>It is still being sent, or its page was closed: then cancel this job and choose the file again.</p>
        </Notice>
      );
    case "checking":
      return <Progress label={hasFile(job) ? "Checking the file" : "Checking the user groups"} value={read} />;
    case "checked":
      return <Notice {...checkedOf(job)} title="Nothing has been changed yet" />;
    case "applying":
      return <Progress label="Applying" value={finished / total} note={figures} />;
    case "done":
      return (
        <Notice tone={job.done.skipped > 0 ? "warning" : "success"} title="The job is done">
          {job.done.skipped > 0 && <p>{rows(job.done.skipped)} skipped: each says why.</p>}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice title={isUnapplied(job) ? "The job was not applied" : "The job was cancelled"}>
          <p>{isUnapplied(job) ? "It changed nothing." : leftIn(job, figures)}</p>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="danger" role="alert" title="The job failed">
          <p>{problem}</p>
          {finished > 0 && <p>{leftIn(job, figures)}</p>}
        </Notice>
      );
  }
}

function leftIn({ left }: Job, figures: string): string {
  return `${figures} rows were applied and stay. ${left.toLocaleString("en")} not changed.`;
}

function checkedOf(job: Job) {
  const { create, change, same, delete: remove, restore, error } = job.planned;
  const subject = hasFile(job) ? "the file" : "it";
  if (create + change + remove + restore > 0) {
    return { tone: "neutral", children: <p>This is what {subject} would do.</p> } as const;
  }
  if (error === 0) {
    const text = hasFile(job) ? "The file would not change anything." : "It would not change anything.";
    return { tone: "success", children: <p>{text}</p> } as const;
  }
  const text =
    same === 0
      ? "No row can be applied. Each row below shows its error."
      : "Nothing would change. Rows with errors are listed below.";
  return { tone: "warning", children: <p>{text}</p> } as const;
}
