import { randomUUID } from "node:crypto";
import { webhookForHistory } from "@/lib/audit/entries";
import { record } from "@/lib/audit/service";
import { authorOf, type Caller } from "@/lib/auth/caller";
import { type Authorised, authoriseScope } from "@/lib/authority/authority";
import { openCursor, pageOf, ROW_NUMBER, writeCursor } from "@/lib/crypto/cursor";
import { read, statement, write } from "@/lib/db/pool";
import { prisma, runIn } from "@/lib/db/prisma";
import { purge } from "@/lib/db/purge";
import { lockEnvironment } from "@/lib/environments/service";
import { AppError } from "@/lib/errors";
import { findEndPlace, findPlaceSince } from "@/lib/events/feed";
import { writeJson } from "@/lib/json/raw-json";
import type { DeliveriesQuery, NewWebhook, WebhookChange, WebhookReplay } from "@/lib/webhooks/schema";
import { newSecret, sealSecret, secretsOf } from "@/lib/webhooks/signature";
import { type DeliveryRow, TEST, type WebhookRow } from "@/lib/webhooks/stored";
import {
  alterWebhook,
  insertWebhook,
  lockWebhook,
  noWebhook,
  removeWebhook,
  requireReceiver,
} from "@/lib/webhooks/writes";
import { Prisma } from "@/prisma/generated/client";

/** How many deliveries of a webhook are kept. */
const MAX_KEPT = 10_000;
const KEPT_FOR = "14 days";
/** The most waiting tests of a webhook: tests are sent before its events, and each has a row. */
const MAX_TESTS = 10;
/** How long a replaced secret also signs. */
const OVERLAP = "24 hours";
/** The most former secrets that still sign after a rotation. */
const MAX_PREVIOUS = 4;

/** A webhook with the state of its deliveries. */
export interface WebhookWithHealth extends WebhookRow {
  recent: DeliveryRow["state"][];
  waiting: number;
  next_attempt_at: Date | null;
}

const LIST = statement("list_webhooks")`
  SELECT w.*, health.*, ARRAY (
    SELECT state FROM (SELECT id, state FROM webhook_delivery d WHERE d.webhook_id = w.id ORDER BY id DESC
      LIMIT 100) AS last ORDER BY id
  ) AS recent
  FROM webhook w CROSS JOIN LATERAL (
    SELECT count(*)::int AS waiting, greatest(min(next_at), CASE
      WHEN w.paused_until > now() THEN w.paused_until END) AS next_attempt_at
    FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'waiting'
  ) AS health
  WHERE w.environment_id = $1 AND ($2::int IS NULL OR w.id = $2) ORDER BY w.id`;

/** The webhooks of an environment. */
export function listWebhooks(environmentId: number): Promise<WebhookWithHealth[]> {
  return read<WebhookWithHealth>(LIST, [environmentId, null]);
}

/** @throws {AppError} `not_found` */
async function findWebhook(environmentId: number, id: number): Promise<WebhookWithHealth> {
  const [found] = await read<WebhookWithHealth>(LIST, [environmentId, id]);
  return found ?? noWebhook();
}

/** A webhook with a secret that is shown once. */
export interface WebhookWithSecret {
  webhook: WebhookWithHealth;
  secret: string;
}

/**
 * Creates a webhook, which receives events from now on.
 * @throws {AppError} `invalid_fields` for an address that must not be reached, `conflict` when there are too many
 */
export async function createWebhook(caller: Caller, webhook: NewWebhook): Promise<WebhookWithSecret> {
  const environmentId = caller.environment.id;
  await requireReceiver(webhook.url);
  const place = await findEndPlace(environmentId);
  const { id, secret } = await prisma().$transaction(async (tx) => {
    // Locked, so that each creation counts the webhooks created before it.
    await lockEnvironment(runIn(tx), environmentId);
    const by = await authoriseScope(tx, authorOf(caller), environmentId, "webhooks:write");
    return insertWebhook(tx, by, { environmentId, webhook, place });
  });
  return { webhook: await findWebhook(environmentId, id), secret };
}

/**
 * Changes a webhook. Events that are being sent are sent again with the changed settings.
 * @throws {AppError} `not_found`, or `invalid_fields` for an address that must not be reached
 */
