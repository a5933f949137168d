import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ActionDialog, ConfirmDialog } from "@/components/confirm-dialog";
import { CopyButton } from "@/components/copy-button";
import { EmbedCode } from "@/components/groups/embed-code";
import { OverlapField, STOPPED, USUAL_OVERLAP } from "@/components/groups/overlap-field";
import { RotationLine } from "@/components/groups/rotation-line";
import { DayAndTime, durationBetween, StrongTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug, useIsCustomer } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import { ApiError } from "@/lib/browser/api-client";
import { cn } from "@/lib/browser/class-name";
import type { Group } from "@/lib/groups/queries";
import { fetchGroup } from "@/lib/groups/queries";
import { askToRotateToken, type RotatedToken } from "@/lib/groups/token-queries";
import { groupChecksQuery } from "@/lib/groups/use-queries";

const ROTATED_ALREADY =
  "It has been rotated since you opened this dialog. The group’s page has the new token, and its history says who " +
  "rotated it.";

/** Confirms a rotation, then shows the new token and its embed configurations. */
export function RotateToken({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const isCustomer = useIsCustomer();
  const readAgain = useReadGroups();
  // Fixed: the token that was current when the dialog opened.
  const [held] = useState(group);
  // The service refuses a second overlap: the only choice is to stop both tokens now.
  const [overlap, setOverlap] = useState(held.previousToken ? 0 : USUAL_OVERLAP);
  // Not through the cache, which could return a fetch that began before the rotation.
  const read = () => fetchGroup(slug, String(held.teamId));
  const rotation = useAction({
    act: async () => {
      try {
        return await askToRotateToken(slug, held, overlap);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "stale") throw error;
        const then = await read();
        if (then.rotatedAt !== held.rotatedAt) throw new Error(ROTATED_ALREADY);
        // Only something other than the token was changed.
        return await askToRotateToken(slug, then, overlap);
      }
    },
    wasDone: async () => (await read()).rotatedAt !== held.rotatedAt,
    failed: "The token was not rotated",
    unseen: {
      title: `The token of “${held.name}” was rotated`,
      description: "Reveal the new one on the group’s page.",
    },
    // Not "reads": the new token is shown without waiting for the page.
    onDone: () => void readAgain(),
    onFailed: () => void readAgain(),
    onClose: (outcome) => {
      if (outcome) return;
      const description = "The response was lost: reveal the new token on the group’s page.";
      toast({ title: `The token of “${held.name}” was rotated`, description, timeout: 0 });
      onClose();
    },
  });
  if (rotation.answer) return <NewToken group={held} rotated={rotation.answer} onClose={onClose} />;
  return (
    <ConfirmDialog
      action={rotation}
      title={`Rotate the token of “${held.name}”?`}
      description={<OldTokenUse group={held} />}
      verb="Rotate token"
      danger={overlap === 0}
      retype={isCustomer && overlap === 0 && held.providedId}
      onClose={onClose}
    >
      {held.previousToken ? (
        <>
          <p className="text-text-secondary">{STOPPED}</p>
          <Notice tone="warning">
            <p>
              The token before it works until <DayAndTime at={held.previousToken.validUntil} />. It stops now too: a
              group has one old token at most.
            </p>
          </Notice>
        </>
      ) : (
        <OverlapField value={overlap} onChange={setOverlap} />
      )}
    </ConfirmDialog>
  );
}

/** How much the token to be replaced is used. */
function OldTokenUse({ group }: { group: Group }) {
  const { data: checks } = useQuery(groupChecksQuery(useEnvironmentSlug(), group));
  const { lastUsedAt } = group;
  if (!lastUsedAt) return "It has never been used.";
  const today = checks?.days.at(-1) ?? 0;
  return (
    <>
      It was last used <StrongTime at={lastUsedAt} />
      {today > 0 && `, ${today === 1 ? "once" : `${today.toLocaleString("en")} times`} today`}.
    </>
  );
}

function NewToken({ group, rotated, onClose }: { group: Group; rotated: RotatedToken; onClose: () => void }) {
  const { token, previousValidUntil } = rotated;
  return (
    <ActionDialog
      wide
      onClose={onClose}
      title="The token was rotated"
      description={
        previousValidUntil ? (
          <>
            The old token of “{group.name}” works until <DayAndTime at={previousValidUntil} />. Put the new one where
            its dashboards are embedded by then.
          </>
        ) : (
          `The old token of “${group.name}” has stopped. Put the new one where its dashboards are embedded.`
        )
      }
    >
      <div className="flex items-center gap-1 rounded-lg border border-border bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 break-all font-medium font-mono text-token">{token}</code>
        <CopyButton what="new token" text={token} size="icon" autoFocus />
      </div>
      <EmbedCode group={group} token={token} fetchToken={async () => token} />
      <FirstSeen group={group} isOverlapping={previousValidUntil !== null} />
      <DialogActions>
        <Button onClick={onClose}>Done</Button>
      </DialogActions>
    </ActionDialog>
  );
}

/** How often to look for the new token's first check, in milliseconds. */
const POLL_MS = 3_000;

/** Waits for the first check of the new token. */
function FirstSeen({ group: { teamId, rotatedAt }, isOverlapping }: { group: Group; isOverlapping: boolean }) {
  const slug = useEnvironmentSlug();
  // Not the page's query, which may still have the group from before the rotation.
  const { data } = useQuery({
    queryKey: ["first use", slug, teamId, rotatedAt],
    queryFn: ({ signal }) => fetchGroup(slug, String(teamId), signal),
    refetchInterval: ({ state }) => (state.data?.firstUsedAt ? false : POLL_MS),
    gcTime: 0,
  });
  const firstUsedAt = data?.firstUsedAt;
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-4.5 gap-y-1 text-text-secondary">
      <RotationLine isSeen={Boolean(firstUsedAt)} isOverlapping={isOverlapping} />
      <span className={cn("min-w-0", firstUsedAt && "text-success")}>
        {firstUsedAt
          ? `First check of the new token: ${durationBetween(data.rotatedAt, firstUsedAt)} after the rotation`
          : "Waiting for the first check of the new token…"}
      </span>
    </div>
  );
}
