import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import type { HistoryRow } from "@/lib/audit/entries";
import { authorValues, SERVICE } from "@/lib/authority/authority";
import { Semaphore } from "@/lib/config/semaphore";
import { version } from "@/lib/config/version";
import { databaseNow } from "@/lib/db/clock";
import { backgroundPool, query, queryOf, transaction, write } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";
import { readFeedOn } from "@/lib/events/feed";
import type { Place } from "@/lib/events/place";
import { serializeEvent } from "@/lib/events/serialize";
import { writeJson } from "@/lib/json/raw-json";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";
import { type Attempt, ReceiverAgent, send } from "@/lib/webhooks/send";
import { secretsOf, signaturesOf } from "@/lib/webhooks/signature";
import {
  ADD_DELIVERIES,
  CAN_READ,
  CLAIM,
  type DeliveryRow,
  DISABLE,
  DUE,
  delayAfter,
  HOLD,
  RELEASE,
  RENEW,
  TEST,
  UPDATE_DELIVERIES,
  WAIT_FOR_ERASURES,
  type WebhookRow,
} from "@/lib/webhooks/stored";

/** The most webhooks that this process works on, and the most requests under way; environments share both. */
const MAX_IN_WORK = 64;
const MAX_REQUESTS = 64;
/** How long a webhook stays in work, in milliseconds, while this process works on more than half of its maximum. */
const TURN_MS = 10_000;
/** Events per batch, and concurrent requests to one receiver. While a receiver fails, a batch is a single event. */
const BATCH = 20;
const LANES = 4;
/** Failed attempts of a delivery before its webhook may be disabled: after days without events, one proves little. */
const TELLING_TRIES = 5;
/** How long requests may take after the order to stop, in milliseconds. */
const STOP_MS = 5_000;

/** The work on one webhook, under a lease of its own. */
interface Serving {
  webhook: WebhookRow;
  lease: string;
  /** aborts requests under way */
  over: AbortController;
  done: Promise<void>;
}

/** A message to send: of a delivery, or of an event that has none yet. */
type Message = Pick<DeliveryRow, "message_id" | "type" | "team_id" | "body" | "tries">;

interface Batch {
  messages: Message[];
  /** where the feed was read to; undefined for deliveries */
  place: Place | undefined;
}

const inWork = new Map<number, Serving>();
const requests = new Semaphore<number>(MAX_REQUESTS, { isFair: true });
let isStopped = false;

/** Starts work on webhooks that need a worker. */
export async function workOnWebhooks() {
  if (isStopped || inWork.size === MAX_IN_WORK) return;
  const lease = randomUUID();
  const free = MAX_IN_WORK - inWork.size;
  for (const webhook of await write<WebhookRow>(
    CLAIM,
    [lease, Math.ceil(free / 2), busyEnvironments(free)],
    backgroundPool,
  )) {
    // The webhook was changed while this process worked on it, and that work has not noticed yet.
    inWork.get(webhook.id)?.over.abort();
    const serving: Serving = { webhook, lease, over: new AbortController(), done: Promise.resolve() };
    inWork.set(webhook.id, serving);
    serving.done = work(serving);
  }
}

