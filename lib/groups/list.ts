import type { PoolClient } from "pg";
import { ORDERED_READS, transaction } from "@/lib/db/pool";
import { cursorOf, type Place, readCursor } from "@/lib/groups/cursor";
import { type Match, matching } from "@/lib/groups/match";
import type { GroupListQuery, GroupSort } from "@/lib/groups/schema";

/** A group in a list, without its token. */
export interface ListedGroup {
  team_id: number;
  provided_id: string;
  name: string;
  properties: string | null;
  created_at: Date;
  updated_at: Date;
  rotated_at: Date;
}

export interface GroupPage {
  rows: ListedGroup[];
  previousCursor: string | null;
  nextCursor: string | null;
  /** number of matching groups; a large one comes from the planner's statistics */
  total: { count: number; exact: boolean };
}

type Row = ListedGroup & { sort_key: string | Date | null };

/** Limit of exact totals: all groups are counted by an index alone, matches by reading each. */
const MOST_COUNTED = 10_000;
const MOST_MATCHES_COUNTED = 2_000;
/** The most matches to sort; with more, an ordered read meets one every few rows. */
const MOST_SORTED = 50_000;
/** Cost of finding a match by index and sorting it, in rows of an ordered read. */
const MATCH_COST = 4;
/** How much further than the planner expects to search in order, as matches may be distributed unevenly. */
const PATIENCE = 2;
const MOST_WALKED = 20_000;
/** The most rows to probe for the distance of matches: neither the planner nor the order is reliable. */
const LOOK = 2_000;
/** The part of the expected way to a page of matches that a probe reads. */
const GLANCE = 8;
/** How much cheaper sorting may seem than walking while a probe is still worthwhile: the planner knows few names. */
const DOUBT = 2;
/** How much costlier sorting must be than walking on when nothing has been found. */
const CLEARLY = 4;

const COLUMNS = "team_id, provided_id, name, properties, created_at, updated_at, rotated_at";

/** Each order's sort key in addition to the group's number, and its index; `searched` is its name in group_search if different. */
const ORDERS: Record<string, { key: string | null; searched?: string; type: string; unique?: true }> = {
  // user_group_sort_name_idx
  name: { key: 'lower(name) COLLATE "C"', searched: "sort_name", type: "text" },
  // user_group_environment_id_provided_id_key
  id: { key: "provided_id", type: "text", unique: true },
  // user_group_environment_id_team_id_idx: numbers follow the order of creation
  created: { key: null, type: "" },
  // user_group_environment_id_updated_at_team_id_idx
  updated: { key: "updated_at", type: "timestamptz" },
};

const NO_KEY = "NULL::text";

/**
 * A page of an environment's groups, in either direction from a cursor.
 * @throws {AppError} `invalid_fields` for an invalid filter or cursor
 */
export async function listGroups(environmentId: number, query: GroupListQuery): Promise<GroupPage> {
  const { sort, limit } = query;
  const match = matching(query);
  const from = query.cursor === undefined ? undefined : readCursor(query.cursor, sort);
  return transaction(async (client) => {
    const list = new List(client, { environmentId, sort, match, limit });
    let found = await list.page(from);
    let isFirst = from === undefined;
    if (from?.backward && found.rows.length <= limit) {
      // Near the beginning: return the whole first page instead of the rows left before the cursor.
      found = await list.page(undefined);
      isFirst = true;
    }
    const { rows, hasMore } = found;
    const backward = !isFirst && from?.backward === true;
    const shown = backward ? rows.slice(0, limit).reverse() : rows.slice(0, limit);
    const known = isFirst && !hasMore ? { count: shown.length, exact: true } : found.total;
    const total = known ?? (await list.count());
    const place = (row: Row | undefined, back: boolean): string | null => {
      if (row) return cursorOf(sort, { key: keyText(row.sort_key), teamId: row.team_id, backward: back });
      return from ? cursorOf(sort, { ...from, backward: back }) : null;
    };
    return {
      rows: shown.map(({ sort_key: _, ...row }) => row),
      previousCursor: isFirst ? null : place(shown[0], true),
      nextCursor: backward || hasMore ? place(shown.at(-1), false) : null,
      total,
    };
  }, ORDERED_READS);
}

