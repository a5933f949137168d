import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { groupsIn } from "@/components/count";
import { toastFailure } from "@/components/failure";
import { isUnapplied } from "@/components/jobs/words";
import { settle } from "@/components/settle";
import { leave } from "@/components/ui/leave-guard";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import type { GroupReference } from "@/lib/groups/schema";
import {
  askToApplyJob,
  askToCancelJob,
  askToChange,
  askToUndoJob,
  type GroupsChange,
  newKey,
  readJob,
  waitForJob,
} from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

interface Options {
  groups: GroupReference[];
  onClose: () => void;
  /** what a job did that left nothing out, as a toast says it; without it, the dialog stays open */
  done?: (job: Job) => string;
  /** called whenever the job has ended */
  onEnd?: (job: Job) => void;
}

/** A change of groups that a dialog starts in the service and follows. It continues when the page is closed. */
export function useGroupsJob({ groups, onClose, done, onEnd }: Options) {
  const slug = useEnvironmentSlug();
  const readAgain = useReadGroups();
  const { tell, undo, showing } = useUndo();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const [job, setJob] = useState<Job>();
  // The same change asked for again is the same job.
  const asked = useRef({ change: "", key: "" });
  const count = groups.length;
  const notChanged = ({ planned, done }: Job) => count - planned.same - done.changed - done.deleted;
  const { mutate, reset, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async (begin: () => Promise<number>) => waitForJob(slug, await begin(), setJob),
    onSuccess: (ended) => {
      if (ended.state === "checked") return void (isShown.current || cancel(ended));
      if (isUnapplied(ended) && !ended.can_apply) return discard();
      onEnd?.(ended);
      const left = notChanged(ended);
      if (done && left === 0) {
        tell(ended, done(ended));
        onClose();
      } else if (!isShown.current) {
        toast({ title: left > 0 ? `${groupsIn(left)} not changed` : "The job is done", ...showing(ended.id) });
      }
    },
    onSettled: readAgain,
  });
  // If this fails, the service cancels it after some days.
  const cancel = ({ id }: Job) => askToCancelJob(slug, id).catch(() => undefined);
  const discard = () => {
    if (job?.state === "checked") void cancel(job);
    setJob(undefined);
    asked.current = { change: "", key: "" };
    reset();
  };
  const begin = (change: GroupsChange) => {
    const text = JSON.stringify(change);
    if (asked.current.change !== text) asked.current = { change: text, key: newKey() };
    const { key } = asked.current;
    const teamIds = groups.map(({ teamId }) => teamId);
    mutate(async () => {
      const begun = await askToChange(slug, teamIds, { change, key });
      setJob(begun);
      return begun.id;
    });
  };
  /** Applies it, or continues it. */
  const apply = ({ id }: Job) =>
    mutate(async () => {
      await settle({
        act: () => askToApplyJob(slug, id),
        wasDone: async () => !(await readJob(slug, id)).can_apply,
        failed: "The change was not started",
        undone: "The change was not started. Try again.",
      });
      return id;
    });
  const stop = ({ id }: Job) => {
    askToCancelJob(slug, id).catch((failure: unknown) => toastFailure("It was not stopped", failure));
  };
  const phase = isPending ? "running" : job && job.state !== "checked" ? "over" : "asking";
  return { job, count, phase, error, left: job ? notChanged(job) : 0, begin, apply, stop, undo, discard } as const;
}

export type GroupsJob = ReturnType<typeof useGroupsJob>;

/** How long Undo is offered, in milliseconds; the job's page offers it for days. */
const UNDO_MS = 20_000;
const UNDONE: Partial<Record<Job["mode"], [one: string, many: string]>> = {
  delete: ["was restored", "were restored"],
  suspend: ["is served again", "are served again"],
};

/** Undoes a job, or says what it has done and offers to undo it or to show it. */
function useUndo() {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const readAgain = useReadGroups();
  /** Makes a toast stay, and lead to a job. */
  const showing = (id: number) => ({
    timeout: 0,
    action: { label: "Show", onClick: () => leave(() => router.push(`/${slug}/groups/jobs/${id}`)) },
  });
  const undo = async ({ id, mode }: Job) => {
    try {
      const { job: begun } = await askToUndoJob(slug, id, true);
      const { planned, done, left } = await waitForJob(slug, begun.id, () => undefined);
      const undone = done.changed + done.restored + planned.same;
      const [one, many] = UNDONE[mode] ?? ["is as before", "are as before"];
      const title = `${groupsIn(undone)} ${undone === 1 ? one : many}`;
      const kept = planned.error + done.skipped + left;
      if (kept === 0) toast({ title });
      else toast({ title: `${groupsIn(kept)} not changed`, description: `${title}.`, ...showing(begun.id) });
    } catch (error) {
      toastFailure("Undo failed", error, showing(id));
    }
    await readAgain();
  };
  const tell = (job: Job, title: string) =>
    toast({
      title,
      timeout: UNDO_MS,
      ...(job.can_undo && { action: { label: "Undo", onClick: () => void undo(job) } }),
    });
  return { tell, undo, showing };
}
