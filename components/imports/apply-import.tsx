"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { progressOf, rows } from "@/components/imports/words";
import { useAction } from "@/components/use-action";
import { askToApplyImport, importsKey, readImport } from "@/lib/imports/queries";
import type { Import } from "@/lib/imports/schema";

export function ApplyImport({ job, onClose }: { job: Import; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const client = useQueryClient();
  const { create, change, delete: remove, error } = job.planned;
  const deletions = job.mode === "sync" ? ` To delete: ${remove.toLocaleString("en")}.` : "";
  const apply = useAction({
    act: () => askToApplyImport(slug, job.id),
    wasDone: async () => (await readImport(slug, job.id)).state !== "checked",
    undone: "Nothing has been changed. Try again.",
    failed: "Nothing was applied",
    onDone: () => {
      onClose();
      return client.invalidateQueries({ queryKey: importsKey(slug) });
    },
  });
  return (
    <ConfirmDialog
      action={apply}
      environment={environment}
      title={`Apply ${rows(progressOf(job).total)}?`}
      description={`To create: ${create.toLocaleString("en")}. To change: ${change.toLocaleString("en")}.${deletions} You can cancel while it runs; rows already applied stay.`}
      verb="Apply"
      doing="Applying…"
      onClose={onClose}
    >
      {error > 0 && <p className="text-text-muted">Left out because of errors: {rows(error)}.</p>}
    </ConfirmDialog>
  );
}
