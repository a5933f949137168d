import { ConfirmDialog } from "@/components/confirm-dialog";
import { groupsIn } from "@/components/count";
import { useConfirmation } from "@/components/jobs/use-confirmation";
import { progressOf, rows } from "@/components/jobs/words";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { askToApplyJob, jobsKey, readJob } from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

const WHAT = [
  ["create", "created"],
  ["change", "changed"],
  ["delete", "deleted"],
  ["restore", "restored"],
] as const;

export function ApplyJob({ job, onClose }: { job: Job; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { planned } = job;
  const total = progressOf(job).total;
  const confirmation = useConfirmation("apply", total);
  const apply = useAction({
    act: () => askToApplyJob(slug, job.id),
    wasDone: async () => (await readJob(slug, job.id)).state !== "checked",
    undone: "Nothing has been changed. Try again.",
    failed: "Nothing was applied",
    onClose,
    reads: [jobsKey(slug)],
  });
  const effects = WHAT.filter(([effect]) => planned[effect] > 0).map(([effect, done], at) =>
    at === 0 ? `${groupsIn(planned[effect])} will be ${done}` : `${planned[effect].toLocaleString("en")} ${done}`,
  );
  const skipped =
    planned.error === 1 ? "1 row has errors and is skipped" : `${rows(planned.error)} have errors and are skipped`;
  const what = new Intl.ListFormat("en").format(effects) + (planned.error > 0 ? `; ${skipped}` : "");
  return (
    <ConfirmDialog
      action={apply}
      title={`Apply ${rows(total)}?`}
      description={`${what}. If you cancel it while it runs, rows already applied stay. You can undo it for 7 days.`}
      verb="Apply"
      doing="Applying…"
      disabled={!confirmation.isMet}
      onClose={onClose}
    >
      {confirmation.field}
    </ConfirmDialog>
  );
}
