import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { isRecent } from "@/components/groups/group-use";
import { DayAndTime, RelativeTime } from "@/components/relative-time";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import { fetchGroup, type Group } from "@/lib/groups/queries";
import { askToEndOverlap } from "@/lib/groups/token-queries";

/** That the old token was used lately, or whether it was stopped. */
type Outcome = { usedAt: string } | { hasEnded: boolean };

/** Ends a group's overlap; asks again when the old token was used lately. */
export function EndOverlap({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const readAgain = useReadGroups();
  // As it was when this opened.
  const [held] = useState(group);
  const [usedAt, setUsedAt] = useState<string>();
  const { name, previousToken } = held;
  const read = async () => (await fetchGroup(slug, String(held.teamId))).previousToken;
  const end = useAction({
    act: async (): Promise<Outcome> => {
      const lastUsedAt = usedAt === undefined ? ((await read())?.lastUsedAt ?? null) : null;
      if (lastUsedAt !== null && isRecent(lastUsedAt)) return { usedAt: lastUsedAt };
      return { hasEnded: await askToEndOverlap(slug, held.providedId) };
    },
    wasDone: async () => (await read())?.validUntil !== previousToken?.validUntil,
    undone: "The old token still works. Try again.",
    failed: "The old token was not stopped",
    unseen: { title: `The old token of “${name}”`, description: "Its row on the group’s page shows whether it works." },
    onDone: (outcome) => {
      if (outcome && "usedAt" in outcome) return setUsedAt(outcome.usedAt);
      const hadEnded = outcome?.hasEnded === false;
      toast({ title: `The old token of “${name}” ${hadEnded ? "had already stopped" : "has stopped"}` });
      onClose();
      return readAgain();
    },
  });
  return (
    <ConfirmDialog
      action={end}
      title={`End the old token of “${name}” now?`}
      description={
        previousToken && (
          <>
            It would work until <DayAndTime at={previousToken.validUntil} />. Pages that still have it no longer know
            who is viewing. This also ends current viewer tokens. The new token keeps working.
          </>
        )
      }
      verb={usedAt === undefined ? "End now" : "End now anyway"}
      doing="Ending…"
      danger
      onClose={onClose}
    >
      {usedAt !== undefined && (
        <Notice tone="warning" role="alert" title="Pages may still use it">
          <p>
            A renderer last checked the old token <RelativeTime at={usedAt} />. Pages that hold it stop showing their
            dashboards.
          </p>
        </Notice>
      )}
    </ConfirmDialog>
  );
}
