import { z } from "zod";
import { openCursor, writeCursor } from "@/lib/crypto/cursor";
import { read } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";
import { invalidFields } from "@/lib/errors";
import { noWebhook } from "@/lib/webhooks/rows";
import type { DeliveriesQuery } from "@/lib/webhooks/schema";
import type { DeliveryRow } from "@/lib/webhooks/stored";

const LIST = statement("list_deliveries")`
  SELECT d.* FROM webhook w JOIN webhook_delivery d ON d.webhook_id = w.id
  WHERE w.environment_id = $1 AND w.id = $2 AND ($3::text IS NULL OR d.state = $3)
    AND ($4::bigint IS NULL OR d.id < $4)
  ORDER BY d.id DESC LIMIT $5`;

const EXISTS = statement("webhook_exists")`SELECT FROM webhook WHERE environment_id = $1 AND id = $2`;

const VERSION = 1;
const PLACE = z.string().regex(/^\d{1,18}$/);

/**
 * A page of a webhook's deliveries, newest first.
 * @throws {AppError} `invalid_fields` for an invalid cursor, `not_found`
 */
export async function listDeliveries(environmentId: number, { webhook_id: id, state, limit, cursor }: DeliveriesQuery) {
  const scope = `deliveries ${VERSION} ${environmentId} ${id}`;
  const below = cursor === undefined ? undefined : PLACE.safeParse(openCursor(scope, cursor)).data;
  if (cursor !== undefined && below === undefined) {
    throw invalidFields([{ path: ["cursor"], message: "is not a cursor of this list: start at the first page" }]);
  }
  const rows = await read<DeliveryRow>(LIST, [environmentId, id, state, below, limit + 1]);
  if (rows.length === 0 && (await read(EXISTS, [environmentId, id])).length === 0) noWebhook();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1)?.id;
  return { rows: shown, nextCursor: rows.length > limit && last ? writeCursor(scope, last) : null };
}
