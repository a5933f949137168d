"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useEffect, useState } from "react";
import { Breadcrumb } from "@/components/breadcrumb";
import { ConfirmAction } from "@/components/confirm-dialog";
import { groupsIn } from "@/components/count";
import { Failure } from "@/components/failure";
import { JobRows } from "@/components/jobs/job-rows";
import { JobStatus } from "@/components/jobs/job-status";
import { useConfirmation } from "@/components/jobs/use-confirmation";
import { progressOf, rows } from "@/components/jobs/words";
import { NotForReaders } from "@/components/not-for-readers";
import { NotFound } from "@/components/not-found";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Button, type ButtonProps, buttonLook } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { type ActionOptions, useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useLeadOn } from "@/components/use-lead-on";
import { useCanWrite, useIsReader } from "@/components/use-member";
import { ApiError } from "@/lib/browser/api-client";
import { groupsKey } from "@/lib/groups/queries";
import {
  askToApplyJob,
  askToCancelJob,
  askToUndoJob,
  findUndo,
  isBusy,
  jobQuery,
  jobsKey,
  readJob,
} from "@/lib/jobs/queries";
import type { Job, JobAnswer } from "@/lib/jobs/schema";

/** One job: preview, progress and result. It runs in the service, with or without this page. */
export function JobPage() {
  const slug = useEnvironmentSlug();
  const { id } = useParams<{ id: string }>();
  const client = useQueryClient();
  const canWrite = useCanWrite();
  const isReader = useIsReader();
  const { data, error, refetch } = useQuery({ ...jobQuery(slug, id), enabled: canWrite });
  const endedAt = data?.job.ended_at;
  useEffect(() => {
    if (endedAt) void client.invalidateQueries({ queryKey: groupsKey(slug) });
  }, [endedAt, client, slug]);
  if (isReader) return <NotForReaders title="Job" what="change user groups" />;
  if (!data && error instanceof ApiError && ["not_found", "invalid_fields"].includes(error.code)) {
    return <NotFound>No such job in this environment. It may have been deleted.</NotFound>;
  }
  return (
    <>
      <Breadcrumb inGroups here={data ? TITLES[data.job.kind] : "Job"} />
      <PageHeader
        title={data ? TITLES[data.job.kind] : "Job"}
        screen={data ? `${TITLES[data.job.kind]}: ${data.job.name}` : "Job"}
        note={data?.job.name}
        actions={data && <Actions job={data.job} />}
        isAtHand
      />
      <div className="flex flex-col gap-4">
        {error && !data && <Failure title="The job could not be loaded" error={error} onRetry={refetch} />}
        {error && data && (
          <Notice tone="warning" role="alert" title="The service cannot be reached">
            <p>This may be out of date. The job continues in the background.</p>
          </Notice>
        )}
        {!data && !error && <Skeleton className="h-24 max-w-xl" />}
        {data && (
          <>
            <JobStatus job={data.job} />
            {data.job.state !== "receiving" && !isBusy(data.job.state) && (
              <JobRows key={data.job.state} job={data.job} />
            )}
          </>
        )}
      </div>
    </>
  );
}

const TITLES = { import: "Import", change: "Change", undo: "Undo" };

