import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { formatTime, utcOf } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { TimeField } from "@/components/ui/time-field";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { groupKeys } from "@/components/use-read-groups";
import type { Group } from "@/lib/groups/queries";
import { fetchGroup } from "@/lib/groups/queries";
import { askToSetEnd } from "@/lib/groups/state-queries";

/** Sets or clears when a group's access ends. */
export function AccessEnd({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { name, teamId, accessEndsAt } = group;
  const [timesCleared, setTimesCleared] = useState(0);
  const [end, setEnd] = useState<string | null | undefined>(accessEndsAt);
  const change = useAction({
    act: () => askToSetEnd(slug, group, end ?? null),
    wasDone: async () => (await fetchGroup(slug, String(teamId))).accessEndsAt === end,
    undone: "The end of access has not changed. Try again.",
    failed: "Nothing was changed",
    done: () => ({ title: end ? `Access of “${name}” ends ${formatTime(end)}` : `Access of “${name}” has no end` }),
    onClose,
    reads: groupKeys(slug),
  });
  return (
    <ConfirmDialog
      action={change}
      title={`End of access for “${name}”`}
      description="From then on renderers stop serving its dashboards. It keeps its token."
      verb="Save"
      doing="Saving…"
      disabled={end === undefined || end === accessEndsAt}
      onClose={onClose}
    >
      <TimeField
        key={timesCleared}
        label="Access ends"
        stored={timesCleared > 0 ? null : accessEndsAt}
        hint={end ? inUtc(end) : end === null && "Never"}
        onChange={setEnd}
      />
      {end !== null && (
        <Button
          className="self-start"
          onClick={() => {
            setTimesCleared(timesCleared + 1);
            setEnd(null);
          }}
        >
          Clear
        </Button>
      )}
    </ConfirmDialog>
  );
}

function inUtc(end: string): string {
  return `${utcOf(end)}${Date.parse(end) <= Date.now() ? ": in the past, so access ends now" : ""}`;
}
