import { z } from "zod";
import { noteRenderer } from "@/lib/auth/api-token-caller";
import type { Asked } from "@/lib/auth/caller";
import { openCursor, ROW_NUMBER, writeCursor } from "@/lib/crypto/cursor";
import { read, statement } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import type { Generation } from "@/lib/store/views";

/** The most revocations that one answer pages through. */
const MAX_PAGE = 10_000;
const LARGEST_TEAM_ID = 2_147_483_647;

// A place is a transaction id, as transactions do not commit in order: those below the oldest running one are settled,
// and later ones are repeated until they are. A place from before a restored backup or a failover means nothing: that
// poller starts again.
const LIST_REVOCATIONS = statement("list_revocations")`
  WITH place AS MATERIALIZED (
    SELECT oldest, history, coalesce($2 = history AND $3::bigint <= oldest, false) AS continues
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
      (SELECT system_identifier FROM pg_control_system())::text || '/'
        || substring(pg_walfile_name(pg_current_wal_lsn()) FOR 8) AS history) AS now
  ), settled AS (
    SELECT r.team_id, r.gen, r.xid FROM viewer_revocation r, place
    WHERE r.environment_id = $1 AND r.xid < place.oldest
      AND (r.xid, r.team_id) > (CASE WHEN continues THEN $3::bigint ELSE 0 END, CASE WHEN continues THEN $4::int
        ELSE 0 END)
    ORDER BY r.xid, r.team_id LIMIT ${MAX_PAGE + 1}
  ), page AS (
    SELECT *, true AS is_settled FROM settled
    UNION ALL
    SELECT r.team_id, r.gen, r.xid, false FROM viewer_revocation r, place
    WHERE r.environment_id = $1 AND r.xid >= place.oldest AND (SELECT count(*) FROM settled) <= ${MAX_PAGE}
  )
  SELECT place.oldest::text, place.history, page.team_id, page.gen, page.xid::text, page.is_settled
  FROM place LEFT JOIN page ON true ORDER BY page.is_settled DESC, page.xid, page.team_id`;

interface Row {
  oldest: string;
  history: string;
  team_id: number | null;
  gen: number;
  xid: string;
  is_settled: boolean;
}

/** A part of an environment's revocations. */
export interface Revocations {
  revocations: Generation[];
  nextSince: string;
  hasMore: boolean;
}

const PLACE = z.tuple([z.string().regex(/^\d{1,20}\/[0-9A-F]{8}$/), ROW_NUMBER, z.int().min(0).max(LARGEST_TEAM_ID)]);
const NO_PLACE = "is not a next_since of this list: leave it out to read all";

/**
 * The revocations of viewer tokens since a place, or all that still matter.
 * @throws {AppError} `invalid_fields` for a place that is none
 */
export async function listRevocations({ caller, input }: Asked<{ since?: string | undefined }>): Promise<Revocations> {
  const scope = `revocations 1 ${caller.environment.id}`;
  const { since } = input;
  const [history, xid, teamId] =
    since === undefined
      ? [null, null, null]
      : openCursor(scope, PLACE, { cursor: since, refusal: NO_PLACE, field: "since" });
  // Before the list is read: one that is revoked meanwhile may not be in it.
  const at = performance.now();
  const rows = await read<Row>(LIST_REVOCATIONS, [caller.environment.id, history, xid, teamId]);
  const [first] = rows;
  if (!first) throw new Error("the list of revocations has no place");
  noteRenderer(caller, "polled", at);
  const found = rows.filter(({ team_id }) => team_id !== null);
  const hasMore = found.length > MAX_PAGE && found[MAX_PAGE]?.is_settled === true;
  const shown = hasMore ? found.slice(0, MAX_PAGE) : found;
  const last = shown.at(-1);
  const next: z.infer<typeof PLACE> =
    hasMore && last
      ? [first.history, last.xid, last.team_id ?? 0]
      : // After all that is settled.
        [first.history, String(BigInt(first.oldest) - 1n), LARGEST_TEAM_ID];
  return {
    revocations: shown.map(({ team_id, gen }) => ({ team_id: team_id ?? 0, gen })),
    nextSince: writeCursor(scope, next),
    hasMore,
  };
}

/** Deletes revocations that no unexpired viewer token is older than. */
export async function forgetRevocations() {
  await purge({ table: "viewer_revocation", where: "at < now() - interval '25 hours'" });
}
