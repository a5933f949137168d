import { isViewed } from "@/components/groups/group-use";
import { RelativeTime } from "@/components/relative-time";
import { Step } from "@/components/ui/steps";
import { UseMark } from "@/components/ui/use-mark";
import type { Group } from "@/lib/groups/queries";

/** The last step of embedding: whether the group has been viewed. The parent polls the group. */
export function SeeItUsed({ group, isCurrent = false }: { group: Group | undefined; isCurrent?: boolean }) {
  const isSeen = group !== undefined && isViewed(group);
  return (
    <Step
      number={3}
      title="See it used"
      isDone={isSeen}
      isCurrent={isCurrent}
      actions={
        <>
          <p className="text-text-muted text-xs">
            A new viewer token or a call of <code className="whitespace-nowrap font-mono">POST /api/viewer</code>{" "}
            counts.
          </p>
          <p role="status" className="flex items-baseline gap-2">
            <UseMark use={isSeen ? "in use" : "never"} />
            {isSeen && group.lastUsedAt ? (
              <span className="text-success">
                Seen <RelativeTime at={group.lastUsedAt} />
              </span>
            ) : (
              <span className="text-text-secondary">
                {group && group.state !== "active"
                  ? "Its dashboards are not being served."
                  : "Waiting for the first use…"}
              </span>
            )}
          </p>
        </>
      }
    />
  );
}
