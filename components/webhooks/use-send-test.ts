"use client";

import { usePathname, useRouter } from "next/navigation";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useWebhookAction } from "@/components/webhooks/use-webhook-action";
import { hostOf } from "@/components/webhooks/webhook-words";
import { askToTestWebhook } from "@/lib/webhooks/queries";
import type { Webhook } from "@/lib/webhooks/schema";

/** Sends a test event, whose outcome the webhook's page shows. */
export function useSendTest(webhook: Webhook): { run: () => void; isSent: boolean } {
  const { id } = webhook;
  const router = useRouter();
  const href = `/${useEnvironmentSlug()}/settings/webhooks/${id}`;
  const isOnItsPage = usePathname() === href;
  const { run, state } = useWebhookAction<void>(id, {
    act: (slug) => askToTestWebhook(slug, id),
    wasDone: undefined,
    undone: "",
    failed: "No test was sent",
    isBare: true,
    done: () => ({
      title: `A test is on its way to ${hostOf(webhook)}`,
      ...(!isOnItsPage && { action: { label: "See deliveries", onClick: () => router.push(href) } }),
    }),
  });
  return { run: () => run(), isSent: state !== "ready" };
}
