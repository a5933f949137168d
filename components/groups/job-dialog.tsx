import type { ReactNode } from "react";
import { doingOf } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import type { GroupsJob } from "@/components/groups/use-groups-job";
import { progressOf } from "@/components/jobs/words";
import { PageLink } from "@/components/page-link";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Progress } from "@/components/ui/progress";
import { useEnvironmentSlug } from "@/components/use-environment";
import { isTransient } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";
import { isBusy } from "@/lib/jobs/queries";

/** A dialog about the selected groups. */
export interface BulkDialogProps {
  groups: GroupReference[];
  onClose: () => void;
}

interface JobDialogProps {
  run: GroupsJob;
  title: string;
  description?: ReactNode;
  /** title of an error before anything has changed: "Nothing was suspended" */
  failed: string;
  /** label of the button that starts the job */
  verb: string;
  isDanger?: boolean;
  /** required input is still missing */
  isDisabled?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  /** the fields */
  children: ReactNode;
}

/** Asks for a change of groups, and shows its job's progress. */
export function JobDialog({ run, title, description, failed, verb, ...form }: JobDialogProps) {
  const { isDanger = false, isDisabled = false, onSubmit, onClose, children } = form;
  const { job, isRunning, error } = run;
  // No answer yet: asking again for the same change starts it only once.
  const isUnsure = error && (job ? isBusy(job.state) : isTransient(error));
  return (
    <ActionDialog
      // Until the service has answered, there may be no job to come back to.
      isHeld={isRunning && !job}
      onClose={onClose}
      title={title}
      description={description}
    >
      <form onSubmit={submitted(onSubmit)} className="flex flex-col gap-4">
        <fieldset disabled={isRunning} className="flex min-w-0 flex-col gap-4">
          {children}
        </fieldset>
        {isRunning ? (
          <JobProgress run={run} doing={doingOf(verb)} />
        ) : (
          <>
            {error && <Failure title={isUnsure ? "It may have begun" : failed} error={error} />}
            <DialogActions>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" variant={isDanger ? "danger" : "primary"} disabled={isDisabled}>
                {verb}
              </Button>
            </DialogActions>
          </>
        )}
      </form>
    </ActionDialog>
  );
}

/** A job's progress. Unless it is a dry run, it continues in the service when the dialog closes. */
function JobProgress({ run: { job, count, isDryRun, stop }, doing }: { run: GroupsJob; doing: string }) {
  const slug = useEnvironmentSlug();
  const isChecking = !job || job.state === "checking";
  const { finished, total } = isChecking
    ? { finished: Math.round((job?.read ?? 0) * count), total: count }
    : progressOf(job);
  return (
    <>
      <Progress
        label={isChecking ? "Checking…" : doing}
        value={total === 0 ? 1 : finished / total}
        note={`${finished.toLocaleString("en")} of ${total.toLocaleString("en")}`}
      />
      {job && !isDryRun && (
        <p className="text-text-muted">
          You can close this: it continues in the background.{" "}
          <PageLink href={`/${slug}/groups/jobs/${job.id}`} className="underline">
            Show the job
          </PageLink>
        </p>
      )}
      <DialogActions>
        <Button onClick={() => job && stop(job)} disabled={!job}>
          Stop
        </Button>
      </DialogActions>
    </>
  );
}
