"use client";

import { useEffect, useRef } from "react";
import { countsOf, isUnapplied, OUTCOMES, progressOf, rows, stateOf, summaryOf } from "@/components/imports/words";
import { announce } from "@/components/ui/announcer";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import { isBusy } from "@/lib/imports/queries";
import type { Import } from "@/lib/imports/schema";

/** How an import stands, in a sentence or a bar, and in figures. */
export function ImportStatus({ job }: { job: Import }) {
  const counts = countsOf(job);
  const block = useRef<HTMLDivElement>(null);
  const known = useRef(job.state);
  const summary = isBusy(job.state) ? stateOf(job) : summaryOf(job);
  useEffect(() => announce(summary), [summary]);
  useEffect(() => {
    if (known.current === job.state) return;
    known.current = job.state;
    // The button that had the focus went with the state before.
    if (document.activeElement === document.body) block.current?.focus();
  }, [job.state]);
  return (
    <div ref={block} tabIndex={-1} className="flex flex-col gap-4 rounded-md">
      <Sentence job={job} />
      {counts.length > 0 && (
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
        <Notice title="The file is not here whole yet">
          <p>It is being sent just now, or its page was left: then cancel this import and choose the file again.</p>
        </Notice>
      );
    case "checking":
      return <Progress label="Checking the file" value={read} />;
    case "checked":
      return <Notice {...checkedOf(job)} title="Nothing has been changed yet" />;
    case "applying":
      return <Progress label="Applying" value={finished / total} note={figures} />;
    case "done":
      return (
        <Notice tone={job.done.skipped > 0 ? "warning" : "success"} title="The import is done">
          {job.done.skipped > 0 && <p>Skipped, as the group had changed since the check: {rows(job.done.skipped)}.</p>}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice title={isUnapplied(job) ? "The import was not applied" : "The import was cancelled"}>
          <p>{isUnapplied(job) ? "Nothing was changed by it." : `Rows done before that, which stay so: ${figures}.`}</p>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="danger" role="alert" title="The import failed">
          <p>{problem}</p>
          {finished > 0 && <p>Rows done before that, which stay so: {figures}.</p>}
        </Notice>
      );
  }
}

/** What a check found. */
function checkedOf({ planned: { create, change, same, error } }: Import) {
  if (create + change > 0) return { tone: "neutral", children: <p>This is what the file would do.</p> } as const;
  if (error === 0) {
    return { tone: "success", children: <p>There is nothing in the file that would change anything.</p> } as const;
  }
  const text =
    same === 0
      ? "No row can be carried out: each says below what is wrong with it."
      : "Nothing would change. The rows with errors say below what is wrong with them.";
  return { tone: "warning", children: <p>{text}</p> } as const;
}