export async function changeWebhook(caller: Caller, input: WebhookChange): Promise<WebhookWithHealth> {
  const { webhook_id: id, from, ...change } = input;
  if (change.url !== undefined) await requireReceiver(change.url);
  const end = from && (await findEndPlace(caller.environment.id));
  await changing(caller, id, (tx, by, was) => alterWebhook(tx, by, was, { ...change, end }));
  return findWebhook(caller.environment.id, id);
}

/**
 * Deletes a webhook with its deliveries.
 * @throws {AppError} `not_found`
 */
export async function deleteWebhook(caller: Caller, id: number) {
  await changing(caller, id, removeWebhook);
}

/**
 * Gives a webhook a new secret. For a day, the old one and earlier ones still in use sign too.
 * @throws {AppError} `not_found`
 */
export async function rotateWebhookSecret(caller: Caller, id: number): Promise<WebhookWithSecret> {
  const secret = newSecret();
  const environmentId = caller.environment.id;
  await changing(caller, id, async (tx, by, was) => {
    // The receiver may still have any of them.
    const signing = (await secretsOf(was, tx)).slice(0, MAX_PREVIOUS);
    await tx.$executeRaw`
      UPDATE webhook SET previous_secret_sealed = ${sealSecret(id, signing.join(" "))},
        previous_secret_until = now() + ${OVERLAP}::interval,
        secret_sealed = ${sealSecret(id, secret)} WHERE id = ${id}`;
    const after = webhookForHistory(was);
    await record(tx, by, { action: "webhook.secret_rotated", environmentId, after });
  });
  return { webhook: await findWebhook(environmentId, id), secret };
}

/**
 * Makes a test event, which is sent once.
 * @throws {AppError} `not_found`, `conflict` for a disabled webhook or when too many wait
 */
export async function testWebhook(caller: Caller, id: number): Promise<DeliveryRow> {
  const { actorType: type, actorId, actorName: name, requestId: request_id } = caller;
  const add: Change<DeliveryRow> = async (tx, _by, was) => {
    requireEnabled(was);
    const [{ now, waiting }] = await tx.$queryRaw<[{ now: Date; waiting: number }]>`
      SELECT now() AS now, count(*)::int AS waiting FROM webhook_delivery WHERE webhook_id = ${id} AND state = 'waiting'
        AND type = ${TEST}`;
    if (waiting >= MAX_TESTS) {
      throw new AppError(
        "conflict",
        `${MAX_TESTS} tests of this webhook are waiting to be sent. Look at its deliveries, then try again.`,
      );
    }
    const testId = randomUUID();
    const body = writeJson({
      id: testId,
      type: TEST,
      at: now.toISOString(),
      actor: { type, id: actorId, name },
      request_id,
      data: { team_id: null, provided_id: null, name: null, changed: [] },
    });
    const [made] = await tx.$queryRaw<[DeliveryRow]>`
      INSERT INTO webhook_delivery (webhook_id, message_id, type, body, state, next_at)
      VALUES (${id}, ${`msg_test_${testId}`}, ${TEST}, ${body}, 'waiting', now()) RETURNING *, id::text AS id`;
    return made;
  };
  return changing(caller, id, add, false);
}

/**
 * Sends one delivery, all failed ones, or all events since a time again. Returns how many deliveries; null for events.
 * @throws {AppError} `not_found`, `conflict` for a disabled webhook
 */
export async function replayWebhook(caller: Caller, input: WebhookReplay): Promise<number | null> {
  const { webhook_id: id, delivery_id, since } = input;
  const environmentId = caller.environment.id;
  const start = since && (await findPlaceSince(environmentId, since));
  const replay: Change<number | null> = async (tx, by, was) => {
    requireEnabled(was);
    const { url } = webhookForHistory(was);
    if (since) {
      if (start) {
        await tx.$executeRaw`
          UPDATE webhook SET epoch = ${start.epoch}, xid = ${start.xid}::bigint, entry_id = ${start.id}::bigint,
            entry_at = NULL
          WHERE id = ${id} AND (epoch, xid, entry_id) > (${start.epoch}, ${start.xid}::bigint, ${start.id}::bigint)`;
      }
      const after = { id, url, since: since.toISOString() };
      await record(tx, by, { action: "webhook.replayed", environmentId, after });
      return null;
    }
    const which = delivery_id === undefined ? Prisma.sql`state = 'failed'` : Prisma.sql`id = ${delivery_id}::bigint`;
    const deliveries = await tx.$executeRaw`
      UPDATE webhook_delivery SET state = 'waiting', tries = 0, next_at = now(), given_up_at = NULL
        WHERE webhook_id = ${id} AND ${which}`;
    if (deliveries === 0 && delivery_id !== undefined) {
      throw new AppError("not_found", "This webhook has no such delivery. Deliveries are kept for 14 days.");
    }
    const after = { id, url, deliveries };
    if (deliveries > 0) await record(tx, by, { action: "webhook.replayed", environmentId, after });
    return deliveries;
  };
  return changing(caller, id, replay, since !== undefined);
}

