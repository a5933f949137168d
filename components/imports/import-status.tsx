import { countsOf, OUTCOMES, progressOf, rows } from "@/components/imports/words";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import type { Import } from "@/lib/imports/schema";

/** How an import stands, in a sentence or a bar, and in figures. */
export function ImportStatus({ job }: { job: Import }) {
  const counts = countsOf(job);
  return (
    <>
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
    </>
  );
}

function Sentence({ job }: { job: Import }) {
  const { state, problem, read } = job;
  const { total, finished } = progressOf(job);
  const figures = `${finished.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  switch (state) {
    case "uploading":
      return (
        <Notice tone="warning" title="The file was not sent whole">
          <p>Its page was left before that. Cancel this import, and choose the file again.</p>
        </Notice>
      );
    case "checking":
      return <Progress label="Checking the file" value={read} />;
    case "checked":
      return (
        <Notice tone={total > 0 ? "neutral" : "success"} title="Nothing has been changed yet">
          <p>
            {total > 0 ? "This is what the file would do." : "There is nothing in the file that would change anything."}
          </p>
        </Notice>
      );
    case "applying":
      return <Progress label="Applying" value={finished / total} note={figures} />;
    case "done":
      return (
        <Notice tone={job.done.skipped > 0 ? "warning" : "success"} role="status" title="The import is done">
          {job.done.skipped > 0 && (
            <p>{rows(job.done.skipped)} were skipped: their groups had changed since the check.</p>
          )}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice role="status" title="The import was cancelled">
          <p>{finished > 0 ? `${figures} rows were done before that, and stay so.` : "Nothing was changed by it."}</p>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="danger" role="alert" title="The import failed">
          <p>{problem}</p>
          {finished > 0 && <p>{figures} rows were done before that, and stay so.</p>}
        </Notice>
      );
  }
}
