import { z } from "zod";
import { noteRenderer } from "@/lib/auth/api-token-caller";
import type { Asked } from "@/lib/auth/caller";
import { openCursor, ROW_NUMBER, writeCursor } from "@/lib/crypto/cursor";
import { read, statement } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { SETTLED } from "@/lib/events/place";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";
import type { EndedViewer, Generation } from "@/lib/store/views";

/** The most revocations that one answer pages through. */
const MAX_PAGE = 10_000;

// Transactions do not commit in order, so a place is a transaction id: ids below the oldest running one are settled,
// and revocations above it are repeated until they are settled too. A restored backup or a failover reuses ids, so a
// place also names the newest settled entry of the history; if that entry is gone, the poller starts over.
const CLUSTER = "(SELECT system_identifier FROM pg_control_system())";
const nameOf = (entry: string) => `${entry}.id || '/' || upper(left(encode(sha256(
  concat_ws(' ', ${entry}.epoch, ${entry}.xid, extract(epoch FROM ${entry}.at), ${CLUSTER})::bytea), 'hex'), 8))`;
const LIST_REVOCATIONS = statement("list_revocations")`
  WITH place AS MATERIALIZED (
    SELECT newest.*, coalesce($2 = history OR EXISTS (
      SELECT FROM audit_entry a WHERE a.environment_id = $1 AND a.id = left(split_part($2, '/', 1), 18)::bigint
        AND ${nameOf("a")} = $2
    ), false) AS continues
    FROM (
      SELECT settled.oldest, coalesce(last.name, '0/00000000') AS history, coalesce(last.xid, 0) AS xid
      FROM (${SETTLED}) AS settled LEFT JOIN LATERAL (
        SELECT CASE WHEN a.epoch = settled.epoch THEN a.xid ELSE 0 END AS xid, ${nameOf("a")} AS name
        FROM audit_entry a WHERE a.environment_id = $1 AND (a.epoch, a.xid) < (settled.epoch, settled.oldest)
        ORDER BY a.epoch DESC, a.xid DESC, a.id DESC LIMIT 1
      ) AS last ON true
    ) AS newest
  ), settled AS (
    SELECT r.* FROM viewer_revocation r, place
    WHERE r.environment_id = $1 AND r.xid < place.oldest
      AND (r.xid, r.team_id) > (CASE WHEN continues THEN $3::bigint ELSE 0 END, CASE WHEN continues THEN $4::int
        ELSE 0 END)
    ORDER BY r.xid, r.team_id LIMIT ${MAX_PAGE + 1}
  ), page AS (
    SELECT *, true AS is_settled FROM settled
    UNION ALL
    SELECT r.*, false FROM viewer_revocation r, place
    WHERE r.environment_id = $1 AND r.xid >= place.oldest AND (SELECT count(*) FROM settled) <= ${MAX_PAGE}
  )
  SELECT place.xid::text AS settled, place.history, page.team_id, page.gen, page.viewer_key, page.before,
    page.xid::text, page.is_settled
  FROM place LEFT JOIN page ON true ORDER BY page.is_settled DESC, page.xid, page.team_id`;

interface Row extends Generation {
  /** the transaction of the newest settled entry */
  settled: string;
  /** the name of that entry */
  history: string;
  /** empty for a revocation of a whole group, null if there is no revocation */
  viewer_key: Buffer | null;
  before: Date;
  xid: string;
  is_settled: boolean;
}

/** A part of an environment's revocations. */
export interface Revocations {
  revocations: (Generation | EndedViewer)[];
  nextSince: string;
  hasMore: boolean;
}

const PLACE = z.tuple([z.string().regex(/^\d{1,20}\/[0-9A-F]{8}$/), ROW_NUMBER, z.int().min(0).max(LARGEST_NUMBER)]);
const NO_PLACE = "is not a next_since of this list: leave it out to read all";

/**
 * The revocations of viewer tokens since a place, or all that still matter.
 * @throws {AppError} `invalid_fields` for a malformed place
 */
export async function listRevocations({ caller, input }: Asked<{ since?: string | undefined }>): Promise<Revocations> {
  const scope = `revocations 1 ${caller.environment.id}`;
  const { since } = input;
  const [history, xid, teamId] =
    since === undefined
      ? [null, null, null]
      : openCursor(scope, PLACE, { cursor: since, refusal: NO_PLACE, field: "since" });
  // Taken before reading: the list may lack tokens that are revoked while it is read.
  const at = performance.now();
  const rows = await read<Row>(LIST_REVOCATIONS, [caller.environment.id, history, xid, teamId]);
  const [first] = rows;
  if (!first) throw new Error("the list of revocations has no place");
  noteRenderer(caller, "polled", at);
  const found = rows.filter(({ viewer_key }) => viewer_key !== null);
  const hasMore = found.length > MAX_PAGE && found[MAX_PAGE]?.is_settled === true;
  const shown = hasMore ? found.slice(0, MAX_PAGE) : found;
  const last = shown.at(-1);
  const next: z.infer<typeof PLACE> =
    hasMore && last
      ? [first.history, last.xid, last.team_id]
      : // After all that is settled.
        [first.history, first.settled, LARGEST_NUMBER];
  return {
    revocations: shown.map(({ team_id, gen, viewer_key, before }) =>
      viewer_key?.length ? { team_id, viewer_key, before } : { team_id, gen },
    ),
    nextSince: writeCursor(scope, next),
    hasMore,
  };
}

/** Deletes revocations older than every unexpired viewer token. */
export async function forgetRevocations() {
  await purge({ table: "viewer_revocation", where: "at < now() - interval '25 hours'" });
}