type Change<T> = (tx: Prisma.TransactionClient, by: Authorised, was: WebhookRow) => Promise<T>;

/** Changes a webhook under its lock and, by default, takes it from the process that works on it. */
async function changing<T>(caller: Caller, id: number, change: Change<T>, isTaken = true): Promise<T> {
  const environmentId = caller.environment.id;
  return prisma().$transaction(async (tx) => {
    const was = await lockWebhook(tx, { environmentId, id, isTaken });
    return change(tx, await authoriseScope(tx, authorOf(caller), environmentId, "webhooks:write"), was);
  });
}

/** @throws {AppError} `conflict` */
function requireEnabled({ enabled }: WebhookRow) {
  if (!enabled) throw new AppError("conflict", "This webhook is disabled. Enable it first.");
}

const COUNT_DISABLED = statement("count_disabled_webhooks")`
  SELECT count(*)::int AS webhooks FROM webhook WHERE NOT enabled AND disabled_reason <> 'asked'`;

/** How many webhooks the service has disabled. */
export async function countDisabled(): Promise<number> {
  return (await read<{ webhooks: number }>(COUNT_DISABLED, []))[0]?.webhooks ?? 0;
}

const FORGET_SECRETS = statement("forget_previous_secrets")`
  UPDATE webhook SET previous_secret_sealed = NULL, previous_secret_until = NULL WHERE previous_secret_until <= now()`;

/** Deletes previous secrets after their overlaps. */
export async function forgetPreviousSecrets() {
  await write(FORGET_SECRETS, []);
}

/** Deletes old deliveries that are not waiting. */
export async function purgeDeliveries() {
  // Both subqueries read an index in order for each webhook.
  const batch = 2_000;
  const where = `state <> 'waiting' AND id = ANY (ARRAY (
    SELECT d.id FROM webhook w CROSS JOIN LATERAL (
      SELECT id FROM webhook_delivery d WHERE d.webhook_id = w.id ORDER BY id DESC OFFSET ${MAX_KEPT} LIMIT ${batch}
    ) AS d
    UNION ALL
    SELECT d.id FROM webhook w CROSS JOIN LATERAL (
      SELECT id, created_at FROM webhook_delivery d WHERE d.webhook_id = w.id ORDER BY id LIMIT ${batch}
    ) AS d WHERE d.created_at < now() - interval '${KEPT_FOR}'
  ))`;
  await purge({ table: "webhook_delivery", where, batch });
}

const LIST_DELIVERIES = statement("list_deliveries")`
  SELECT d.* FROM webhook w JOIN webhook_delivery d ON d.webhook_id = w.id
  WHERE w.environment_id = $1 AND w.id = $2 AND ($3::text IS NULL OR d.state = $3)
    AND ($4::bigint IS NULL OR d.id < $4)
  ORDER BY d.id DESC LIMIT $5`;

const EXISTS = statement("webhook_exists")`SELECT FROM webhook WHERE environment_id = $1 AND id = $2`;

/**
 * A page of a webhook's deliveries, newest first.
 * @throws {AppError} `invalid_fields` for an invalid cursor, `not_found`
 */
export async function listDeliveries(environmentId: number, { webhook_id: id, state, limit, cursor }: DeliveriesQuery) {
  const scope = `deliveries 1 ${environmentId} ${id}`;
  const refusal = "is not a cursor of this list: start at the first page";
  const below = cursor === undefined ? undefined : openCursor(scope, ROW_NUMBER, { cursor, refusal });
  const rows = await read<DeliveryRow>(LIST_DELIVERIES, [environmentId, id, state, below, limit + 1]);
  if (rows.length === 0 && (await read(EXISTS, [environmentId, id])).length === 0) noWebhook();
  return pageOf(rows, limit, (last) => writeCursor(scope, last.id));
}