function keyText(key: string | Date | null): string | null {
  return key instanceof Date ? key.toISOString() : key;
}

/** Where to continue after these rows, which were read from this place. */
function placeAfter(rows: Row[], from: Place | undefined): Place | undefined {
  const last = rows.at(-1);
  return last ? { key: keyText(last.sort_key), teamId: last.team_id, backward: from?.backward ?? false } : from;
}

interface Selection {
  environmentId: number;
  sort: GroupSort;
  match: Match | undefined;
  limit: number;
}

interface Found {
  /** in reading order, with one extra row if there are more */
  rows: Row[];
  hasMore: boolean;
  total?: GroupPage["total"];
}

interface Estimate {
  all: number;
  matches: number;
  /** share of matches among all */
  share: number;
}

/** The statements of one list, in one transaction. None is prepared by name: each is planned for its own values. */
class List {
  constructor(
    private readonly client: PoolClient,
    private readonly selection: Selection,
  ) {}

  /**
   * The rows after a place. Frequent matches are searched for among the next rows in order; rare ones, or ones not
   * found there, are read by their index and sorted.
   */
  async page(from: Place | undefined): Promise<Found> {
    const { match, limit } = this.selection;
    if (!match) return found(await this.walk(from), limit);
    const estimate = await this.estimate();
    const walked = (limit + 1) / estimate.share;
    if (DOUBT * MATCH_COST * estimate.matches > walked) {
      const soon = Math.ceil(PATIENCE * walked <= LOOK ? PATIENCE * walked : Math.min(walked / GLANCE, LOOK));
      const near = await this.walk(from, soon);
      if (near.length > limit) return found(near, limit);
      const further = this.further({ near: near.length, soon }, estimate);
      const far = further > 0 ? await this.walk(placeAfter(near, from), further, limit + 1 - near.length) : [];
      if (near.length + far.length > limit) return found([...near, ...far], limit);
    }
    const { rows, count } = await this.sorted(from, match);
    if (count <= MOST_SORTED) return { ...found(rows, limit), total: { count, exact: true } };
    return found(await this.walk(from), limit);
  }

  /** How many rows to read in order, given the matches found so far; 0 when sorting all matches is cheaper. */
  private further({ near, soon }: { near: number; soon: number }, { all, share }: Estimate): number {
    const wanted = this.selection.limit + 1;
    // Assume that matches continue as the planner expects, or better.
    const likely = Math.max(near / soon, share);
    const toSort = MATCH_COST * likely * all;
    if (near > 0 && wanted <= likely * Math.min(DOUBT * toSort, MOST_WALKED)) {
      // Where the probe should have found a page, its result outweighs the planner's.
      const wasExpected = PATIENCE * wanted <= share * soon;
      return Math.min(Math.ceil((PATIENCE * wanted) / (wasExpected ? near / soon : share)), MOST_WALKED);
    }
    // For example, the newest groups were never used.
    return toSort > CLEARLY * MOST_WALKED ? MOST_WALKED : 0;
  }

  /** The number of groups: exact when counting is cheap. */
  async count(): Promise<GroupPage["total"]> {
    const { match } = this.selection;
    const most = match ? MOST_MATCHES_COUNTED : MOST_COUNTED;
    if (!match || (await this.estimate()).matches <= most) {
      const count = await this.countUpTo(most);
      if (count <= most) return { count, exact: true };
    }
    return { count: Math.max((await this.estimate()).matches, most), exact: false };
  }

  private async countUpTo(most: number): Promise<number> {
    const { environmentId, match } = this.selection;
    const values: unknown[] = [environmentId];
    const { rows } = await this.client.query<{ count: number }>(
      `SELECT count(*)::int FROM (
         SELECT FROM ${match ? "group_search" : "user_group"} g
         WHERE environment_id = $1 AND ${match?.indexed(values) ?? "true"} LIMIT ${most + 1}
       ) AS counted`,
      values,
    );
    return rows[0]?.count ?? 0;
  }

  private estimated: Estimate | undefined;

