"use client";

import { utcOf } from "@/components/groups/access-end";
import { otherState } from "@/components/groups/state-mark";
import { useCanWrite } from "@/components/members/use-member";
import { formatTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { useInBrowser } from "@/components/use-in-browser";
import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";

const STATES = { active: "Active", suspended: "Suspended", ended: "Ended" };

interface AccessCardProps {
  group: Group;
  onState: (to: GroupState) => void;
  onEnd: () => void;
}

/** Whether renderers serve the group, and until when. */
export function AccessCard({ group, onState, onEnd }: AccessCardProps) {
  const { state, accessEndsAt } = group;
  const canWrite = useCanWrite();
  const isInBrowser = useInBrowser();
  const hasEnded = state === "ended";
  return (
    <section
      aria-labelledby="access-title"
      className="flex flex-col gap-3 rounded-md border border-border bg-surface p-4"
    >
      <h2 id="access-title" className="font-semibold text-lg">
        Access
      </h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-text-muted">
        <dt>State</dt>
        <dd className="text-text">{STATES[state]}</dd>
        <dt>{hasEnded ? "Ended" : "Ends"}</dt>
        <dd className="text-text">
          {accessEndsAt ? (
            <time dateTime={accessEndsAt}>
              {isInBrowser && formatTime(accessEndsAt)}
              <span className="block text-text-muted text-xs">{utcOf(accessEndsAt)}</span>
            </time>
          ) : (
            "Never"
          )}
        </dd>
      </dl>
      {canWrite && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => onState(otherState(group))}>{state === "suspended" ? "Resume…" : "Suspend…"}</Button>
          <Button onClick={onEnd}>{accessEndsAt ? "Change end…" : "Set end…"}</Button>
        </div>
      )}
    </section>
  );
}
