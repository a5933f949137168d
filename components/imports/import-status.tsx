"use client";

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
} from "@/components/imports/words";
import { announce } from "@/components/ui/announcer";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import { isBusy } from "@/lib/imports/queries";
import type { Import } from "@/lib/imports/schema";

/** An import's state, in a sentence or a bar, with figures. */
export function ImportStatus({ job }: { job: Import }) {
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

function Sentence({ job }: { job: Import }) {
  const { state, problem, read } = job;
  const { total, finished } = progressOf(job);
  const figures = `${finished.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  switch (state) {
    case "uploading":
      return (
        <Notice title="The file is incomplete">
          <p>It is still being sent, or its page was closed: then cancel this import and choose the file again.</p>
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
        <Notice tone={job.done.skipped > 0 ? "warning" : "success"} title="The import is done">
          {job.done.skipped > 0 && <p>Skipped because the group changed after the check: {rows(job.done.skipped)}.</p>}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice title={isUnapplied(job) ? "The import was not applied" : "The import was cancelled"}>
          <p>{isUnapplied(job) ? "It changed nothing." : `Rows applied before that, which stay: ${figures}.`}</p>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="danger" role="alert" title="The import failed">
          <p>{problem}</p>
          {finished > 0 && <p>Rows applied before that, which stay: {figures}.</p>}
        </Notice>
      );
  }
}

function checkedOf(job: Import) {
  const { create, change, same, delete: remove, error } = job.planned;
  const subject = hasFile(job) ? "the file" : "it";
  if (create + change + remove > 0) {
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
