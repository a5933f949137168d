import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Download } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { ChangedParts } from "@/components/changes/changed-parts";
import { type ChangedPart, changedParts, plain, wordsOfSides } from "@/components/changes/changes";
import { download } from "@/components/download";
import { Failure, withFailureToast } from "@/components/failure";
import { countsOf, OUTCOMES, outcomeIn } from "@/components/jobs/words";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { StackedBar } from "@/components/ui/stacked-bar";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { remarkIn } from "@/lib/jobs/cell-fault";
import { fetchFailures, jobRowsQuery } from "@/lib/jobs/queries";
import type { Job, JobOutcome, JobRow } from "@/lib/jobs/schema";

/** The rows of a job that is not running, by outcome and page by page. */
export function JobRows({ job }: { job: Job }) {
  const slug = useEnvironmentSlug();
  const [outcome, setOutcome] = useState<JobOutcome | "">("");
  /** the last line of each earlier page */
  const [pages, setPages] = useState<number[]>([]);
  const wanted = { id: String(job.id), outcome, after: pages.at(-1) ?? 0, state: job.state };
  const { data, error, isPlaceholderData, refetch } = useQuery(jobRowsQuery(slug, wanted));
  if (error && !data) return <Failure title="The rows could not be loaded" error={error} onRetry={refetch} />;
  if (data?.rows.length === 0 && outcome === "" && pages.length === 0) return null;
  const { next } = data ?? {};
  const isFailing = job.planned.error + job.done.skipped > 0;
  const save = () =>
    withFailureToast("Nothing was downloaded", async () => {
      const { name, content } = await fetchFailures(slug, job.id);
      download(name, content);
    });
  return (
    <section aria-label="Rows" className="flex flex-col gap-3">
      <RowFilter
        counts={countsOf(job)}
        value={outcome}
        onChange={(next) => {
          setOutcome(next);
          setPages([]);
        }}
      >
        {isFailing && (
          <Button icon={Download} className="max-sm:w-full" onClick={() => void save()}>
            Download failed rows
          </Button>
        )}
      </RowFilter>
      <div className={cn("overflow-hidden rounded-xl border border-border", isPlaceholderData && "opacity-60")}>
        <div
          aria-hidden
          className={cn(LINE, "border-border border-b bg-sunken font-medium text-text-muted text-xs max-md:hidden")}
        >
          <span />
          <span>Row</span>
          <span>Action</span>
          <span>Name</span>
          <span>Id</span>
          <span>Difference</span>
        </div>
        <ul aria-label="Rows of the job" aria-busy={!data || isPlaceholderData}>
          {data?.rows.map((row) => <Row key={row.line ?? row.provided_id} row={row} job={job} />) ?? (
            <li>
              <Skeleton className="h-50 rounded-none" />
            </li>
          )}
        </ul>
      </div>
      {(pages.length > 0 || next) && (
        <nav aria-label="Row pages" className="flex justify-end gap-2">
          <Button icon={ChevronLeft} disabled={pages.length === 0} onClick={() => setPages(pages.slice(0, -1))}>
            Previous
          </Button>
          <Button disabled={!next} onClick={() => next && !isPlaceholderData && setPages([...pages, next])}>
            Next
            <ChevronRight aria-hidden />
          </Button>
        </nav>
      )}
    </section>
  );
}

/** How many values of a part its row names, and the most characters of a value. */
const NAMED = 3;
const MAX_SHOWN = 24;

/** What changes, such as "seats 25 → 40" or "region removed, was eu-west". Long values are left out. */
function PartInWords({ part: { label, changes } }: { part: ChangedPart }) {
  if (changes.length === 0) return label.toLowerCase();
  return (
    <>
      {changes.slice(0, NAMED).map(({ key = label.toLowerCase(), before, after }, at) => {
        const [was, is] = wordsOfSides(plain, before, after);
        return (
          <span key={key}>
            {at > 0 && " · "}
            <span className="font-medium text-text">{label === "Mapping" ? `schema ${key}` : key}</span>
            {is === undefined && <span className="text-text"> removed</span>}
            {Math.max(before?.length ?? 0, after?.length ?? 0) <= MAX_SHOWN && (
              <>
                {was !== undefined && `${is === undefined ? ", was" : ""} ${was}`}
                {is !== undefined && (was !== undefined || label === "Mapping") && " →"}
                {is !== undefined && <span className="text-text"> {is}</span>}
              </>
            )}
          </span>
        );
      })}
      {changes.length > NAMED && ` and ${changes.length - NAMED} more`}
    </>
  );
}

const LINE = cn(
  "grid grid-cols-[16px_minmax(0,1fr)_auto] gap-x-3 gap-y-0.5 px-3 py-2",
  "md:grid-cols-[16px_64px_80px_minmax(0,1fr)_minmax(0,1fr)_minmax(0,2.5fr)]",
);

function inWords(issues: JobRow["issues"]): string {
  return issues.map(({ path, message }) => remarkIn(message) ?? [placeOf(path), message].join(" ").trim()).join("; ");
}

function placeOf([field, ...names]: (string | number)[]): string {
  if (names.length === 0) return String(field ?? "");
  return field === "mapping" ? `schema ${names.join(".")}` : names.join(".");
}

