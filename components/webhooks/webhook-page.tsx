"use client";

import { Play, Send } from "lucide-react";
import { useParams } from "next/navigation";
import { Breadcrumb } from "@/components/breadcrumb";
import { Failure } from "@/components/failure";
import { NotForReaders } from "@/components/not-for-readers";
import { NotFound } from "@/components/not-found";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { DayAndTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useIsReader } from "@/components/use-member";
import { DeliveryHealth } from "@/components/webhooks/delivery-health";
import { DeliveryList } from "@/components/webhooks/delivery-list";
import { TypeChips } from "@/components/webhooks/type-chips";
import { useSendTest, useWebhooks } from "@/components/webhooks/use-webhooks";
import { EnableWebhook, WebhookMenu, webhookDialogs } from "@/components/webhooks/webhook-menu";
import { WebhookState } from "@/components/webhooks/webhook-state";
import { hostOf } from "@/components/webhooks/webhook-words";
import type { Webhook } from "@/lib/webhooks/schema";

/** A webhook with its deliveries. */
export function WebhookPage() {
  const { webhook: id } = useParams<{ webhook: string }>();
  const { data, error, refetch } = useWebhooks();
  if (useIsReader()) return <NotForReaders title="Webhooks" what="see webhooks" inGroups={false} />;
  const webhook = data?.find((one) => String(one.id) === id);
  if (webhook) return <Loaded webhook={webhook} />;
  if (data)
    return <NotFound>This webhook does not exist here: it was deleted, or belongs to another environment.</NotFound>;
  return (
    <>
      <PageHeader title="Webhook" />
      {error ? (
        <Failure title="The webhook could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <Skeleton className="h-40 rounded-xl" />
      )}
    </>
  );
}

function Loaded({ webhook }: { webhook: Webhook }) {
  const slug = useEnvironmentSlug();
  const host = hostOf(webhook);
  return (
    <>
      <Breadcrumb here={host} parent={{ href: `/${slug}/settings/webhooks`, label: "Webhooks" }} />
      <PageLink
        href={`/${slug}/settings/webhooks`}
        className="rounded-sm text-text-secondary hover:text-text sm:hidden"
      >
        ‹ Webhooks
      </PageLink>
      <PageHeader title={host} screen={`Webhook to ${host}`} actions={<Actions webhook={webhook} />}>
        {webhook.description}
      </PageHeader>
      <Facts webhook={webhook} />
      <DeliveryList webhook={webhook} />
    </>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const test = useSendTest(webhook);
  const [isEnabling, enable, close] = useOpen<true>(webhookDialogs);
  return (
    <>
      {webhook.enabled ? (
        <Button icon={Send} variant="primary" disabled={test.isSent} onClick={test.run}>
          {test.isSent ? "Sending test…" : "Send test"}
        </Button>
      ) : (
        <Button icon={Play} variant="primary" onClick={() => enable(true)}>
          Enable…
        </Button>
      )}
      <WebhookMenu webhook={webhook} isOnItsPage />
      {isEnabling && <EnableWebhook webhook={webhook} onClose={close} />}
    </>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { url, types, health, previous_secret_valid_until: until } = webhook;
  return (
    <dl className="mb-7 grid gap-x-8 gap-y-4 rounded-xl border border-border px-4 py-3.5 sm:grid-cols-2">
      <Fact name="State">
        <WebhookState webhook={webhook} />
      </Fact>
      <Fact name="Last 100 deliveries">
        <DeliveryHealth health={health} />
      </Fact>
      <Fact name="URL">
        <code className="break-all font-mono text-xs">{url}</code>
      </Fact>
      <Fact name="Events">
        <div className="-mt-1.5">
          <TypeChips types={types} />
        </div>
      </Fact>
      {webhook.made_by && <Fact name="Created by">{webhook.made_by.name}</Fact>}
      {until && (
        <Fact name="Secret">
          Rotated: the old secret also signs until <DayAndTime at={until} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="pb-0.5 font-medium text-text-muted text-xs">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
