"use client";

import { ActionDialog } from "@/components/confirm-dialog";
import { isSame } from "@/components/viewer-tokens/lines";
import { useWebhookAction } from "@/components/webhooks/use-webhook-action";
import type { WebhookDialogProps } from "@/components/webhooks/webhook-dialogs";
import { WebhookForm } from "@/components/webhooks/webhook-form";
import { hostOf } from "@/components/webhooks/webhook-words";
import { askToChangeWebhook } from "@/lib/webhooks/queries";
import { type NewWebhook as Fields, newWebhook } from "@/lib/webhooks/schema";

/** Changes where a webhook sends, and what. */
export function EditWebhook({ webhook, onClose }: WebhookDialogProps) {
  const { id, url, description, types } = webhook;
  const change = useWebhookAction<Fields>(id, {
    act: (slug, fields) => askToChangeWebhook(slug, id, fields),
    // As the service keeps them: it writes a URL out.
    wasDone: (now, fields) =>
      now !== undefined &&
      isSame({ url: now.url, description: now.description, types: now.types }, newWebhook.safeParse(fields).data),
    undone: "The webhook has not changed. Try again.",
    failed: "Nothing was saved",
    done: () => ({ title: "The webhook was saved" }),
    onDone: onClose,
  });
  return (
    <ActionDialog
      action={change}
      environment="current"
      title={`Edit the webhook to ${hostOf(webhook)}`}
      description="Applies to every attempt from now on, also of events that wait for one."
      onClose={onClose}
    >
      <WebhookForm
        initial={{ url, description, types }}
        action={change}
        verb="Save"
        doing="Saving…"
        onClose={onClose}
      />
    </ActionDialog>
  );
}
