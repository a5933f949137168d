import { read } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";
import { meter } from "@/lib/telemetry/meter";

/** The first entry after each webhook's place; a webhook whose receiver fails waits for that. */
const LAG = statement("webhook_lag")`
  SELECT coalesce(max(extract(epoch FROM now() - next.at)), 0)::float8 AS seconds
  FROM webhook w CROSS JOIN LATERAL (
    SELECT a.at FROM audit_entry a
    WHERE a.environment_id = w.environment_id AND (a.epoch, a.xid, a.id) > (w.epoch, w.xid, w.entry_id)
    ORDER BY a.epoch, a.xid, a.id LIMIT 1
  ) AS next
  WHERE w.enabled AND w.failing_since IS NULL`;

/** Counts how long the oldest event has not been read for a webhook whose receiver works. */
export async function watchWebhookLag() {
  const [lag] = await read<{ seconds: number }>(LAG, []);
  meter()?.webhooksLag(lag?.seconds ?? 0);
}
