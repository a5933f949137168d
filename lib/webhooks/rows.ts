import { record } from "@/lib/audit/service";
import type { Authorised } from "@/lib/db/authority";
import { AppError } from "@/lib/errors";
import type { Place } from "@/lib/events/place";
import { MOST_WEBHOOKS } from "@/lib/webhooks/facts";
import type { NewWebhook } from "@/lib/webhooks/schema";
import { newSecret, sealSecret } from "@/lib/webhooks/signature";
import type { WebhookRow } from "@/lib/webhooks/stored";
import type { Prisma } from "@/prisma/generated/client";

interface Inserted {
  environmentId: number;
  webhook: NewWebhook;
  /** where in the feed it begins */
  place: Place;
  /** for one that somebody has to enable first */
  isDisabled?: boolean;
}

/**
 * Inserts a webhook with a new secret, and records it, in a transaction that has locked its environment.
 * @throws {AppError} `conflict` when there are too many
 */
export async function insertWebhook(
  tx: Prisma.TransactionClient,
  by: Authorised,
  { environmentId, webhook, place: { epoch, xid, id: entryId, at }, isDisabled = false }: Inserted,
): Promise<{ id: number; secret: string }> {
  if ((await tx.webhook.count({ where: { environmentId } })) >= MOST_WEBHOOKS) {
    throw new AppError("conflict", `This environment has ${MOST_WEBHOOKS} webhooks. Delete one first.`);
  }
  const { url, description, types } = webhook;
  const secret = newSecret();
  const [{ id }] = await tx.$queryRaw<[{ id: number }]>`SELECT nextval('webhook_id_seq')::int AS id`;
  await tx.$executeRaw`
    INSERT INTO webhook (id, environment_id, url, description, types, secret_sealed, epoch, xid, entry_id, entry_at,
      enabled, disabled_at, disabled_reason)
    VALUES (${id}, ${environmentId}, ${url}, ${description}, ${types}::text[], ${sealSecret(id, secret)}, ${epoch},
      ${xid}::bigint, ${entryId}::bigint, ${at}::timestamptz,
      ${!isDisabled}, CASE WHEN ${isDisabled} THEN now() END, CASE WHEN ${isDisabled} THEN 'asked' END)`;
  const after = { ...webhookSnapshot(webhook), ...(isDisabled && { enabled: false }) };
  await record(tx, by, { action: "webhook.created", environmentId, after });
  return { id, secret };
}

/** Changes what a locked webhook is for, and records a change; takes it from the process that works on it. */
export async function describeWebhook(
  tx: Prisma.TransactionClient,
  by: Authorised,
  was: Pick<WebhookRow, "id" | "environment_id" | "url" | "description" | "types">,
  is: Pick<NewWebhook, "description" | "types">,
) {
  const [before, after] = [webhookSnapshot(was), webhookSnapshot({ url: was.url, ...is })];
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  await tx.$executeRaw`
    UPDATE webhook SET description = ${is.description}, types = ${is.types}::text[], leased_by = NULL, leased_until = NULL,
      updated_at = now() WHERE id = ${was.id}`;
  await record(tx, by, { action: "webhook.updated", environmentId: was.environment_id, before, after });
}

/** A webhook as the history has it: what a query string says may be secret. */
export function webhookSnapshot({ url, description, types }: Pick<WebhookRow, "url" | "description" | "types">) {
  const { origin, pathname } = new URL(url);
  return { url: `${origin}${pathname}`, description, types };
}
