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
import { hasFile, progressOf, rows } from "@/components/jobs/words";
import { NotForReaders } from "@/components/not-for-readers";
import { NotFound } from "@/components/not-found";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useLeadOn } from "@/components/use-lead-on";
import { useCanWrite, useIsReader } from "@/components/use-member";
import { ApiError } from "@/lib/browser/api-client";
import { groupsKey } from "@/lib/groups/queries";
import { askToApplyJob, askToCancelJob, askToUndoJob, findUndo, jobQuery, jobsKey, readJob } from "@/lib/jobs/queries";
import type { Job, JobAnswer } from "@/lib/jobs/schema";

/** One job: preview, progress and result. It runs in the service, with or without this page. */
export function JobPage() {
  const slug = useEnvironmentSlug();
  const { id } = useParams<{ id: string }>();
  const client = useQueryClient();
  const canWrite = useCanWrite();
  const isReader = useIsReader();
  const { data, error, refetch } = useQuery({ ...jobQuery(slug, id), enabled: canWrite });
  const state = data?.job.state;
  useEffect(() => {
    if (state === "done" || state === "cancelled") void client.invalidateQueries({ queryKey: groupsKey(slug) });
  }, [state, client, slug]);
  if (isReader) return <NotForReaders here="Import" title="Job" what="change user groups" />;
  if (!data && error instanceof ApiError && ["not_found", "invalid_fields"].includes(error.code)) {
    return <NotFound>No such job in this environment. It may have been deleted.</NotFound>;
  }
  return (
    <>
      <Breadcrumb inGroups here="Import" />
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
            {data.job.state !== "receiving" && <JobRows job={data.job} />}
          </>
        )}
      </div>
    </>
  );
}

const TITLES = { import: "Import", change: "Change", undo: "Undo" };

/** Goes on with the rows that were not done. */
function ContinueJob({ job }: { job: Job }) {
  const slug = useEnvironmentSlug();
  const proceed = useAction<void>({
    act: () => askToApplyJob(slug, job.id),
    wasDone: async () => !(await readJob(slug, job.id)).can_apply,
    failed: "The job was not continued",
    isBare: true,
    reads: [jobsKey(slug)],
  });
  return (
    <Button variant="primary" onClick={() => proceed.run()} disabled={proceed.state !== "ready"}>
      Continue
    </Button>
  );
}

function Actions({ job }: { job: Job }) {
  const slug = useEnvironmentSlug();
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useAction<void>({
    act: () => askToCancelJob(slug, job.id),
    wasDone: async () => (await readJob(slug, job.id)).state === "cancelled",
    failed: "The job was not cancelled",
    isBare: true,
    reads: [jobsKey(slug)],
  });
  const isOpen = ["receiving", "checking", "checked", "applying"].includes(job.state);
  const { total } = progressOf(job);
  return (
    <>
      {isOpen && (
        <Button onClick={() => cancel.run()} disabled={cancel.state !== "ready"}>
          {cancel.state === "ready" ? "Cancel job" : "Cancelling…"}
        </Button>
      )}
      {job.state === "checked" && total > 0 && (
        <Button variant="primary" onClick={() => setIsAsking(true)}>
          Apply {rows(total)}…
        </Button>
      )}
      {!isOpen && job.can_apply && <ContinueJob job={job} />}
      {!isOpen && job.can_undo && <UndoJob job={job} />}
      {!isOpen && hasFile(job) && (
        <PageLink href={`/${slug}/groups/import`} className={buttonLook()}>
          Import more
        </PageLink>
      )}
      {job.state === "done" && (
        <PageLink href={`/${slug}/groups`} className={buttonLook({ variant: "primary" })}>
          Show groups
        </PageLink>
      )}
      {isAsking && <ApplyJob job={job} onClose={() => setIsAsking(false)} />}
    </>
  );
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
  return (
    <ConfirmAction
      act={() => askToApplyJob(slug, job.id)}
      wasDone={async () => (await readJob(slug, job.id)).state !== "checked"}
      failed="Nothing was applied"
      reads={[jobsKey(slug)]}
      title={`Apply ${rows(total)}?`}
      description={`${what}. If you cancel it while it runs, rows already applied stay. You can undo it for 7 days.`}
      verb="Apply"
      disabled={!confirmation.isMet}
      onClose={onClose}
    >
      {confirmation.field}
    </ConfirmAction>
  );
}

/** Begins the undoing of a job, and leads to its dry run. */
function UndoJob({ job: { id } }: { job: Job }) {
  const slug = useEnvironmentSlug();
  const leadOn = useLeadOn();
  const undo = useAction<void, JobAnswer>({
    act: () => askToUndoJob(slug, id),
    wasDone: async () => (await findUndo(slug, id)) !== undefined,
    failed: "The job was not undone",
    isBare: true,
    onDone: async (answer) => {
      const begun = answer?.job ?? (await findUndo(slug, id));
      if (begun) leadOn(`/${slug}/groups/jobs/${begun.id}`);
    },
  });
  return (
    <Button onClick={() => undo.run()} disabled={undo.state !== "ready"}>
      {undo.state === "ready" ? "Undo" : "Checking…"}
    </Button>
  );
}
