import { type Author, authorFrom, checking, recording } from "@/lib/authority/authority";
import { anyDue, claiming, holding, releasing, renewing } from "@/lib/db/lease";
import { read, statement } from "@/lib/db/pool";
import { hasFurtherEntries } from "@/lib/events/place";
import { meter } from "@/lib/telemetry/current";
import type { DeliveryState } from "@/lib/webhooks/facts";
import type { Delivery, DisabledReason } from "@/lib/webhooks/schema";

// A webhook has a place in the feed: events after it have no row here. Deliveries are events that were sent, or wait to
// be sent again.

/** A stored webhook. */
export interface WebhookRow {
  id: number;
  environment_id: number;
  url: string;
  description: string;
  /** null for all */
  types: string[] | null;
  enabled: boolean;
  disabled_at: Date | null;
  disabled_reason: DisabledReason | null;
  /** null for some webhooks from before makers were stored */
  maker_type: Author["actorType"] | null;
  maker_id: string | null;
  maker_name: string | null;
  secret_sealed: Buffer;
  /** also signs, until previous_secret_until */
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Date | null;
  /** the last entry that was sent or has a waiting delivery: its place in the feed */
  epoch: number;
  xid: string;
  entry_id: string;
  entry_at: Date | null;
  /** nothing is sent before */
  paused_until: Date | null;
  failing_since: Date | null;
  last_delivered_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A stored delivery. */
export interface DeliveryRow {
  id: string;
  webhook_id: number;
  message_id: string;
  type: string;
  team_id: number | null;
  body: string;
  state: DeliveryState;
  attempts: Delivery["attempts"];
  /** attempts since it was created or replayed */
  tries: number;
  next_at: Date | null;
  created_at: Date;
}

/** The type of test events, which are sent once. */
export const TEST = "webhook.test";

/**
 * The most waiting deliveries of a webhook; at this number it stops reading the feed. A dead receiver costs only that
 * many rows, and the history has the rest.
 */
const MAX_WAITING = 100;
/** The limit while the receiver accepts some events: it may refuse others for their type. */
const MAX_WAITING_BESIDE = 1_000;
const MAX_ATTEMPTS_KEPT = 50;
const GIVEN_UP_AFTER = "5 days";
/** How long after its first attempt a delivery is retried, as an interval. */
const RETRIED_FOR = "3 days";

const most = `CASE WHEN webhook.last_delivered_at > now() - interval '1 hour' THEN ${MAX_WAITING_BESIDE}
  ELSE ${MAX_WAITING} END`;
const canRead = `NOT EXISTS (
  SELECT FROM webhook_delivery d WHERE d.webhook_id = webhook.id AND d.state = 'waiting' OFFSET ${most} - 1 LIMIT 1)`;

const NEEDS_WORK = `enabled AND (paused_until IS NULL OR paused_until <= now()) AND (
    (SELECT true FROM webhook_delivery d
      WHERE d.webhook_id = webhook.id AND d.state = 'waiting' AND d.next_at <= now() LIMIT 1)
    OR ${canRead} AND ${hasFurtherEntries("webhook", "environment_id")})`;

/** SQL: whether a webhook needs a worker. */
export const ANY_WEBHOOK_DUE = anyDue("webhook", NEEDS_WORK);
/** $2 is the most webhooks to claim, $3 the environments that have enough in work. */
export const CLAIM = claiming({
  table: "webhook",
  where: `environment_id <> ALL ($3::int[]) AND ${NEEDS_WORK}`,
  order: "failing_since IS NOT NULL, random()",
  most: "$2",
});

export const RENEW = renewing({ table: "webhook", where: "enabled" });
export const RELEASE = releasing("webhook");

/**
 * Stores a batch's outcome: $3 to $6 the new place in the feed, or nulls; $7 whether any succeeded, $8 whether any
 * failed, $9 a pause in ms.
 */
export const HOLD = holding({
  table: "webhook",
  where: "enabled",
  set: `epoch = coalesce($3, epoch), xid = coalesce($4, xid), entry_id = coalesce($5, entry_id),
    entry_at = CASE WHEN $3::int IS NULL THEN entry_at ELSE $6::timestamptz END,
    last_delivered_at = CASE WHEN $7 THEN now() ELSE last_delivered_at END,
    failing_since = CASE WHEN $7 THEN NULL WHEN $8 THEN coalesce(failing_since, now()) ELSE failing_since END,
    paused_until = CASE WHEN $9::int > 0 THEN now() + $9 * interval '1 millisecond' WHEN $7 THEN NULL
      ELSE paused_until END`,
});

export const CAN_READ = statement("can_webhook_read")`SELECT FROM webhook WHERE id = $1 AND ${canRead}`;

export const DUE = statement("due_deliveries")`
  SELECT id, message_id, type, team_id, body, tries FROM webhook_delivery
  WHERE webhook_id = $1 AND state = 'waiting' AND next_at <= now()
  ORDER BY type = '${TEST}' DESC, next_at, id LIMIT $2`;

/** The results of a batch; `outcome` is delivered, failed or unsent. */
const RESULTS = `unnest($2::text[], $3::text[], $4::text[], $5::int[]) AS result(message_id, outcome, attempt, delay)`;
const state = (type: string, givenUpAt: string) => `CASE
    WHEN outcome = 'delivered' THEN 'delivered'
    WHEN outcome = 'failed' AND (${type} = '${TEST}' OR now() + delay * interval '1 millisecond' > ${givenUpAt})
      THEN 'failed' ELSE 'waiting' END`;
const attempt = "CASE WHEN attempt IS NULL THEN '[]' ELSE jsonb_build_array(attempt::jsonb) END";
const UNTIL = `now() + interval '${RETRIED_FOR}'`;

/**
 * Waits for running erasures of these groups: the next statement sees their entries in the history, and later erasures
 * see the deliveries that it adds.
 */
export const WAIT_FOR_ERASURES = statement("wait_for_erasures")`
  SELECT FROM deleted_group WHERE team_id = ANY ($1::int[]) ORDER BY team_id FOR KEY SHARE`;

/** $6 to $8: types, groups and bodies. Adds none for an erased group, even if it was being sent. */
export const ADD_DELIVERIES = statement("add_deliveries")`
  INSERT INTO webhook_delivery AS d (webhook_id, message_id, type, team_id, body, state, attempts, tries, next_at,
    given_up_at)
  SELECT $1, message_id, type, team_id, body, state, attempts, tries,
    CASE WHEN state = 'waiting' THEN now() + delay * interval '1 millisecond' END, CASE WHEN tries > 0 THEN ${UNTIL} END
  FROM (
    SELECT *, ${state("type", UNTIL)} AS state, ${attempt} AS attempts,
      CASE WHEN outcome = 'unsent' THEN 0 ELSE 1 END AS tries
    FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::int[], $8::text[])
      AS result(message_id, outcome, attempt, delay, type, team_id, body)
  ) AS new
  WHERE team_id IS NULL OR type = 'user_group.erased'
    OR NOT EXISTS (SELECT FROM audit_entry a WHERE a.team_id = new.team_id AND a.action = 'user_group.erased')
  ON CONFLICT (webhook_id, message_id) DO UPDATE SET body = EXCLUDED.body, state = EXCLUDED.state,
    tries = EXCLUDED.tries, next_at = EXCLUDED.next_at, given_up_at = EXCLUDED.given_up_at,
    attempts = ${kept("d.attempts || EXCLUDED.attempts")}`;

export const UPDATE_DELIVERIES = statement("update_deliveries")`
  UPDATE webhook_delivery d SET state = ${state("type", `coalesce(given_up_at, ${UNTIL})`)}, tries = tries + 1,
    next_at = CASE WHEN ${state("type", `coalesce(given_up_at, ${UNTIL})`)} = 'waiting'
      THEN now() + delay * interval '1 millisecond' END,
    given_up_at = coalesce(given_up_at, ${UNTIL}), attempts = ${kept(`attempts || ${attempt}`)}
  FROM ${RESULTS} WHERE d.webhook_id = $1 AND d.message_id = result.message_id AND outcome <> 'unsent'`;

/** Drops the oldest attempt beyond the limit; one is enough, as attempts are added one at a time. */
function kept(attempts: string): string {
  return `CASE WHEN jsonb_array_length(${attempts}) > ${MAX_ATTEMPTS_KEPT} THEN (${attempts}) - 0 ELSE ${attempts} END`;
}

/** Disables a webhook whose receiver is gone, or has failed for days; $2 says which, $8 is the receiver's origin. */
export const DISABLE = statement("disable_webhook")`
  WITH disabled AS (
    UPDATE webhook SET enabled = false, disabled_at = now(), disabled_reason = $2, leased_by = NULL,
      leased_until = NULL, updated_at = now()
    WHERE id = $1 AND enabled AND ($2 = 'gone' OR failing_since < now() - interval '${GIVEN_UP_AFTER}') RETURNING *
  ), ${checking(`disabled CROSS JOIN ${authorFrom(3)}`, "webhooks:write")}, ${recording({
    columns: "environment_id, action, after",
    values:
      "environment_id, 'webhook.disabled', json_build_object('id', id, 'url', $8::text, 'reason', disabled_reason)",
    rows: `disabled CROSS JOIN ${authorFrom(3)}`,
  })}
  SELECT disabled.id FROM disabled, checked`;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays after each failed attempt of a delivery, in milliseconds; the last one repeats. */
const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
const JITTER = 0.2;

/** The delay after this many failed attempts, with jitter. */
export function delayAfter(tries: number): number {
  const delay = DELAYS[Math.min(tries, DELAYS.length) - 1] ?? 0;
  return Math.round(delay * (1 - JITTER + 2 * JITTER * Math.random()));
}

/** The age of the oldest unread entry; webhooks whose receivers fail wait for those, and do not count. */
const LAG = statement("webhook_lag")`
  SELECT coalesce(max(extract(epoch FROM now() - next.at)), 0)::float8 AS seconds
  FROM webhook w CROSS JOIN LATERAL (
    SELECT a.at FROM audit_entry a
    WHERE a.environment_id = w.environment_id AND (a.epoch, a.xid, a.id) > (w.epoch, w.xid, w.entry_id)
    ORDER BY a.epoch, a.xid, a.id LIMIT 1
  ) AS next
  WHERE w.enabled AND w.failing_since IS NULL`;

/** Records in the metrics how long the oldest event has not been read for a webhook whose receiver works. */
export async function watchWebhookLag() {
  const [lag] = await read<{ seconds: number }>(LAG, []);
  meter()?.webhooksLag(lag?.seconds ?? 0);
}