function Row({ row, job }: { row: JobRow; job: Job }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { line, outcome, provided_id: providedId, before, after, issues, warnings = [] } = row;
  const groupOf = (was: JobRow["before"]) => was && ({ kind: "group", providedId, ...was } as const);
  const parts = after ? changedParts(groupOf(before), groupOf(after)) : [];
  // A new group's name has its own column.
  const differences = before ? parts : parts.filter(({ label }) => label !== "Name");
  const isBad = outcome === "error" || outcome === "skipped";
  return (
    <li className="border-border border-b last:border-b-0">
      <div className={cn(LINE, "relative", parts.length > 0 && "hover:bg-hover")}>
        {parts.length > 0 ? (
          <ChevronRight
            aria-hidden
            className={cn("mt-0.5 size-4 text-text-muted transition-transform duration-150", open && "rotate-90")}
          />
        ) : (
          <span />
        )}
        <div
          className={cn(
            "max-md:order-1 max-md:flex max-md:flex-col-reverse max-md:items-end max-md:justify-end md:contents",
          )}
        >
          <span className="text-text-muted tabular-nums">
            {line !== null && <span className="md:sr-only">Row </span>}
            {line ?? (job.mode === "sync" ? "Not in file" : "–")}
          </span>
          <span className={cn("font-medium", isBad && "text-danger")}>{outcomeIn(job.state, outcome)}</span>
        </div>
        <div className="min-w-0 md:contents">
          <span className="block min-w-0 break-words max-md:font-medium">{(after ?? before)?.name}</span>
          <span className="block min-w-0 break-all font-mono text-xs leading-5">
            {parts.length > 0 ? (
              <button
                type="button"
                aria-expanded={open}
                aria-controls={open ? id : undefined}
                onClick={() => setOpen(!open)}
                className="covers-row -my-0.5 min-h-6 text-left"
              >
                {providedId}
              </button>
            ) : (
              providedId
            )}
          </span>
        </div>
        <span className="min-w-0 break-words text-text-muted max-md:order-2 max-md:col-span-2 max-md:col-start-2">
          {issues.length > 0 ? (
            <span className={cn(outcome === "error" && "text-danger")}>{inWords(issues)}</span>
          ) : after?.state ? (
            `${before?.state} → ${after.state}`
          ) : (
            differences.map((part, at) => (
              <span key={part.label}>
                {at > 0 && " · "}
                <PartInWords part={part} />
              </span>
            ))
          )}
          {warnings.length > 0 && <span className="block text-warning">{inWords(warnings)}</span>}
        </span>
      </div>
      {open && (
        <div id={id} className="flex flex-col gap-3 border-border border-t bg-sunken px-3 py-3 md:pl-10">
          <ChangedParts parts={parts} />
        </div>
      )}
    </li>
  );
}

const COLORS: Record<JobOutcome, string> = {
  create: "text-success",
  created: "text-success",
  change: "text-spark",
  changed: "text-spark",
  same: "text-idle",
  delete: "text-production",
  deleted: "text-production",
  restore: "text-success",
  restored: "text-success",
  skipped: "text-warning",
  error: "text-danger",
};

interface RowFilterProps {
  counts: { outcome: JobOutcome; count: number }[];
  /** blank for all rows */
  value: JobOutcome | "";
  onChange: (outcome: JobOutcome | "") => void;
  /** next to the legend */
  children: ReactNode;
}

/** A bar of a job's rows by outcome. Its legend filters the rows. */
function RowFilter({ counts, value, onChange, children }: RowFilterProps) {
  const name = useId();
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const choices = [{ outcome: "" as const, count: total }, ...counts];
  return (
    <div className="flex flex-col gap-3">
      <StackedBar
        className="h-2"
        parts={counts.map(({ outcome, count }) => ({
          key: outcome,
          count,
          className: cn(COLORS[outcome], value !== "" && value !== outcome && "opacity-30"),
        }))}
      />
      <div className="flex flex-wrap justify-between gap-2">
        <fieldset className="flex flex-wrap gap-2 max-sm:grid max-sm:w-full max-sm:grid-cols-2">
          <legend className="sr-only">Rows shown</legend>
          {choices.map(({ outcome, count }) => (
            <label
              key={outcome}
              className={cn(
                "relative flex h-control items-center gap-2 rounded-md border border-border-strong bg-raised px-3",
                "transition-colors",
                "hover:bg-hover has-checked:border-accent has-checked:bg-selected has-focus-visible:outline-2",
                "has-focus-visible:outline-accent",
              )}
            >
              <input
                type="radio"
                name={name}
                checked={outcome === value}
                onChange={() => onChange(outcome)}
                className="absolute inset-0 cursor-default appearance-none opacity-0 outline-none"
              />
              {outcome !== "" && (
                <svg aria-hidden viewBox="0 0 8 8" className={cn("size-2", COLORS[outcome])}>
                  <rect width={8} height={8} rx={2} fill="currentColor" />
                </svg>
              )}
              <span className="font-medium">{outcome === "" ? "All rows" : OUTCOMES[outcome]}</span>
              <span className="text-text-muted tabular-nums max-sm:ml-auto">{count.toLocaleString("en")}</span>
            </label>
          ))}
        </fieldset>
        {children}
      </div>
    </div>
  );
}
