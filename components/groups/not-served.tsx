import { useQuery } from "@tanstack/react-query";
import type { GroupDialog } from "@/components/groups/group-dialogs";
import { part } from "@/components/part";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { suspensionQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";

const AskedSince = part(async () => (await import("@/components/groups/asked-since")).AskedSince);

/** Says why renderers do not serve the group, and how to change that; nothing for an active one. */
export function NotServed({ group, onOpen }: { group: Group; onOpen: (dialog: GroupDialog) => void }) {
  const canWrite = useCanWrite();
  const { state, accessEndsAt } = group;
  if (state === "active") return null;
  const isSuspended = state === "suspended";
  return (
    <div className="pb-4">
      <Notice
        tone="danger"
        title={isSuspended ? "Suspended" : "Access has ended"}
        action={
          canWrite && (
            <Button onClick={() => onOpen(isSuspended ? "active" : "end")}>
              {isSuspended ? "Resume…" : "Change end…"}
            </Button>
          )
        }
      >
        {isSuspended ? (
          <Suspension group={group} />
        ) : (
          <p>Its access ended {accessEndsAt && <RelativeTime at={accessEndsAt} />}.</p>
        )}
        <p className="text-text-secondary">Renderers do not serve its dashboards. It keeps its token.</p>
      </Notice>
    </div>
  );
}

/** Who suspended it and why, from the history. */
function Suspension({ group }: { group: Group }) {
  const { data } = useQuery(suspensionQuery(useEnvironmentSlug(), group));
  if (!data) return null;
  return (
    <>
      <p>
        By {data.by} <RelativeTime at={data.at} />
        {data.reason && `: ${data.reason}`}
      </p>
      <AskedSince at={data.at} />
    </>
  );
}
