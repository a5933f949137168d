import { usePathname, useRouter } from "next/navigation";
import type { ToastOptions } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useWebhookAction } from "@/components/webhooks/use-webhook-action";
import { adviceFor, type DeliveryAttempt, hostOf, lengthOf, outcomeOf } from "@/components/webhooks/webhook-words";
import { askToTestWebhook } from "@/lib/webhooks/queries";
import type { Delivery, Webhook } from "@/lib/webhooks/schema";

/** Sends a test event and tells its outcome, which the webhook's page shows too. */
export function useSendTest(webhook: Webhook): { run: () => void; isSent: boolean } {
  const { id } = webhook;
  const router = useRouter();
  const href = `/${useEnvironmentSlug()}/settings/webhooks/${id}`;
  const isOnItsPage = usePathname() === href;
  const { run, state } = useWebhookAction<void, Delivery>(id, {
    act: (slug) => askToTestWebhook(slug, id),
    wasDone: undefined,
    undone: "",
    failed: "No test was sent",
    isBare: true,
    done: (_, delivery) => ({
      ...toldOf(webhook, delivery?.attempts.at(-1)),
      ...(!isOnItsPage && { action: { label: "See deliveries", onClick: () => router.push(href) } }),
    }),
  });
  return { run: () => run(), isSent: state !== "ready" };
}

function toldOf(webhook: Webhook, attempt: DeliveryAttempt | undefined): ToastOptions {
  const host = hostOf(webhook);
  if (!attempt) return { title: `A test is on its way to ${host}` };
  if (attempt.error === null) return { title: `${host} received the test in ${lengthOf(attempt)}` };
  const description = adviceFor(attempt);
  return { title: `The test to ${host} failed: ${outcomeOf(attempt)}`, ...(description && { description }) };
}
