import { PageLink } from "@/components/page-link";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { useEnvironmentSlug } from "@/components/use-environment";
import { DeliveryHealth } from "@/components/webhooks/health-bar";
import { TypeChips } from "@/components/webhooks/type-chips";
import { WebhookMenu } from "@/components/webhooks/webhook-menu";
import { WebhookState } from "@/components/webhooks/webhook-state";
import type { Webhook } from "@/lib/webhooks/schema";

const COLUMNS = [
  { name: "Webhook" },
  { name: "Last 100 deliveries", className: "w-60", line: false },
  { name: "State", className: "w-60", line: false },
];

/** Undefined while they load. */
export function WebhookTable({ webhooks }: { webhooks: Webhook[] | undefined }) {
  return (
    <Table
      label="Webhooks"
      columns={COLUMNS}
      hasActions
      rows={webhooks?.map((webhook) => <WebhookRow key={webhook.id} webhook={webhook} />)}
    />
  );
}

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
