import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { groupsIn } from "@/components/count";
import { toastFailure } from "@/components/failure";
import { isUnapplied } from "@/components/jobs/words";
import { settle } from "@/components/settle";
import { leave } from "@/components/ui/leave-guard";
import { type ToastOptions, toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import { ApiError } from "@/lib/browser/api-client";
import type { GroupReference } from "@/lib/groups/schema";
import {
  askToApplyJob,
  askToCancelJob,
  askToChange,
  askToUndoJob,
  type GroupsChange,
  isBusy,
  newKey,
  readJob,
  waitForJob,
} from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

interface Options {
  groups: GroupReference[];
  onClose: () => void;
  /** the toast of a job that skipped no group */
  done: (job: Job) => ToastOptions;
  /** called whenever the job has ended */
  onEnd?: (job: Job) => void;
}

/**
 * A change of groups that a dialog starts in the service and follows. It continues when the page is closed. The job's
 * page shows which groups were skipped, and how to continue.
 */
export function useGroupsJob({ groups, onClose, done, onEnd }: Options) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const readAgain = useReadGroups();
  const { pageOf, showing, undo } = useUndo();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const [job, setJob] = useState<Job>();
  // Requesting the same change again returns the same job.
  const asked = useRef({ change: "", key: "" });
  const [isDryRun, setDryRun] = useState(true);
  const count = groups.length;
  const { mutate, reset, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async (begin: () => Promise<number>) => waitForJob(slug, await begin(), setJob),
    onSuccess: (ended) => {
      if (ended.state === "checked") return void (isShown.current || cancel(ended));
      if (isUnapplied(ended) && !ended.can_apply) return discard();
      onEnd?.(ended);
      const left = count - ended.planned.same - ended.done.changed - ended.done.deleted;
      if (left === 0) {
        const action = { label: "Undo", onClick: () => void undo(ended) };
        toast({ timeout: UNDO_MS, ...(ended.can_undo && { action }), ...done(ended) });
      } else if (isShown.current) router.push(pageOf(ended.id));
      else toast({ title: `${groupsIn(left)} not changed`, ...showing(ended.id) });
      // Another dialog may be open by now.
      if (isShown.current) onClose();
    },
    onError: (failure) => {
      if (isShown.current) return;
      if (!isDryRun) toastFailure("The change was not confirmed", failure, job && showing(job.id));
      else if (job) void cancel(job);
    },
    onSettled: readAgain,
  });
  // If this fails, the service cancels the job after some days.
  const cancel = ({ id }: Job) => askToCancelJob(slug, id).catch(() => undefined);
  const discard = () => {
    // It may be being applied, although it was last seen as checked.
    if (job?.state === "checked" && isDryRun) void cancel(job);
    setJob(undefined);
    asked.current = { change: "", key: "" };
    reset();
  };
  const begin = (change: GroupsChange) => {
    const text = JSON.stringify(change);
    if (asked.current.change !== text) asked.current = { change: text, key: newKey() };
    const { key } = asked.current;
    setDryRun(!change.apply);
    const teamIds = groups.map(({ teamId }) => teamId);
    mutate(async () => {
      const begun = await askToChange(slug, teamIds, { change, key });
      setJob(begun);
      return begun.id;
    });
  };
  const apply = (checked: Job) => {
    const { id, state } = checked;
    setDryRun(false);
    mutate(async () => {
      // After a failed look, the job is only followed again.
      if (isBusy(state)) return id;
      await settle({
        act: () => askToApplyJob(slug, id),
        wasDone: async () => !(await readJob(slug, id)).can_apply,
        failed: "The change was not started",
        undone: "The change was not started. Try again.",
      }).catch((failure: unknown) => {
        // Otherwise it may be being applied.
        setDryRun(!(failure instanceof ApiError && ["lost", "conflict"].includes(failure.code)));
        throw failure;
      });
      setJob({ ...checked, state: "applying" });
      return id;
    });
  };
  const stop = ({ id }: Job) => {
    askToCancelJob(slug, id).catch((failure: unknown) => toastFailure("The change was not stopped", failure));
  };
  return { job, count, isDryRun, isRunning: isPending, error, begin, apply, stop, discard };
}

export type GroupsJob = ReturnType<typeof useGroupsJob>;

/** How long Undo is offered, in milliseconds; the job's page offers it for days. */
const UNDO_MS = 20_000;
const UNDONE: Partial<Record<Job["mode"], [one: string, many: string]>> = {
  delete: ["was restored", "were restored"],
  suspend: ["is no longer suspended", "are no longer suspended"],
};

/** Undoes a job. The toast links to the job if anything could not be undone. */
function useUndo() {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const readAgain = useReadGroups();
  const pageOf = (id: number) => `/${slug}/groups/jobs/${id}`;
  /** Options that make a toast stay and link to a job. */
  const showing = (id: number) => ({
    timeout: 0,
    action: { label: "Show", onClick: () => leave(() => router.push(pageOf(id))) },
  });
  const undo = async ({ id, mode }: Job) => {
    try {
      const { job: begun } = await askToUndoJob(slug, id, true);
      const { planned, done, left } = await waitForJob(slug, begun.id, () => undefined);
      const undone = done.changed + done.restored + planned.same;
      const [one, many] = UNDONE[mode] ?? ["was changed back", "were changed back"];
      const title = `${groupsIn(undone)} ${undone === 1 ? one : many}`;
      const kept = planned.error + done.skipped + left;
      if (kept === 0) toast({ title });
      else toast({ title: `${groupsIn(kept)} not changed`, description: `${title}.`, ...showing(begun.id) });
    } catch (error) {
      toastFailure("Undo failed", error, showing(id));
    }
    await readAgain();
  };
  return { pageOf, showing, undo };
}
