import type { Author } from "@/lib/authority/authority";
import { readStoredMembers } from "@/lib/json/json";
import type { ShallowJson } from "@/lib/json/raw-json";

/** A stored entry, with what is currently known of its group and environment. */
export interface HistoryRow {
  id: string;
  at: Date;
  action: string;
  actor_type: Author["actorType"] | "visitor";
  actor_id: string | null;
  actor_name: string;
  request_id: string | null;
  team_id: number | null;
  before: string | null;
  after: string | null;
  provided_id: string | null;
  name: string | null;
  environment: string | null;
  /** a deleted group's, when it was deleted */
  last_id: string | null;
  last_name: string | null;
  /** the transaction that wrote the entry; with the epoch, its place in the feed */
  xid: string;
  epoch: number;
  /** whether the entry is within the page's limit of bytes; its states are selected only then */
  fits: boolean;
}

/** Limit of a page's states. */
const MAX_BYTES = 4_194_304;

/** The SQL for {@link HistoryRow}s of the entries that `page` selects in this order. The first entry always fits. */
export function selectEntries(page: string, order: string[]): string {
  const bytes = "coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)";
  const outer = order.map((column) => `a.${column}`).join(", ");
  const inner = order.join(", ");
  return `
    SELECT a.id, a.at, a.action, a.actor_type, a.actor_id, a.actor_name, a.request_id, a.team_id, a.xid, a.epoch,
      a.fits, CASE WHEN a.fits THEN a.before END AS before, CASE WHEN a.fits THEN a.after END AS after,
      g.provided_id, g.name, e.slug AS environment, d.before ->> 'provided_id' AS last_id,
        d.before ->> 'name' AS last_name
    FROM (
      SELECT *, sum(${bytes}) OVER (ORDER BY ${inner}) <= ${MAX_BYTES}
        OR row_number() OVER (ORDER BY ${inner}) = 1 AS fits
      FROM (${page}) AS page
    ) AS a
    LEFT JOIN user_group g ON g.environment_id = a.environment_id AND g.team_id = a.team_id
      LEFT JOIN environment e ON e.id = a.environment_id
    LEFT JOIN LATERAL (
      SELECT d.before::json AS before FROM audit_entry d
      WHERE g.team_id IS NULL AND d.team_id = a.team_id AND d.action = 'user_group.deleted' ORDER BY d.id DESC LIMIT 1
    ) AS d ON true
    ORDER BY ${outer}`;
}

/**
 * SQL for a recursive table `known` of the environments in a table of entries, plus a null. It skips along their index,
 * as a month can have millions of entries.
 */
export function environmentsIn(table: string): string {
  return `known AS (
    (SELECT environment_id FROM ${table} WHERE environment_id IS NOT NULL ORDER BY environment_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.environment_id FROM ${table} e WHERE e.environment_id > known.environment_id ORDER BY 1 LIMIT 1)
    FROM known WHERE known.environment_id IS NOT NULL
  )`;
}

/** The members that answers show of a stored group: nothing about its token. */
const SHOWN = ["provided_id", "name", "mapping", "properties", "access_ends_at", "previous_token_valid_until"];

/** A group as stored in an entry; nested members are text. */
type GroupSnapshot = Record<string, ShallowJson> & Record<"provided_id" | "name", string>;

/** The group stored in an entry; undefined when there is none, as in an entry about a state or of an erased group. */
export function snapshotIn(text: string | null): GroupSnapshot | undefined {
  // Parsed to be sure: reasons, names and definitions can contain these characters too.
  if (!text?.includes('"token_fingerprint"')) return undefined;
  const members = readStoredMembers(text);
  if (!Object.hasOwn(members, "token_fingerprint")) return undefined;
  return Object.fromEntries(Object.entries(members).filter(([name]) => SHOWN.includes(name))) as GroupSnapshot;
}

/** What the history has of a webhook, with its whole URL. */
export interface RecordedWebhook {
  id: number;
  url: string;
  description: string;
  types: string[] | null;
}

/** A webhook for the history, with the URL's origin only: viewers read it, and many receivers use a secret path. */
export function webhookForHistory({ id, url, description, types }: RecordedWebhook) {
  return { id, url: new URL(url).origin, description, types };
}
