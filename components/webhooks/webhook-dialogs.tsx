"use client";

import { ConfirmDialog } from "@/components/confirm-dialog";
import { formatTime } from "@/components/relative-time";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { useIsCustomer } from "@/components/use-environment";
import { ShownSecret } from "@/components/webhooks/shown-secret";
import { useWebhookAction } from "@/components/webhooks/use-webhook-action";
import { hostOf } from "@/components/webhooks/webhook-words";
import { askToChangeWebhook, askToDeleteWebhook, askToRotateWebhookSecret } from "@/lib/webhooks/queries";
import type { Webhook } from "@/lib/webhooks/schema";

export interface WebhookDialogProps {
  webhook: Webhook;
  onClose: () => void;
}

/** Enables a webhook: with the events that it missed, or without. */
export function EnableWebhook({ webhook, onClose }: WebhookDialogProps) {
  const { id, health } = webhook;
  const host = hostOf(webhook);
  const change = useWebhookAction(id, {
    act: (slug, fields: FormData) =>
      askToChangeWebhook(slug, id, { enabled: true, ...(fields.get("from") === "now" && { from: "now" }) }),
    wasDone: (now) => now?.enabled === true,
    undone: "The webhook is still disabled. Try again.",
    failed: "The webhook was not enabled",
    done: () => ({ title: `The webhook to ${host} is enabled` }),
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      action={change}
      environment="current"
      title={`Enable the webhook to ${host}?`}
      verb="Enable webhook"
      doing="Enabling…"
      onClose={onClose}
    >
      <ChoiceCards
        label="Events while it was disabled"
        name="from"
        defaultValue="place"
        options={[
          {
            value: "place",
            label: "Continue where it stopped",
            hint: health.read_until
              ? `Sends everything since ${formatTime(health.read_until)}, oldest first.`
              : "Sends everything since then, oldest first.",
          },
          { value: "now", label: "From now on", hint: "Skips them, and those that wait for another attempt." },
        ]}
      />
    </ConfirmDialog>
  );
}

/** Stops a webhook until it is enabled again. */
export function DisableWebhook({ webhook, onClose }: WebhookDialogProps) {
  const { id } = webhook;
  const host = hostOf(webhook);
  const change = useWebhookAction(id, {
    act: (slug) => askToChangeWebhook(slug, id, { enabled: false }),
    wasDone: (now) => now?.enabled === false,
    undone: "The webhook is still enabled. Try again.",
    failed: "The webhook was not disabled",
    done: () => ({ title: `The webhook to ${host} is disabled` }),
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      action={change}
      environment="current"
      title={`Disable the webhook to ${host}?`}
      description="Nothing is sent from now on. When you enable it, you choose whether the events since then are sent."
      verb="Disable webhook"
      doing="Disabling…"
      onClose={onClose}
    />
  );
}

/** Confirms a deletion; in Customer environments, by typing the host. */
export function DeleteWebhook({ webhook, onClose }: WebhookDialogProps) {
  const { id } = webhook;
  const host = hostOf(webhook);
  const deletion = useWebhookAction(id, {
    act: (slug) => askToDeleteWebhook(slug, id),
    wasDone: (now) => now === undefined,
    undone: "The webhook is still there. Try again.",
    failed: "Nothing was deleted",
    done: () => ({ title: `The webhook to ${host} was deleted` }),
    onDone: onClose,
  });
  const isCustomer = useIsCustomer();
  return (
    <ConfirmDialog
      action={deletion}
      environment="current"
      title={`Delete the webhook to ${host}?`}
      description="Nothing more is sent to it, and its deliveries are deleted too. This cannot be undone."
      verb="Delete webhook"
      doing="Deleting…"
      danger
      retype={isCustomer && host}
      onClose={onClose}
    />
  );
}

/** Gives a webhook a new secret and shows it once. */
export function RotateSecret({ webhook, onClose }: WebhookDialogProps) {
  const { id } = webhook;
  const host = hostOf(webhook);
  const rotation = useWebhookAction(id, {
    act: (slug, _: FormData) => askToRotateWebhookSecret(slug, id),
    // Only the answer holds it.
    wasDone: () => false,
    isSecret: true,
    undone: "No new secret was received. Rotate it again: the last one may have changed.",
    failed: "The secret was not rotated",
    unseen: {
      title: "The secret was rotated",
      description: "It arrived after the dialog closed and cannot be shown again: rotate it once more.",
    },
  });
  if (rotation.answer) {
    return (
      <ShownSecret
        shown={rotation.answer}
        title="The new secret is ready"
        description="For 24 hours each delivery has two signatures, by the new secret and by the old one. Your receiver accepts either."
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmDialog
      action={rotation}
      environment="current"
      title={`Rotate the secret of ${host}?`}
      description="You get a new secret. The old one keeps signing for 24 hours, so no delivery is refused until your receiver has the new one."
      verb="Rotate secret"
      doing="Rotating…"
      onClose={onClose}
    />
  );
}
