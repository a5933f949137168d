"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { progressOf, rows } from "@/components/imports/words";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { applyImport, importsKey } from "@/lib/imports/queries";
import type { Import } from "@/lib/imports/schema";

/** Asks before an import is carried out. */
export function ApplyImport({ job, onClose }: { job: Import; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const client = useQueryClient();
  const { create, change, error } = job.planned;
  const apply = useMutation({
    mutationFn: () => applyImport(slug, job.id),
    onSuccess: () => {
      onClose();
      return client.invalidateQueries({ queryKey: importsKey(slug) });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Apply ${rows(progressOf(job).total)}?`}
      description={`To create: ${create.toLocaleString("en")}. To change: ${change.toLocaleString("en")}. You can cancel on the way; what is done then stays.`}
    >
      {environment && <EnvironmentMark environment={environment} />}
      {error > 0 && <p className="text-text-muted">Left out, with errors: {rows(error)}.</p>}
      {apply.error && <Failure title="Nothing was applied" error={apply.error} />}
      <DialogActions>
        <Button onClick={onClose}>Not now</Button>
        <Button variant="primary" onClick={() => apply.mutate()} disabled={apply.isPending}>
          Apply
        </Button>
      </DialogActions>
    </Dialog>
  );
}
