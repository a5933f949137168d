"use client";

import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { NotForReaders } from "@/components/not-for-readers";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { useEnvironmentName, useEnvironmentSlug } from "@/components/use-environment";
import { useIsReader } from "@/components/use-member";
import { DeliveryHealth } from "@/components/webhooks/delivery-health";
import { TypeChips } from "@/components/webhooks/type-chips";
import { useWebhooks } from "@/components/webhooks/use-webhooks";
import { WebhookMenu } from "@/components/webhooks/webhook-menu";
import { WebhookState } from "@/components/webhooks/webhook-state";
import { MAX_WEBHOOKS } from "@/lib/webhooks/facts";
import type { Webhook } from "@/lib/webhooks/schema";

const dialog = onDemand(() => import("@/components/webhooks/new-webhook"));
const NewWebhook = dialog.part("NewWebhook");

export function WebhooksPage() {
  const name = useEnvironmentName();
  const { data, error, refetch } = useWebhooks();
  const [making, show, close] = useOpen<true>(dialog);
  if (useIsReader()) return <NotForReaders title="Webhooks" what="see webhooks" inGroups={false} />;
  const isFull = (data?.length ?? 0) >= MAX_WEBHOOKS;
  return (
    <>
      <PageHeader
        title="Webhooks"
        note={data && data.length > 0 && noteOf(data)}
        actions={
          <Button icon={Plus} variant="primary" disabled={isFull} onClick={() => show(true)}>
            Create webhook
          </Button>
        }
      >
        Send changes in {name} to your systems as signed POST requests.
        {isFull && ` An environment has at most ${MAX_WEBHOOKS}: delete one to create another.`}
      </PageHeader>
      {error && !data ? (
        <Failure title="The webhooks could not be loaded" error={error} onRetry={refetch} />
      ) : data?.length === 0 ? (
        <EmptyPanel icon={WebhookIcon} title="No webhooks yet">
          <p>
            A webhook sends an event when a user group is created, changed or deleted. Failed deliveries are retried for
            three days.
          </p>
        </EmptyPanel>
      ) : (
        <Table
          label="Webhooks"
          columns={COLUMNS}
          hasActions
          rows={data?.map((webhook) => <WebhookRow key={webhook.id} webhook={webhook} />)}
        />
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

const COLUMNS = [
  { name: "Webhook" },
  { name: "Last 100 deliveries", className: "w-40" },
  { name: "State", className: "w-80" },
];

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const slug = useEnvironmentSlug();
  const { id, url, description, types, health } = webhook;
  return (
    <TableRow>
      <Cell line className="py-3 align-top @max-4xl:py-0 @max-4xl:pr-10">
        <PageLink
          href={`/${slug}/settings/webhooks/${id}`}
          title={url}
          className="block truncate rounded-sm font-medium font-mono text-xs leading-5 hover:underline"
        >
          {url}
        </PageLink>
        {description && <span className="block whitespace-normal break-words text-text-secondary">{description}</span>}
        <TypeChips types={types} />
      </Cell>
      <Cell className="whitespace-normal py-3 align-top text-text-secondary text-xs @max-4xl:py-1.5">
        <DeliveryHealth health={health} />
      </Cell>
      <Cell className="whitespace-normal py-3 align-top @max-4xl:w-56 @max-4xl:grow @max-4xl:py-1.5">
        <WebhookState webhook={webhook} />
      </Cell>
      <ActionCell>
        <WebhookMenu webhook={webhook} />
      </ActionCell>
    </TableRow>
  );
}
