import { useQuery } from "@tanstack/react-query";
import { usePathname, useRouter } from "next/navigation";
import { leave } from "@/components/ui/leave-guard";
import type { ToastOptions } from "@/components/ui/toast";
import { type Action, type ActionOptions, useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { adviceFor, type DeliveryAttempt, hostOf, lengthOf, outcomeOf } from "@/components/webhooks/webhook-words";
import { activityKey } from "@/lib/audit/queries";
import { askToTestWebhook, webhooksKey, webhooksQuery } from "@/lib/webhooks/queries";
import type { Delivery, Webhook } from "@/lib/webhooks/schema";

/** How often the webhooks' health is read, in milliseconds. */
const LOOK_MS = 5_000;

/** The environment's webhooks, polled for their health. Readers are not allowed to read them. */
export function useWebhooks() {
  return useQuery({ ...webhooksQuery(useEnvironmentSlug()), enabled: useCanWrite(), refetchInterval: LOOK_MS });
}

export interface WebhookAction<Fields, Answer>
  extends Omit<ActionOptions<Fields, Answer>, "act" | "wasDone" | "reads"> {
  act: (slug: string, fields: Fields) => Promise<Answer>;
  /** whether the current webhook shows that it was done; undefined if no webhook can show that */
  wasDone: ((webhook: Webhook | undefined, fields: Fields) => boolean) | undefined;
}

/** An action on a webhook. Refetches the webhooks and their deliveries afterwards. */
export function useWebhookAction<Fields = FormData, Answer = unknown>(
  id: number,
  { act, wasDone, ...options }: WebhookAction<Fields, Answer>,
): Action<Fields, Answer> {
  const slug = useEnvironmentSlug();
  return useAction<Fields, Answer>({
    ...options,
    act: (fields) => act(slug, fields),
    wasDone: async (fields, read) => {
      if (!wasDone) throw new Error("Look at the deliveries before you try again.");
      const now = await read(webhooksQuery(slug));
      return wasDone(
        now.find((one) => one.id === id),
        fields,
      );
    },
    reads: [webhooksKey(slug), activityKey(slug)],
  });
}

/** Sends a test event and reports its outcome, which the webhook's page shows too. */
export function useSendTest(webhook: Webhook): { run: () => void; isSent: boolean } {
  const { id } = webhook;
  const router = useRouter();
  const href = `/${useEnvironmentSlug()}/settings/webhooks/${id}`;
  const isOnItsPage = usePathname() === href;
  const { run, state } = useWebhookAction<void, Delivery>(id, {
    act: (slug) => askToTestWebhook(slug, id),
    wasDone: undefined,
    failed: "No test was sent",
    isBare: true,
    done: (_, delivery) => ({
      ...toldOf(webhook, delivery?.attempts.at(-1)),
      ...(!isOnItsPage && { action: { label: "See deliveries", onClick: () => leave(() => router.push(href)) } }),
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