/** Environments that already have as many webhooks in work as this process has free places. */
function busyEnvironments(free: number): number[] {
  const counts = new Map<number, number>();
  for (const { webhook } of inWork.values()) {
    counts.set(webhook.environment_id, (counts.get(webhook.environment_id) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= free).map(([id]) => id);
}

/** Lets requests finish for a moment, stores their outcomes, and starts nothing more. */
export async function stopWebhooks() {
  isStopped = true;
  const timer = setTimeout(() => {
    for (const { over } of inWork.values()) over.abort();
  }, STOP_MS);
  await Promise.all([...inWork.values()].map(({ done }) => done));
  clearTimeout(timer);
}

/**
 * Renews the leases of running work. Work on a webhook that was deleted, disabled, changed, or taken by another process
 * is aborted.
 */
export async function renewWebhookLeases() {
  if (inWork.size === 0) return;
  const held = [...inWork.values()];
  const values = [held.map(({ webhook }) => webhook.id), held.map(({ lease }) => lease)];
  const renewed = await write<{ id: number }>(RENEW, values, backgroundPool);
  const ours = new Set(renewed.map(({ id }) => id));
  for (const { webhook, over } of held) if (!ours.has(webhook.id)) over.abort();
}

async function work(serving: Serving) {
  const { id } = serving.webhook;
  const receiver = new ReceiverAgent();
  // Otherwise a request waiting for a connection would end only once it got one.
  serving.over.signal.addEventListener("abort", () => receiver.destroy());
  const begunAt = performance.now();
  const isOver = () =>
    isStopped ||
    serving.over.signal.aborted ||
    (inWork.size > MAX_IN_WORK / 2 && performance.now() - begunAt > TURN_MS);
  try {
    while (!isOver() && (await workOnce(serving, receiver)));
    await write(RELEASE, [id, serving.lease], backgroundPool);
  } catch (err) {
    // The lease expires by itself; then the webhook is tried again.
    if (!(err instanceof AppError)) log().error({ webhook: id, err }, "work on a webhook failed and will be retried");
  } finally {
    receiver.destroy();
    if (inWork.get(id) === serving) inWork.delete(id);
  }
}

/** Sends one batch and stores the results; returns whether there may be another. */
async function workOnce(serving: Serving, receiver: ReceiverAgent): Promise<boolean> {
  const batch = await nextBatch(serving.webhook);
  if (!batch) return false;
  const attempts = await sendAll(serving, receiver, batch.messages);
  const webhook = await storeResults(serving, batch, attempts);
  if (webhook) serving.webhook = webhook;
  return webhook !== undefined && webhook.paused_until === null;
}

async function nextBatch(webhook: WebhookRow): Promise<Batch | undefined> {
  const limit = webhook.failing_since ? 1 : BATCH;
  const due = await write<Message>(DUE, [webhook.id, limit], backgroundPool);
  if (due.length > 0) return { messages: due, place: undefined };
  if ((await write(CAN_READ, [webhook.id], backgroundPool)).length === 0) return undefined;
  const { epoch, xid, entry_id, entry_at, types } = webhook;
  const from = { epoch, xid, id: entry_id, at: entry_at?.toISOString() ?? null };
  const { rows, place } = await readFeedOn(backgroundPool, webhook.environment_id, {
    from,
    types: types ?? undefined,
    limit,
  });
  // The same object: nothing was read.
  if (rows.length === 0 && place === from) return undefined;
  return { messages: rows.map(messageOf), place };
}

function messageOf(row: HistoryRow): Message {
  const { id, at, action: type, team_id } = row;
  // With the time: after a failover, another entry can have the id of one that was lost.
  const message_id = `msg_${id}_${at.getTime().toString(36)}`;
  return { message_id, type, team_id, body: writeJson(serializeEvent(row)), tries: 0 };
}

/** An attempt, and when it began. */
interface DatedAttempt extends Attempt {
  at: Date;
}

/** Each message's outcome; undefined if it was not sent: after a failure, the rest waits. */
async function sendAll({ webhook, over: { signal } }: Serving, receiver: ReceiverAgent, messages: readonly Message[]) {
  const attempts: (DatedAttempt | undefined)[] = messages.map(() => undefined);
  const secrets = await secretsOf(webhook);
  const rest = messages.entries();
  let hasFailed = false;
  const lane = async () => {
    for (const [n, message] of rest) {
      if (hasFailed || signal.aborted || isStopped) return;
      attempts[n] = await requests.run(webhook.environment_id, async () => {
        if (signal.aborted) return undefined;
        const at = await databaseNow();
        const attempt = await send(receiver, requestOf(webhook.url, message, secrets, at), signal);
        return attempt && { at, ...attempt };
      });
      hasFailed ||= attempts[n]?.error !== null;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return attempts;
}

function requestOf(url: string, { message_id: id, body }: Message, secrets: readonly string[], at: Date) {
  const timestamp = Math.floor(at.getTime() / 1_000);
  const headers = {
    "content-type": "application/json",
    "user-agent": `user-group-service/${version()}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signaturesOf(secrets, id, timestamp, body),
  };
  return { url, headers, body };
}

/** Stores a batch's outcomes, and how far the feed was read; undefined when its lease was lost. */
async function storeResults(
  { webhook: { id }, lease }: Serving,
  { messages, place }: Batch,
  attempts: readonly (DatedAttempt | undefined)[],
): Promise<WebhookRow | undefined> {
  const results = messages.map((message, n) => resultOf(message, attempts[n]));
  for (const outcome of ["delivered", "failed"] as const)
    meter()?.sent(outcome, results.filter((result) => result.outcome === outcome).length);
  const isDelivered = results.some(({ outcome }) => outcome === "delivered");
  // A failed test is no reason to disable a webhook.
  const hasFailed = results.some(({ outcome, type }) => outcome === "failed" && type !== TEST);
  const pause = Math.max(0, ...attempts.map((attempt) => attempt?.delayMs ?? 0));
  const isGone = attempts.some((attempt) => attempt?.status === 410);
  const isFailing = results.some(({ outcome, tries }) => outcome === "failed" && tries >= TELLING_TRIES);
  const reached = place ? [place.epoch, place.xid, place.id, place.at] : [null, null, null, null];
  return transaction(
    async (client) => {
      const [held] = await query<WebhookRow>(client, HOLD, [id, lease, ...reached, isDelivered, hasFailed, pause]);
      if (!held) return undefined;
      const columns = (...names: (keyof (typeof results)[number])[]) =>
        names.map((name) => results.map((result) => result[name]));
      const noted = [id, ...columns("message_id", "outcome", "attempt", "delay")];
      if (place && results.length > 0) {
        await query(client, WAIT_FOR_ERASURES, columns("team_id"));
        await query(client, ADD_DELIVERIES, [...noted, ...columns("type", "team_id", "body")]);
      } else if (results.length > 0) await query(client, UPDATE_DELIVERIES, noted);
      const reason = isGone ? "gone" : isFailing ? "failing" : undefined;
      return reason && (await disable(client, held, reason)) ? undefined : held;
    },
    "BEGIN",
    backgroundPool,
  );
}

function resultOf(message: Message, attempt: DatedAttempt | undefined) {
  if (!attempt) return { ...message, outcome: "unsent", attempt: null, delay: 0 };
  const { at, status, durationMs: duration_ms, error, delayMs } = attempt;
  return {
    ...message,
    outcome: error === null ? "delivered" : "failed",
    attempt: JSON.stringify({ at: at.toISOString(), status, duration_ms, error }),
    delay: Math.max(delayAfter(message.tries + 1), delayMs),
  };
}

/** Disables a webhook whose receiver says that it is gone, or has failed for days. */
async function disable(client: PoolClient, { id, url }: WebhookRow, reason: "gone" | "failing"): Promise<boolean> {
  const { origin } = new URL(url);
  const { rowCount } = await client.query(queryOf(DISABLE, [id, reason, ...authorValues(SERVICE), origin]));
  if (rowCount === 0) return false;
  meter()?.disabled(reason);
  log().warn({ webhook: id, origin, reason }, "a webhook was disabled");
  return true;
}
