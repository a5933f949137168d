"use client";

import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { usePageActions } from "@/components/page-actions";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironment } from "@/components/use-environment";
import { ForAdmins } from "@/components/webhooks/for-admins";
import { useWebhooks } from "@/components/webhooks/use-webhooks";
import { WebhookTable } from "@/components/webhooks/webhook-table";
import { MAX_WEBHOOKS } from "@/lib/webhooks/facts";

const dialog = onDemand(() => import("@/components/webhooks/new-webhook"));
const NewWebhook = dialog.part("NewWebhook");

export function WebhooksPage() {
  return (
    <ForAdmins>
      <Webhooks />
    </ForAdmins>
  );
}

function Webhooks() {
  const name = useEnvironment()?.name ?? "this environment";
  const { data, error, refetch } = useWebhooks();
  const [making, show, close] = useOpen<true>(dialog);
  const create = () => show(true);
  const isFull = (data?.length ?? 0) >= MAX_WEBHOOKS;
  usePageActions(isFull ? [] : [{ label: "Create webhook…", run: create }]);
  return (
    <>
      <PageHeader
        title="Webhooks"
        note={data ? data.length > 0 && noteOf(data) : <Skeleton className="inline-block h-3.5 w-10" />}
        actions={
          <Button icon={Plus} variant="primary" disabled={isFull} onClick={create}>
            Create webhook
          </Button>
        }
      >
        Send changes in {name} to your systems as signed POST requests.
        {isFull && ` An environment has at most ${MAX_WEBHOOKS}: delete one to create another.`}
      </PageHeader>
      {error && !data ? (
        <Failure title="The webhooks could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : data?.length === 0 ? (
        <EmptyPanel icon={WebhookIcon} title="No webhooks yet">
          <p>
            A webhook sends an event when a user group is created, changed or deleted. Failed deliveries are retried for
            three days.
          </p>
        </EmptyPanel>
      ) : (
        <WebhookTable webhooks={data} />
      )}
      {making && <NewWebhook onClose={close} />}
    </>
  );
}

/** "2 enabled, 1 disabled" */
function noteOf(webhooks: { enabled: boolean }[]): string {
  const disabled = webhooks.filter(({ enabled }) => !enabled).length;
  return `${webhooks.length - disabled} enabled${disabled > 0 ? `, ${disabled} disabled` : ""}`;
}
