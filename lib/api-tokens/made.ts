import type { MadeWebhooks } from "@/lib/api-tokens/schema";
import { type RecordedWebhook, webhookForHistory } from "@/lib/audit/entries";
import { record } from "@/lib/audit/service";
import type { Authorised } from "@/lib/authority/authority";
import { read, statement } from "@/lib/db/pool";
import { invalidFields } from "@/lib/errors";
import type { Prisma } from "@/prisma/generated/client";

// Webhooks and tokens outlive the member or API token that made them, so they are listed when it is removed or revoked.

/** A member or an API token. */
interface Maker {
  type: "member" | "api_token";
  id: string;
}

/**
 * SQL: the maker of type $1 and id $2, a member's API tokens, the values that an API token replaced, and its own
 * replacements, which are revoked with it.
 */
const MAKERS = `
  WITH RECURSIVE tokens AS (
    SELECT id, replaces FROM api_token WHERE CASE $1 WHEN 'member' THEN created_by_id = $2 ELSE id::text = $2 END
    UNION SELECT t.id, t.replaces FROM api_token t
    JOIN tokens ON t.id = tokens.replaces OR (t.replaces = tokens.id AND 'api-token:replace' = ANY (t.scopes))
  ), makers AS (
    SELECT 'api_token'::actor_type AS maker_type, id::text AS maker_id FROM tokens UNION ALL SELECT $1::actor_type, $2
  )`;

const LIST_WEBHOOKS = statement("list_webhooks_made_by")`${MAKERS}
  SELECT w.id, w.url, w.description, e.slug AS environment
  FROM webhook w JOIN environment e ON e.id = w.environment_id
  WHERE w.enabled AND (w.maker_type, w.maker_id) IN (SELECT maker_type, maker_id FROM makers) ORDER BY w.id DESC`;

/**
 * The enabled webhooks that a member or an API token made, newest first; for a member, also those of all their API
 * tokens.
 */
export function listWebhooksMadeBy({ type, id }: Maker): Promise<MadeWebhooks> {
  return read<MadeWebhooks[number]>(LIST_WEBHOOKS, [type, id]);
}

interface Disabled extends RecordedWebhook {
  environment_id: number;
  was_enabled: boolean;
}

/**
 * Disables webhooks that a member or an API token made, within the transaction, and records it. Disabled webhooks stay
 * unchanged.
 * @throws {AppError} `invalid_fields` for a webhook that another made
 */
export async function disableWebhooksMadeBy(
  tx: Prisma.TransactionClient,
  { maker: { type, id }, ids }: { maker: Maker; ids: number[] },
  by: Authorised,
) {
  if (ids.length === 0) return;
  const disabled = await tx.$queryRawUnsafe<Disabled[]>(
    `${MAKERS}, was AS (
       SELECT w.id, w.enabled FROM webhook w
       WHERE w.id = ANY ($3::int[]) AND (w.maker_type, w.maker_id) IN (SELECT maker_type, maker_id FROM makers)
       ORDER BY w.id FOR UPDATE
     )
     UPDATE webhook w SET enabled = false, disabled_at = coalesce(w.disabled_at, now()),
       disabled_reason = coalesce(w.disabled_reason, 'asked'), leased_by = NULL, leased_until = NULL, updated_at = now()
     FROM was WHERE w.id = was.id
     RETURNING w.id, w.environment_id, w.url, w.description, w.types, was.enabled AS was_enabled`,
    type,
    id,
    ids,
  );
  const strays = ids.filter((one) => !disabled.some((webhook) => webhook.id === one));
  if (strays.length > 0) {
    const message = `contains webhooks that were not made with this authority: ${strays.join(", ")}`;
    throw invalidFields([{ path: ["disableWebhooks"], message }]);
  }
  for (const { was_enabled, environment_id: environmentId, ...webhook } of disabled) {
    const after = webhookForHistory(webhook);
    if (was_enabled) await record(tx, by, { action: "webhook.disabled", environmentId, after });
  }
}
