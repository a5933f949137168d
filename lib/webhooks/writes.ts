import { webhookForHistory } from "@/lib/audit/entries";
import { record } from "@/lib/audit/service";
import type { Authorised } from "@/lib/authority/authority";
import { AppError, invalidFields } from "@/lib/errors";
import type { Place } from "@/lib/events/place";
import { allowedAddresses } from "@/lib/webhooks/address";
import { MAX_WEBHOOKS } from "@/lib/webhooks/facts";
import type { NewWebhook, WebhookChange } from "@/lib/webhooks/schema";
import { newSecret, sealSecret } from "@/lib/webhooks/signature";
import type { WebhookRow } from "@/lib/webhooks/stored";
import type { Prisma } from "@/prisma/generated/client";

/** How long a name may take to resolve when a webhook is saved, in milliseconds. */
const RESOLVE_MS = 5_000;

/** @throws {AppError} `invalid_fields` at `path` for an address that cannot be found, or must not be reached */
export async function requireReceiver(url: string, path: (string | number)[] = ["url"]) {
  const late = new Promise<never>((_, reject) => {
    setTimeout(reject, RESOLVE_MS).unref();
  });
  await Promise.race([allowedAddresses(new URL(url).hostname), late]).catch(() => {
    // The same answer for every failure: it must not reveal which names our network knows.
    const message =
      "must have a host that DNS resolves to public addresses: an operator can open others with " +
      "WEBHOOK_PRIVATE_NETWORKS";
    throw invalidFields([{ path, message }]);
  });
}

interface Inserted {
  environmentId: number;
  webhook: NewWebhook & { enabled?: boolean };
  /** where in the feed it begins */
  place: Place;
}

/**
 * Inserts a webhook with a new secret, and records it, in a transaction that has locked its environment.
 * @throws {AppError} `conflict` when there are too many
 */
export async function insertWebhook(
  tx: Prisma.TransactionClient,
  by: Authorised,
  { environmentId, webhook, place: { epoch, xid, id: entryId, at } }: Inserted,
): Promise<{ id: number; secret: string }> {
  const [{ count }] = await tx.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int FROM webhook WHERE environment_id = ${environmentId}`;
  if (count >= MAX_WEBHOOKS) {
    throw new AppError("conflict", `This environment has ${MAX_WEBHOOKS} webhooks. Delete one first.`);
  }
  const { url, description, types, enabled = true } = webhook;
  const secret = newSecret();
  const [{ id }] = await tx.$queryRaw<[{ id: number }]>`SELECT nextval('webhook_id_seq')::int AS id`;
  await tx.$executeRaw`
    INSERT INTO webhook (id, environment_id, url, description, types, secret_sealed, epoch, xid, entry_id, entry_at,
      enabled, disabled_at, disabled_reason, maker_type, maker_id, maker_name)
    VALUES (${id}, ${environmentId}, ${url}, ${description}, ${types}::text[], ${sealSecret(id, secret)}, ${epoch},
      ${xid}::bigint, ${entryId}::bigint, ${at}::timestamptz,
      ${enabled}, CASE WHEN NOT ${enabled} THEN now() END, CASE WHEN NOT ${enabled} THEN 'asked' END,
      ${by.actorType}::actor_type, ${by.actorId}, ${by.actorName})`;
  const after = { ...webhookForHistory({ id, ...webhook }), ...(!enabled && { enabled }) };
  await record(tx, by, { action: "webhook.created", environmentId, after });
  return { id, secret };
}

/**
 * Locks a webhook. With `isTaken`, for a change, takes it from the process that works on it; otherwise that process
 * keeps it, and does not send again what is under way.
 * @throws {AppError} `not_found`
 */
export async function lockWebhook(
  tx: Prisma.TransactionClient,
  { environmentId, id, isTaken = true }: { environmentId: number; id: number; isTaken?: boolean },
): Promise<WebhookRow> {
  const [row] = isTaken
    ? await tx.$queryRaw<WebhookRow[]>`
        UPDATE webhook SET leased_by = NULL, leased_until = NULL, updated_at = now()
        WHERE id = ${id} AND environment_id = ${environmentId} RETURNING *`
    : await tx.$queryRaw<WebhookRow[]>`
        SELECT * FROM webhook WHERE id = ${id} AND environment_id = ${environmentId} FOR NO KEY UPDATE`;
  return row ?? noWebhook();
}

/** @throws {AppError} `not_found` */
export function noWebhook(): never {
  throw new AppError("not_found", "This environment has no such webhook.");
}

interface Alteration extends Pick<WebhookChange, "url" | "description" | "types" | "enabled"> {
  /** skips the events up to this place */
  end?: Place | undefined;
}

/** Changes a taken webhook, and records it. Events that are being sent are sent again with the changed settings. */
export async function alterWebhook(
  tx: Prisma.TransactionClient,
  by: Authorised,
  was: WebhookRow,
  { url = was.url, description = was.description, types = was.types, enabled, end }: Alteration,
) {
  const { id, environment_id: environmentId } = was;
  const isMoved = url !== was.url;
  const isToggled = enabled !== undefined && enabled !== was.enabled;
  await tx.$executeRaw`
    UPDATE webhook SET url = ${url}, description = ${description}, types = ${types}::text[] WHERE id = ${id}`;
  if (isToggled) {
    await tx.$executeRaw`
      UPDATE webhook SET enabled = ${enabled}, disabled_at = CASE WHEN ${enabled} THEN NULL ELSE now() END,
        disabled_reason = CASE WHEN ${enabled} THEN NULL ELSE 'asked' END WHERE id = ${id}`;
  }
  if (isMoved || (isToggled && enabled)) {
    await tx.$executeRaw`UPDATE webhook SET paused_until = NULL, failing_since = NULL WHERE id = ${id}`;
    await tx.$executeRaw`UPDATE webhook_delivery SET next_at = now() WHERE webhook_id = ${id} AND state = 'waiting'`;
  }
  if (end) {
    await tx.$executeRaw`
      UPDATE webhook SET epoch = ${end.epoch}, xid = ${end.xid}::bigint, entry_id = ${end.id}::bigint,
        entry_at = ${end.at}::timestamptz
      WHERE id = ${id}`;
    await tx.$executeRaw`
      UPDATE webhook_delivery SET state = 'failed', next_at = NULL WHERE webhook_id = ${id} AND state = 'waiting'`;
  }
  const [before, after] = [webhookForHistory(was), webhookForHistory({ id, url, description, types })];
  if (end || isMoved || JSON.stringify(before) !== JSON.stringify(after)) {
    const more = { ...(end && { from: "now" }), ...(isMoved && before.url === after.url && { path: "changed" }) };
    await record(tx, by, { action: "webhook.updated", environmentId, before, after: { ...after, ...more } });
  }
  if (isToggled) {
    await record(tx, by, { action: enabled ? "webhook.enabled" : "webhook.disabled", environmentId, after });
  }
}

/** Deletes a taken webhook with its deliveries, and records it. */
export async function removeWebhook(tx: Prisma.TransactionClient, by: Authorised, was: WebhookRow) {
  await tx.$executeRaw`DELETE FROM webhook WHERE id = ${was.id}`;
  const before = webhookForHistory(was);
  await record(tx, by, { action: "webhook.deleted", environmentId: was.environment_id, before });
}

type Shown = Pick<WebhookRow, "url" | "description" | "types">;

/** A webhook as settings have it, without the URL's query string, which may be secret. */
export function webhookSnapshot({ url, description, types }: Shown) {
  const { origin, pathname } = new URL(url);
  return { url: `${origin}${pathname}`, description, types };
}
