import { useEffect, useRef } from "react";
import { appliedIn, isUnapplied, progressOf, rows, stateOf, summaryOf } from "@/components/jobs/words";
import { announce } from "@/components/ui/announcer";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import { isBusy } from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

/** A job's state as a sentence or a progress bar, with figures. */
export function JobStatus({ job }: { job: Job }) {
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
          <p>
            It is still being sent. If the page that sends it was closed, cancel this job and choose the file again.
          </p>
        </Notice>
      );
    case "checking":
      return <Progress label="Checking" value={read} />;
    case "checked":
      return <Notice title="Nothing has been changed yet">{checkedOf(job)}</Notice>;
    case "applying":
      return <Progress label="Applying" value={finished / total} note={figures} />;
    case "done":
      return (
        <Notice tone={job.done.skipped > 0 ? "warning" : "success"} title="The job is done">
          {job.done.skipped > 0 && <p>{rows(job.done.skipped)} skipped, for the reasons below.</p>}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice title={isUnapplied(job) ? "The job was not applied" : "The job was cancelled"}>
          <p>{isUnapplied(job) ? "It changed nothing." : leftIn(job)}</p>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="danger" role="alert" title="The job failed">
          <p>{problem}</p>
          {appliedIn(job) > 0 && <p>{leftIn(job)}</p>}
        </Notice>
      );
  }
}

function leftIn(job: Job): string {
  const [applied, { total }] = [appliedIn(job), progressOf(job)];
  const [count, left] = [applied.toLocaleString("en"), (total - applied).toLocaleString("en")];
  return `${count} of ${rows(total)} were applied and are kept. ${left} not changed.`;
}

function checkedOf(job: Job) {
  if (progressOf(job).total > 0) return <p>Applying it would make these changes.</p>;
  if (job.planned.error === 0) return <p>It would not change anything.</p>;
  return <p>Nothing would change. Rows with errors are listed below.</p>;
}
