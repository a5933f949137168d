import type { ToastOptions } from "@/components/ui/toast";
import { type Action, useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { activityKey } from "@/lib/audit/queries";
import { webhooksKey, webhooksQuery } from "@/lib/webhooks/queries";
import type { Webhook } from "@/lib/webhooks/schema";

interface WebhookAction<Fields, Answer> {
  act: (slug: string, fields: Fields) => Promise<Answer>;
  /** whether it was done, by the webhook as it is now; undefined if it cannot be told */
  wasDone: ((webhook: Webhook | undefined, fields: Fields) => boolean) | undefined;
  undone: string;
  failed: string;
  isBare?: boolean;
  isSecret?: boolean;
  done?: (fields: Fields, answer: Answer | undefined) => ToastOptions;
  unseen?: ToastOptions;
  onDone?: () => void;
}

/** An action on a webhook, after which the webhooks and their deliveries are read again. */
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
