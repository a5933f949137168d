import { useRouter } from "next/navigation";
import { type ComponentProps, useState } from "react";
import { ActionDialog, ConfirmDialog } from "@/components/confirm-dialog";
import { formatTime, utcOf } from "@/components/relative-time";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { TimeField } from "@/components/ui/time-field";
import { isSame } from "@/components/unchanged";
import { useIsCustomer } from "@/components/use-environment";
import { ShownSecret } from "@/components/webhooks/shown-secret";
import { useWebhookAction, type WebhookAction } from "@/components/webhooks/use-webhooks";
import { WebhookForm } from "@/components/webhooks/webhook-form";
import { hostOf } from "@/components/webhooks/webhook-words";
import {
  askToChangeWebhook,
  askToDeleteWebhook,
  askToReplay,
  askToRotateWebhookSecret,
  type Replay,
} from "@/lib/webhooks/queries";
import { type NewWebhook as Fields, newWebhook, type Webhook } from "@/lib/webhooks/schema";

interface WebhookDialogProps {
  webhook: Webhook;
  onClose: () => void;
}

type ConfirmationProps<Answer> = WebhookDialogProps &
  WebhookAction<FormData, Answer> &
  Omit<ComponentProps<typeof ConfirmDialog>, "action">;

/** Confirms an action on a webhook, runs it, and closes once it is done. */
function Confirmation<Answer>({ webhook, ...props }: ConfirmationProps<Answer>) {
  return <ConfirmDialog {...props} action={useWebhookAction(webhook.id, props)} />;
}

/** Enables a webhook, with or without sending the events that it missed. */
export function EnableWebhook({ webhook, onClose }: WebhookDialogProps) {
  const { id, health } = webhook;
  const host = hostOf(webhook);
  return (
    <Confirmation
      webhook={webhook}
      act={(slug, fields) =>
        askToChangeWebhook(slug, id, { enabled: true, ...(fields.get("from") === "now" && { from: "now" }) })
      }
      wasDone={(now) => now?.enabled === true}
      failed="The webhook was not enabled"
      done={() => ({ title: `The webhook to ${host} is enabled` })}
      title={`Enable the webhook to ${host}?`}
      verb="Enable webhook"
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
          { value: "now", label: "From now on", hint: "Skips them, and deliveries waiting for a retry." },
        ]}
      />
    </Confirmation>
  );
}

/** Stops a webhook until it is enabled again. */
export function DisableWebhook({ webhook, onClose }: WebhookDialogProps) {
  const host = hostOf(webhook);
  return (
    <Confirmation
      webhook={webhook}
      act={(slug) => askToChangeWebhook(slug, webhook.id, { enabled: false })}
      wasDone={(now) => now?.enabled === false}
      failed="The webhook was not disabled"
      done={() => ({ title: `The webhook to ${host} is disabled` })}
      title={`Disable the webhook to ${host}?`}
      description="Nothing is sent from now on. When you enable it, you choose whether the events since then are sent."
      verb="Disable webhook"
      onClose={onClose}
    />
  );
}

/** Confirms a deletion; in Customer environments, by typing the host. */
export function DeleteWebhook({ webhook, onClose }: WebhookDialogProps) {
  const host = hostOf(webhook);
  const isCustomer = useIsCustomer();
  const router = useRouter();
  return (
    <Confirmation
      webhook={webhook}
      act={(slug) => askToDeleteWebhook(slug, webhook.id)}
      wasDone={(now) => now === undefined}
      failed="Nothing was deleted"
      done={() => ({ title: `The webhook to ${host} was deleted` })}
      onDone={() => window.location.pathname.endsWith(`/webhooks/${webhook.id}`) && router.replace("../webhooks")}
      title={`Delete the webhook to ${host}?`}
      description="Nothing more is sent to it, and its deliveries are deleted too. This cannot be undone."
      verb="Delete webhook"
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
    // Only the answer holds the secret.
    wasDone: () => false,
    undone: "No new secret was received. Rotate it again: the last one may have changed.",
    failed: "The secret was not rotated",
    secret: { made: "The secret was rotated", again: "rotate it once more" },
  });
  if (rotation.answer) {
    return (
      <ShownSecret
        shown={rotation.answer}
        title="The new secret is ready"
        description="For 24 hours each delivery is signed by the new secret and by the old one. Your receiver accepts either."
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmDialog
      action={rotation}
      title={`Rotate the secret of ${host}?`}
      description="You get a new secret. The old one keeps signing for 24 hours, so no delivery is refused until your receiver has the new one."
      verb="Rotate secret"
      onClose={onClose}
    />
  );
}

/** Changes where a webhook sends, and what. */
export function EditWebhook({ webhook, onClose }: WebhookDialogProps) {
  // As it was when the dialog opened: what the member leaves alone stays as someone else may have set it since.
  const [{ id, url, description, types }] = useState(webhook);
  const initial: Fields = { url, description, types };
  const changed = (fields: Fields) =>
    Object.entries(fields).filter(([name, value]) => !isSame(value, initial[name as keyof Fields]));
  const change = useWebhookAction<Fields, unknown>(id, {
    act: async (slug, fields) => {
      const members = changed(fields);
      if (members.length > 0) await askToChangeWebhook(slug, id, Object.fromEntries(members));
    },
    // Compares with the stored values: the service normalizes URLs.
    wasDone: (now, fields) => {
      const wanted = newWebhook.safeParse(fields).data;
      return changed(fields).every(([name]) => isSame(now?.[name as keyof Fields], wanted?.[name as keyof Fields]));
    },
    done: () => ({ title: "The webhook was saved" }),
    onClose,
  });
  return (
    <ActionDialog
      action={change}
      title={`Edit the webhook to ${hostOf(webhook)}`}
      description="Applies to every attempt from now on, including retries."
      onClose={onClose}
    >
      <WebhookForm initial={initial} action={change} verb="Save" onClose={onClose} />
    </ActionDialog>
  );
}

/** Sends events again: failed ones, or all since a time. */
export function ReplayDeliveries({ webhook, onClose }: WebhookDialogProps) {
  const [which, setWhich] = useState("failed");
  const [since, setSince] = useState<string | null>();
  const hint = since ? utcOf(since) : "Choose a day and a time.";
  const replay: Replay = which === "failed" || !since ? { failed: true } : { since };
  return (
    <Confirmation
      webhook={webhook}
      act={(slug) => askToReplay(slug, webhook.id, replay)}
      wasDone={undefined}
      failed="Nothing was sent again"
      done={(_, count) => ({ title: toldOf(count, which) })}
      title={`Send again to ${hostOf(webhook)}`}
      description="Each message keeps its id, so a receiver that tracks ids handles nothing twice."
      verb="Send again"
      disabled={which === "since" && !since}
      onClose={onClose}
    >
      <ChoiceCards
        label="Which events"
        name="which"
        defaultValue="failed"
        onChange={(event) => setWhich(event.target.value)}
        options={[
          { value: "failed", label: "Failed deliveries", hint: "All that still failed after three days of retries." },
          {
            value: "since",
            label: "Everything since a time",
            hint: "Including those already delivered, oldest first.",
          },
        ]}
      />
      {which === "since" && <TimeField label="Since" stored={since ?? null} hint={hint} onChange={setSince} />}
    </Confirmation>
  );
}

function toldOf(count: number | null | undefined, which: string): string {
  if (which === "since" || count === null || count === undefined) return "The events are being sent again";
  if (count === 0) return "No delivery has failed, so nothing was sent again";
  return `${count === 1 ? "1 delivery is" : `${count.toLocaleString("en")} deliveries are`} being sent again`;
}
