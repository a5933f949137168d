import { ActionDialog } from "@/components/confirm-dialog";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { ShownSecret } from "@/components/webhooks/shown-secret";
import { WebhookForm } from "@/components/webhooks/webhook-form";
import { hostOf } from "@/components/webhooks/webhook-words";
import { askToCreateWebhook, webhooksKey } from "@/lib/webhooks/queries";
import type { NewWebhook as Fields } from "@/lib/webhooks/schema";

const INITIAL: Fields = { url: "", description: "", types: ["user_group.*"] };

/** Creates a webhook and shows its secret once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const creation = useAction({
    act: (fields: Fields) => askToCreateWebhook(slug, fields),
    undone: "No secret was received. If the list shows a new webhook, rotate its secret.",
    failed: "No webhook was created",
    secret: { made: "A webhook was created", again: "rotate its secret" },
    reads: [webhooksKey(slug)],
  });
  const created = creation.answer;
  if (created) {
    return (
      <ShownSecret
        shown={created}
        title="The webhook is ready"
        description={`${hostOf(created.webhook)} receives events from now on, signed with this secret.`}
        onClose={onClose}
      />
    );
  }
  return (
    <ActionDialog
      action={creation}
      title="Create webhook"
      description="Its secret is shown once, after creation."
      onClose={onClose}
    >
      <WebhookForm initial={INITIAL} action={creation} verb="Create webhook" onClose={onClose} />
    </ActionDialog>
  );
}
