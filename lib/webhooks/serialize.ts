import { type Answer, json } from "@/lib/endpoint/call";
import type { Delivery, Webhook } from "@/lib/webhooks/schema";
import type { WebhookWithHealth, WebhookWithSecret } from "@/lib/webhooks/service";
import type { DeliveryRow } from "@/lib/webhooks/stored";

const iso = (date: Date | null) => date?.toISOString() ?? null;

/** The answer with a new secret. */
export function answerSecret({ webhook, secret }: WebhookWithSecret): Answer {
  return json({ webhook: serializeWebhook(webhook), secret });
}

export function serializeWebhook(row: WebhookWithHealth): Webhook {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    types: row.types,
    enabled: row.enabled,
    disabled_at: iso(row.disabled_at),
    disabled_reason: row.disabled_reason,
    made_by: row.maker_type && { type: row.maker_type, id: row.maker_id, name: row.maker_name ?? "" },
    previous_secret_valid_until: iso(row.previous_secret_until),
    health: {
      recent: row.recent,
      waiting: row.waiting,
      last_delivered_at: iso(row.last_delivered_at),
      failing_since: iso(row.failing_since),
      next_attempt_at: iso(row.next_attempt_at),
      read_until: iso(row.entry_at),
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function serializeDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    message_id: row.message_id,
    type: row.type,
    team_id: row.team_id,
    state: row.state,
    created_at: row.created_at.toISOString(),
    next_attempt_at: iso(row.next_at),
    attempts: row.attempts,
    body: row.body,
  };
}
