import { useState } from "react";
import { groupsIn } from "@/components/count";
import { withFailureToast } from "@/components/failure";
import type { BulkDialogProps } from "@/components/groups/job-dialog";
import { JobDialog } from "@/components/groups/job-dialog";
import { OverlapField, USUAL_OVERLAP } from "@/components/groups/overlap-field";
import { useGroupsJob } from "@/components/groups/use-groups-job";
import { useConfirmation } from "@/components/jobs/use-confirmation";
import { Button } from "@/components/ui/button";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { GroupReference } from "@/lib/groups/schema";
import { MAX_TOKENS } from "@/lib/groups/token-queries";
import { fetchChanged } from "@/lib/jobs/queries";

interface RotateGroupsProps extends BulkDialogProps {
  /** leads to copying the new tokens */
  onCopy: (rotated: GroupReference[]) => void;
}

/** Rotates the tokens of many groups. */
export function RotateGroups({ groups, onClose, onCopy }: RotateGroupsProps) {
  const slug = useEnvironmentSlug();
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const run = useGroupsJob({ groups, onClose });
  const confirmation = useConfirmation("rotate", groups.length, overlap === 0);
  const rotated = run.phase === "over" ? (run.job?.done.changed ?? 0) : 0;
  const copy = () =>
    withFailureToast("The new tokens could not be listed", async () => {
      const numbers = await fetchChanged(slug, run.job?.id ?? 0);
      onCopy(groups.filter(({ teamId }) => numbers.has(teamId)));
    });
  return (
    <JobDialog
      run={run}
      title={
        rotated > 0
          ? `${groupsIn(rotated)} ${rotated === 1 ? "has a new token" : "have new tokens"}`
          : `Rotate ${groups.length === 1 ? "the token" : "the tokens"} of ${groupsIn(groups.length)}?`
      }
      description={
        rotated > 0
          ? "Put the new tokens where the dashboards are embedded."
          : "Each group gets a new token, which no one sees until it is copied."
      }
      doing="Rotating…"
      failed="No token was rotated"
      verb={`Rotate ${groupsIn(groups.length)}`}
      isDanger={run.phase === "asking" && overlap === 0}
      isDisabled={!confirmation.isMet}
      onSubmit={() => run.begin({ mode: "rotate", apply: true, ...(overlap > 0 && { overlap_seconds: overlap }) })}
      onClose={onClose}
      more={
        rotated > 0 &&
        rotated <= MAX_TOKENS && (
          <Button variant={run.job?.can_apply ? "secondary" : "primary"} onClick={() => void copy()}>
            Copy new tokens…
          </Button>
        )
      }
    >
      <OverlapField isMany value={overlap} onChange={setOverlap} />
      {confirmation.field}
    </JobDialog>
  );
}
