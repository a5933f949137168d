import { useQuery } from "@tanstack/react-query";
import { isTokenSeen } from "@/components/groups/group-use";
import { RelativeTime } from "@/components/relative-time";
import { Step } from "@/components/ui/steps";
import { UseMark } from "@/components/ui/use-mark";
import { useEnvironmentSlug } from "@/components/use-environment";
import { type Group, groupQuery } from "@/lib/groups/queries";

/** How often the first use is looked for, in milliseconds. */
const POLL_MS = 3_000;

/** Waits for the first use of the group, while the page is visible. */
export function SeeItUsed({ group }: { group: Group }) {
  const isSeen = isTokenSeen(group);
  const slug = useEnvironmentSlug();
  useQuery({ ...groupQuery(slug, String(group.teamId)), refetchInterval: isSeen ? false : POLL_MS });
  const { lastUsedAt, state } = group;
  return (
    <Step
      number={3}
      title="See it used"
      isDone={isSeen}
      actions={
        <>
          <p className="text-text-muted text-xs">
            New viewer tokens and calls of <code className="whitespace-nowrap font-mono">POST /api/viewer</code> count.
          </p>
          <p role="status" className="flex items-baseline gap-2">
            <UseMark use={isSeen ? "in use" : "never"} />
            {isSeen && lastUsedAt ? (
              <span className="text-success">
                Seen <RelativeTime at={lastUsedAt} />
              </span>
            ) : (
              <span className="text-text-secondary">
                {state === "active" ? "Waiting for the first use…" : "Its dashboards are not served now."}
              </span>
            )}
          </p>
        </>
      }
    />
  );
}