function Actions({ job }: { job: Job }) {
  const slug = useEnvironmentSlug();
  const leadOn = useLeadOn();
  const [isAsking, setIsAsking] = useState(false);
  const { id, state } = job;
  const isOpen = ["receiving", "checking", "checked", "applying"].includes(state);
  const { total } = progressOf(job);
  return (
    <>
      {isOpen && (
        <JobButton
          act={() => askToCancelJob(slug, id)}
          wasDone={async () => (await readJob(slug, id)).state === "cancelled"}
          failed="The job was not cancelled"
          verb="Cancel job"
          doing="Cancelling…"
        />
      )}
      {state === "checked" && total > 0 && (
        <Button variant="primary" onClick={() => setIsAsking(true)}>
          Apply {rows(total)}…
        </Button>
      )}
      {!isOpen && job.can_apply && (
        <JobButton
          act={() => askToApplyJob(slug, id)}
          wasDone={async () => !(await readJob(slug, id)).can_apply}
          failed="The job was not continued"
          verb="Continue"
          doing="Continuing…"
          variant="primary"
        />
      )}
      {!isOpen && job.can_undo && (
        <JobButton
          act={() => askToUndoJob(slug, id)}
          wasDone={async () => (await findUndo(slug, id)) !== undefined}
          failed="The job was not undone"
          onDone={async (answer) => {
            const begun = answer?.job ?? (await findUndo(slug, id));
            if (begun) leadOn(`/${slug}/groups/jobs/${begun.id}`);
          }}
          verb="Undo"
          doing="Checking…"
        />
      )}
      {!isOpen && job.kind === "import" && (
        <PageLink href={`/${slug}/groups/import`} className={buttonLook()}>
          Import more
        </PageLink>
      )}
      {state === "done" && (
        <PageLink href={`/${slug}/groups`} className={buttonLook({ variant: "primary" })}>
          Show groups
        </PageLink>
      )}
      {isAsking && <ApplyJob job={job} onClose={() => setIsAsking(false)} />}
    </>
  );
}

interface JobButtonProps extends ActionOptions<void, JobAnswer>, Pick<ButtonProps, "variant"> {
  verb: string;
  /** the button's label while the action runs */
  doing: string;
}

/** Changes a job; a failure shows as a toast. */
function JobButton({ verb, doing, variant, ...action }: JobButtonProps) {
  const show = useShowAnswer();
  const onDone: typeof action.onDone = async (answer, fields) => {
    show(answer);
    await action.onDone?.(answer, fields);
  };
  const { run, state } = useAction({ ...action, onDone, isBare: true, reads: [jobsKey(useEnvironmentSlug())] });
  return (
    <Button variant={variant} onClick={() => run()} disabled={state !== "ready"}>
      {state === "ready" ? verb : doing}
    </Button>
  );
}

/** Shows a job as an answer describes it, in case that it cannot be read again. */
function useShowAnswer() {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  return (answer: JobAnswer | undefined) => {
    if (answer) client.setQueryData(jobQuery(slug, String(answer.job.id)).queryKey, answer);
  };
}

const WHAT = [
  ["create", "created"],
  ["change", "changed"],
  ["delete", "deleted"],
  ["restore", "restored"],
] as const;

function ApplyJob({ job, onClose }: { job: Job; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { planned } = job;
  const total = progressOf(job).total;
  const confirmation = useConfirmation("apply", total);
  const effects = WHAT.filter(([effect]) => planned[effect] > 0).map(([effect, done], at) =>
    at === 0 ? `${groupsIn(planned[effect])} will be ${done}` : `${planned[effect].toLocaleString("en")} ${done}`,
  );
  const skipped =
    planned.error === 1 ? "1 row has errors and is skipped" : `${rows(planned.error)} have errors and are skipped`;
  const what = new Intl.ListFormat("en").format(effects) + (planned.error > 0 ? `; ${skipped}` : "");
  const isUndoable = job.mode !== "rotate" && planned.create + planned.change + planned.delete > 0;
  const undoing = isUndoable ? "You can undo it for 7 days." : "It cannot be undone.";
  return (
    <ConfirmAction
      act={() => askToApplyJob(slug, job.id)}
      wasDone={async () => (await readJob(slug, job.id)).state !== "checked"}
      failed="Nothing was applied"
      onDone={useShowAnswer()}
      reads={[jobsKey(slug)]}
      title={`Apply ${rows(total)}?`}
      description={`${what}. If you cancel it while it runs, rows already applied stay. ${undoing}`}
      verb="Apply"
      disabled={!confirmation.isMet}
      onClose={onClose}
    >
      {confirmation.field}
    </ConfirmAction>
  );
}
