import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { doingOf } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { groupsIn } from "@/components/count";
import { Failure } from "@/components/failure";
import type { GroupsJob } from "@/components/groups/use-groups-job";
import { progressOf } from "@/components/jobs/words";
import { PageLink } from "@/components/page-link";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import { useEnvironmentSlug } from "@/components/use-environment";
import { isTransient } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";
import { isBusy, jobRowsQuery } from "@/lib/jobs/queries";
import type { Job, JobOutcome } from "@/lib/jobs/schema";

interface JobDialogProps {
  run: GroupsJob;
  title: string;
  description?: ReactNode;
  /** of the progress, if the verb does not give it */
  doing?: string;
  /** of an error before anything has changed: "Nothing was suspended" */
  failed: string;
  /** of the button that begins it */
  verb: string;
  isDanger?: boolean;
  /** required input is still missing */
  isDisabled?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  /** further actions once it is over */
  more?: ReactNode;
  /** the fields */
  children: ReactNode;
}

/** Asks for a change of groups, shows how far its job is, and what that left out. */
export function JobDialog(props: JobDialogProps) {
  const { run, title, description, failed, verb, doing = doingOf(verb), isDanger = false, isDisabled = false } = props;
  const { onSubmit, onClose, more, children } = props;
  const { job, phase, error } = run;
  const [isRunning, isOver] = [phase === "running", phase === "over"];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isOver && job) run.apply(job);
    else onSubmit();
  };
  const undo = (done: Job) => {
    void run.undo(done);
    onClose();
  };
  return (
    <ActionDialog
      // Until the service has answered, it is not known whether there is anything to come back to.
      isHeld={isRunning && !job}
      onClose={onClose}
      title={title}
      description={description}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {isOver && job ? (
          !isBusy(job.state) && <NotChanged job={job} count={run.left} />
        ) : (
          <fieldset disabled={isRunning} className="flex min-w-0 flex-col gap-4">
            {children}
          </fieldset>
        )}
        {isRunning ? (
          <JobProgress run={run} doing={doing} />
        ) : (
          <>
            {error && <Failure title={titleOf(error, job, failed)} error={error} />}
            <DialogActions>
              <Button onClick={onClose}>{isOver ? "Done" : "Cancel"}</Button>
              {isOver && job?.can_undo && <Button onClick={() => undo(job)}>Undo</Button>}
              {isOver && more}
              {(!isOver || job?.can_apply) && (
                <Button type="submit" variant={isDanger ? "danger" : "primary"} disabled={!isOver && isDisabled}>
                  {isOver ? "Continue" : verb}
                </Button>
              )}
            </DialogActions>
          </>
        )}
      </form>
    </ActionDialog>
  );
}

function titleOf(error: Error, job: Job | undefined, failed: string): string {
  // Without an answer; the same asked for again begins once.
  if (!job && isTransient(error)) return "It may have begun";
  if (!job || job.state === "checked") return failed;
  return isBusy(job.state) ? "The progress could not be loaded" : "It was not continued";
}

/** How far a job is. It continues in the service when this is closed. */
function JobProgress({ run, doing }: { run: GroupsJob; doing: string }) {
  const { job, count } = run;
  const isChecking = !job || job.state === "checking";
  const progress = job ? progressOf(job) : { total: count, finished: 0 };
  return (
    <Running
      label={isChecking ? "Checking…" : doing}
      finished={isChecking ? Math.round((job?.read ?? 0) * count) : progress.finished}
      all={isChecking ? count : progress.total}
      onStop={job && (() => run.stop(job))}
    >
      {job && (
        <p className="text-text-muted">
          You can close this: it continues in the background. <JobLink job={job}>Show the job</JobLink>
        </p>
      )}
    </Running>
  );
}

/** What a job that has ended left out, and why. */
function NotChanged({ job, count }: { job: Job; count: number }) {
  const { planned, done, left, problem } = job;
  const changed = done.changed + done.deleted;
  if (count === 0 && !problem) return null;
  return (
    <Notice tone="warning" role="status" title={`${groupsIn(count)} not changed`}>
      {problem && <p>{problem}</p>}
      {changed > 0 && <p>Changed: {changed.toLocaleString("en")}.</p>}
      {left > 0 && <p>Not started: {left.toLocaleString("en")}.</p>}
      <Reasons job={job} outcome="skipped" count={done.skipped} />
      <Reasons job={job} outcome="error" count={planned.error} />
      <JobLink job={job}>Show the job</JobLink>
    </Notice>
  );
}

/** The most groups that are named. */
const NAMED = 3;

/** Why groups cannot be changed, or were not. */
export function Reasons({ job, outcome, count }: { job: Job; outcome: JobOutcome; count: number }) {
  const slug = useEnvironmentSlug();
  const { data } = useQuery({
    ...jobRowsQuery(slug, { id: String(job.id), outcome, after: 0, state: job.state }),
    enabled: count > 0,
  });
  if (!data || count === 0) return null;
  return (
    <ul className="break-words">
      {data.rows.slice(0, NAMED).map(({ line, provided_id, issues }) => (
        <li key={line}>{[provided_id, issues[0]?.path.join("."), issues[0]?.message].filter(Boolean).join(" ")}</li>
      ))}
      {count > NAMED && <li>and {(count - NAMED).toLocaleString("en")} more</li>}
    </ul>
  );
}

function JobLink({ job, children }: { job: Job; children: ReactNode }) {
  return (
    <PageLink href={`/${useEnvironmentSlug()}/groups/jobs/${job.id}`} className="underline">
      {children}
    </PageLink>
  );
}

/** A dialog about the selected groups. */
export interface BulkDialogProps {
  groups: GroupReference[];
  onClose: () => void;
}

/** Runs something in many requests, with its progress and a way to stop it. */
export function useRun<Input, Output>(work: (input: Input, options: RunOptions) => Promise<Output>) {
  const [finished, setFinished] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const mutation = useMutation({
    gcTime: 0,
    mutationFn: (input: Input) => {
      stop.current = new AbortController();
      setFinished(0);
      return work(input, { signal: stop.current.signal, onProgress: setFinished });
    },
  });
  return { ...mutation, finished, stop: () => stop.current?.abort() };
}

interface RunOptions {
  signal: AbortSignal;
  onProgress: (finished: number) => void;
}

interface RunningProps {
  label: string;
  finished: number;
  all: number;
  /** undefined while it cannot be stopped */
  onStop: (() => void) | undefined;
  children?: ReactNode;
}

/** The part of a dialog that shows how far it is. */
export function Running({ label, finished, all, onStop, children }: RunningProps) {
  const note = `${finished.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  return (
    <>
      <Progress label={label} value={all === 0 ? 1 : finished / all} note={note} />
      {children}
      <DialogActions>
        <Button onClick={onStop} disabled={!onStop}>
          Stop
        </Button>
      </DialogActions>
    </>
  );
}
