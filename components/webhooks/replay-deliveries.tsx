"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { utcOf } from "@/components/relative-time";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { TimeField } from "@/components/ui/time-field";
import { useWebhookAction } from "@/components/webhooks/use-webhook-action";
import type { WebhookDialogProps } from "@/components/webhooks/webhook-dialogs";
import { hostOf } from "@/components/webhooks/webhook-words";
import { askToReplay, type Replay } from "@/lib/webhooks/queries";

/** Sends events again: those that failed, or all since a time. */
export function ReplayDeliveries({ webhook, onClose }: WebhookDialogProps) {
  const { id } = webhook;
  const [which, setWhich] = useState("failed");
  const [since, setSince] = useState<string | null>();
  const replay: Replay = which === "failed" || !since ? { failed: true } : { since };
  const sending = useWebhookAction(id, {
    act: (slug) => askToReplay(slug, id, replay),
    wasDone: undefined,
    undone: "",
    failed: "Nothing is sent again",
    done: (_, count) => ({ title: toldOf(count, which) }),
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      action={sending}
      environment="current"
      title={`Send again to ${hostOf(webhook)}`}
      description="Each message keeps its id, so a receiver that knows the ids it has handled does nothing twice."
      verb="Send again"
      doing="Sending…"
      disabled={which === "since" && !since}
      onClose={onClose}
    >
      <ChoiceCards
        label="Which events"
        name="which"
        defaultValue="failed"
        onChange={(event) => setWhich(event.target.value)}
        options={[
          { value: "failed", label: "Failed deliveries", hint: "All that were given up after three days of attempts." },
          { value: "since", label: "Everything since a time", hint: "Also what was delivered, oldest first." },
        ]}
      />
      {which === "since" && (
        <TimeField label="Since" hint={since ? utcOf(since) : "Choose a day and a time."} onChange={setSince} />
      )}
    </ConfirmDialog>
  );
}

function toldOf(count: number | null | undefined, which: string): string {
  if (which === "since" || count === null || count === undefined) return "The events are being sent again";
  if (count === 0) return "No delivery has failed, so nothing is sent again";
  return `${count === 1 ? "1 delivery is" : `${count.toLocaleString("en")} deliveries are`} being sent again`;
}