  /** The planner's estimates of the number of groups and of matches. */
  private async estimate(): Promise<Estimate> {
    if (this.estimated) return this.estimated;
    const { environmentId, match } = this.selection;
    const values: unknown[] = [environmentId];
    const one = "SELECT FROM group_search g WHERE environment_id = $1";
    const { rows } = await this.client.query<{ "QUERY PLAN": [{ Plan: { Plans?: { "Plan Rows": number }[] } }] }>(
      `EXPLAIN (FORMAT JSON) ${one} UNION ALL ${one} AND (${match?.plain(values) ?? "true"})`,
      values,
    );
    const [all = 1, matches = 1] = rows[0]?.["QUERY PLAN"][0].Plan.Plans?.map((plan) => plan["Plan Rows"]) ?? [];
    this.estimated = { all, matches, share: matches / all };
    return this.estimated;
  }

  /** Matches among the next rows in order, with or without a limit of rows. */
  private async walk(from: Place | undefined, window?: number, most = this.selection.limit + 1): Promise<Row[]> {
    const { environmentId, match } = this.selection;
    const values: unknown[] = [environmentId];
    const order = this.order(from);
    const next = `SELECT ${COLUMNS}, ${order.key} AS sort_key FROM user_group g WHERE environment_id = $1 ${order.after(values)}`;
    const matches = match?.inTurn(values) ?? "true";
    const { rows } = await this.client.query<Row>(
      window === undefined
        ? `${next} AND (${matches}) ORDER BY ${order.by} LIMIT ${most}`
        : `SELECT * FROM (${next} ORDER BY ${order.by} LIMIT ${window}) AS g
           WHERE ${matches} ORDER BY ${order.alias.by} LIMIT ${most}`,
      values,
    );
    return rows;
  }

  /** All matches by their index, sorted, and their number. */
  private async sorted(from: Place | undefined, match: Match): Promise<{ rows: Row[]; count: number }> {
    const { environmentId, limit } = this.selection;
    const values: unknown[] = [environmentId];
    const order = this.order(from);
    const { rows } = await this.client.query<(Row | { team_id: null }) & { count: number }>(
      `WITH matches AS MATERIALIZED (
         SELECT environment_id, team_id, ${order.searched} AS sort_key FROM group_search g
         WHERE environment_id = $1 AND ${match.indexed(values)} LIMIT ${MOST_SORTED + 1}
       ), page AS MATERIALIZED (
         SELECT * FROM matches WHERE true ${order.alias.after(values)} ORDER BY ${order.alias.by} LIMIT ${limit + 1}
       )
       SELECT (SELECT count(*)::int FROM matches) AS count, ${COLUMNS}, sort_key
       FROM (VALUES (true)) AS always LEFT JOIN (page JOIN user_group USING (environment_id, team_id)) ON true
       ORDER BY ${order.alias.by}`,
      values,
    );
    return { rows: rows.filter((row) => row.team_id !== null), count: rows[0]?.count ?? 0 };
  }

  private order(from: Place | undefined) {
    const { sort } = this.selection;
    const { key, searched = key, type, unique } = ORDERS[sort.replace("-", "")] ?? { key: null, type: "" };
    const descending = sort.startsWith("-") !== (from?.backward === true);
    const sign = descending ? "<" : ">";
    const by = (first: string | null) => {
      const columns = first === null ? ["team_id"] : unique ? [first] : [first, "team_id"];
      return {
        by: columns.map((column) => `${column} ${descending ? "DESC" : "ASC"}`).join(", "),
        after(values: unknown[]): string {
          if (!from) return "";
          const places = columns.map((column) =>
            column === "team_id" ? `$${values.push(from.teamId)}::int` : `$${values.push(from.key)}::${type}`,
          );
          return `AND (${columns.join(", ")}) ${sign} (${places.join(", ")})`;
        },
      };
    };
    return { key: key ?? NO_KEY, searched: searched ?? NO_KEY, ...by(key), alias: by(key && "sort_key") };
  }
}

function found(rows: Row[], limit: number): Found {
  return { rows, hasMore: rows.length > limit };
}
