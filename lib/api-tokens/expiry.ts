import { ANNOUNCED_DAYS } from "@/lib/api-tokens/summary";
import { record } from "@/lib/audit/service";
import { SERVICE } from "@/lib/authority/authority";
import { prisma } from "@/lib/db/prisma";

interface Announced {
  id: number;
  environment_id: number;
  name: string;
  expires_at: Date;
  days: number;
}

/**
 * Records that API tokens expire soon, once for each threshold: the first instance to update the row records it. A
 * threshold is skipped when the next one has passed as well, or when the token was created after it, not in place of
 * another.
 */
export async function announceExpiries() {
  await prisma().$transaction(async (tx) => {
    const announced = await tx.$queryRaw<Announced[]>`
      UPDATE api_token t SET expiry_announced = due.days
      FROM (
        SELECT s.id, min(threshold.days) AS days
        FROM unnest(${ANNOUNCED_DAYS}::int[]) AS threshold(days) JOIN api_token s
          ON s.expires_at > now() AND s.expires_at <= now() + threshold.days * interval '1 day'
            AND (s.replaces IS NOT NULL OR s.created_at < s.expires_at - threshold.days * interval '1 day')
        WHERE s.revoked_at IS NULL
          AND NOT EXISTS (SELECT FROM api_token newer WHERE newer.replaces = s.id AND newer.revoked_at IS NULL)
        GROUP BY s.id
      ) AS due
      WHERE t.id = due.id AND t.revoked_at IS NULL AND (t.expiry_announced IS NULL OR t.expiry_announced > due.days)
      RETURNING t.id, t.environment_id, t.name, t.expires_at, due.days`;
    for (const { id, environment_id: environmentId, name, expires_at, days } of announced) {
      const after = { id, name, expires_at, days_left: days };
      await record(tx, SERVICE, { action: "api_token.expires_soon", environmentId, after });
    }
  });
}
