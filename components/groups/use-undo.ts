import { useRouter } from "next/navigation";
import { groupsIn } from "@/components/count";
import { toastFailure } from "@/components/failure";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import { askToUndoJob, waitForJob } from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

/** How long Undo is offered, in milliseconds; the job's page offers it for days. */
const UNDO_MS = 20_000;
const UNDONE: Partial<Record<Job["mode"], [one: string, many: string]>> = {
  delete: ["was restored", "were restored"],
  suspend: ["is served again", "are served again"],
};

/** Undoes a job, or says what it has done and offers to undo it or to show it. */
export function useUndo() {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const readAgain = useReadGroups();
  /** Makes a toast stay, and lead to a job. */
  const showing = (id: number) => ({
    timeout: 0,
    action: { label: "Show", onClick: () => router.push(`/${slug}/groups/jobs/${id}`) },
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
