"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { useConfirmation } from "@/components/jobs/use-confirmation";
import { progressOf, rows } from "@/components/jobs/words";
import { useAction } from "@/components/use-action";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { askToApplyJob, jobsKey, readJob } from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

const WHAT = [
  ["create", "To create"],
  ["change", "To change"],
  ["delete", "To delete"],
  ["restore", "To restore"],
] as const;

export function ApplyJob({ job, onClose }: { job: Job; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const client = useQueryClient();
  const { planned } = job;
  const total = progressOf(job).total;
  const confirmation = useConfirmation("apply", total);
  const apply = useAction({
    act: () => askToApplyJob(slug, job.id),
    wasDone: async () => (await readJob(slug, job.id)).state !== "checked",
    undone: "Nothing has been changed. Try again.",
    failed: "Nothing was applied",
    onDone: () => {
      onClose();
      return client.invalidateQueries({ queryKey: jobsKey(slug) });
    },
  });
  const what = WHAT.filter(([effect]) => planned[effect] > 0)
    .map(([effect, words]) => ` ${words}: ${planned[effect].toLocaleString("en")}.`)
    .join("");
  return (
    <ConfirmDialog
      action={apply}
      environment={environment}
      title={`Apply ${rows(total)}?`}
      description={`${what.trim()} You can cancel while it runs; rows already applied stay. You can undo it for 7 days.`}
      verb="Apply"
      doing="Applying…"
      disabled={!confirmation.isMet}
      onClose={onClose}
    >
      {planned.error > 0 && <p className="text-text-muted">Left out because of errors: {rows(planned.error)}.</p>}
      {confirmation.field}
    </ConfirmDialog>
  );
}
