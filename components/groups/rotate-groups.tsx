"use client";

import { type FormEvent, useState } from "react";
import { ConfirmText } from "@/components/confirm-text";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { type BulkDialogProps, groupsIn, Running, useRun } from "@/components/groups/bulk-run";
import { OverlapField, USUAL_OVERLAP } from "@/components/groups/overlap-field";
import { useReadGroups } from "@/components/groups/use-read-groups";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { MOST_TOKENS } from "@/lib/groups/bulk-queries";
import {
  askToRotateGroups,
  countLeft,
  countUncertain,
  type Rotations,
  retryRotations,
} from "@/lib/groups/rotation-queries";
import type { GroupReference } from "@/lib/groups/schema";

interface RotateGroupsProps extends BulkDialogProps {
  /** leads to copying the new tokens */
  onCopy: (rotated: GroupReference[]) => void;
}

/** Rotates the tokens of many groups, and again those of groups that were left out. */
export function RotateGroups({ groups, onClose, onCopy }: RotateGroupsProps) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const readAgain = useReadGroups();
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const [typed, setTyped] = useState("");
  const [done, setDone] = useState<Rotations>();
  const run = useRun((earlier: Rotations | undefined, options) => {
    const work = { overlapSeconds: overlap, ...options };
    return earlier ? retryRotations(slug, earlier, work) : askToRotateGroups(slug, groups, work);
  });
  const left = done ? countLeft(done) : groups.length;
  // What was sent before is sent again as it was.
  const isChosen = left > (done ? countUncertain(done) : 0);
  const [running, setRunning] = useState(0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRunning(left);
    run.mutate(done, {
      onSuccess: (outcome) => {
        setDone(outcome);
        setTyped("");
        return readAgain();
      },
    });
  };
  const hasRotated = done !== undefined && done.rotated.length > 0;
  const expected = `rotate ${left}`;
  const needsText = environment?.tag !== "Testing" && left > 0;
  return (
    <Dialog
      open
      isHeld={run.isPending}
      environment={environment}
      onOpenChange={(open) => !open && onClose()}
      title={
        hasRotated
          ? `${groupsIn(done.rotated.length)} ${done.rotated.length === 1 ? "has a new token" : "have new tokens"}`
          : `Rotate ${groups.length === 1 ? "the token" : "the tokens"} of ${groupsIn(groups.length)}?`
      }
      description={
        hasRotated
          ? "Put the new tokens where the dashboards are embedded."
          : "Each group gets a new token, which nobody sees until it is copied."
      }
    >
      {run.isPending ? (
        <Running label="Rotating…" finished={run.finished} all={running} onStop={run.stop} />
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          {done && <LeftOut rotations={done} />}
          {isChosen && <OverlapField isMany value={overlap} onChange={setOverlap} />}
          {needsText && <ConfirmText expected={expected} value={typed} onChange={setTyped} />}
          {run.error && <Failure title="The rotation broke off" error={run.error} />}
          <DialogActions>
            <Button onClick={onClose}>{hasRotated ? "Done" : "Cancel"}</Button>
            {hasRotated && done.rotated.length <= MOST_TOKENS && (
              <Button variant={left === 0 ? "primary" : "secondary"} onClick={() => onCopy(done.rotated)}>
                Copy new tokens…
              </Button>
            )}
            {left > 0 && (
              <Button
                type="submit"
                variant={isChosen && overlap === 0 ? "danger" : "primary"}
                disabled={needsText && typed !== expected}
              >
                {done ? `Retry ${groupsIn(left)}` : `Rotate ${groupsIn(left)}`}
              </Button>
            )}
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}

/** The most groups that are named. */
const NAMED = 3;

/** Why groups were left out. */
function LeftOut({ rotations }: { rotations: Rotations }) {
  const { rotated, gone, refused, failure } = rotations;
  const uncertain = countUncertain(rotations);
  const unsent = countLeft(rotations) - refused.length - uncertain;
  const reasons = new Map<string, { name: string }[]>();
  for (const { group, code, message } of refused) {
    const reason = WORDS[code] ?? message;
    reasons.set(reason, [...(reasons.get(reason) ?? []), group]);
  }
  return (
    <>
      {failure && (
        <Failure title={rotated.length > 0 ? "Not all tokens were rotated" : "No token was rotated"} error={failure} />
      )}
      {(refused.length > 0 || uncertain > 0 || unsent > 0 || gone.length > 0) && (
        <Notice tone="warning" role="status" title="Left out">
          <ul className="flex flex-col gap-1">
            {[...reasons].map(([reason, groups]) => (
              <li key={reason}>
                {namesOf(groups)}: {reason}
              </li>
            ))}
            {uncertain > 0 && (
              <li>{groupsIn(uncertain)}: no answer. A retry finds out, and rotates none of them twice.</li>
            )}
            {unsent > 0 && <li>{groupsIn(unsent)}: not started.</li>}
            {gone.length > 0 && <li>{namesOf(gone)}: deleted.</li>}
          </ul>
        </Notice>
      )}
    </>
  );
}

const WORDS: Record<string, string | undefined> = {
  overlap_running: "an earlier token still works. Choose Now to stop both.",
};

/** "Acme, Initech and 3 more" */
function namesOf(groups: { name: string }[]): string {
  const named = groups.slice(0, NAMED).map(({ name }) => name);
  const more = groups.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more.toLocaleString("en")} more` : named.join(", ");
}
