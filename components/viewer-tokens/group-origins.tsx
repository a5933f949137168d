import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Failure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { EditGroupOrigins } from "@/components/viewer-tokens/edit-group-origins";
import { OriginList } from "@/components/viewer-tokens/origin-list";
import type { Group } from "@/lib/groups/queries";
import { ownOriginsQuery } from "@/lib/viewer-tokens/queries";

/** Where the group's dashboards may be embedded. */
export function GroupOriginsPanel({ group }: { group: Group }) {
  const id = useId();
  const canWrite = useCanWrite();
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery(ownOriginsQuery(useEnvironmentSlug(), group));
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-7 items-center justify-between gap-3">
        <h3 id={id} className="font-medium">
          Allowed origins
        </h3>
        {canWrite && data && (
          <Button size="small" onClick={() => setOpen(true)}>
            Change…<span className="sr-only"> allowed origins</span>
          </Button>
        )}
      </div>
      {data ? (
        <div className="text-text-secondary text-xs">
          <OriginList origins={data.effective} />
          <p className="text-text-muted">{data.own ? "Set for this group." : "As in its environment."}</p>
        </div>
      ) : error ? (
        <Failure title="The allowed origins could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <Skeleton className="h-9" />
      )}
      {isOpen && data && <EditGroupOrigins group={group} origins={data} onClose={() => setOpen(false)} />}
    </section>
  );
}
