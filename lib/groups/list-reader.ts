import type { PoolClient } from "pg";
import type { Position } from "@/lib/groups/cursor";
import { NO_KEY, orderOf } from "@/lib/groups/list-order";
import type { GroupListQuery, GroupSort } from "@/lib/groups/list-schema";
import type { Indexed, Match } from "@/lib/groups/match";
import { MEMBER_BYTES } from "@/lib/store/group-row";

export interface Total {
  count: number;
  exact: boolean;
}

/** A group on a page, before its fields are read. */
export interface Row {
  team_id: number;
  sort_key: string | Date | null;
  /** of mapping and properties */
  bytes: number;
  /** how many rows a walk read up to this one */
  n?: number;
}

/** Limits of exact totals: counting all groups takes only an index, counting matches reads each. */
const MAX_COUNTED = 10_000;
const MAX_MATCHES_COUNTED = 2_000;
/** The most rows to walk, in order, for an expected page of matches. */
const MAX_WALKED = 10_000;
/** How many times further to walk than the planner's estimate, as matches may be distributed unevenly. */
const PATIENCE = 2;
/** The most matches to find by an index and sort. */
const MAX_SORTED = 12_000;
/**
 * Limits of scanning for what no index finds: rows in the first and the second step, and bytes of properties to parse.
 */
const SCANS = [1_000, 5_000];
const MAX_PARSED = 8_388_608;
/** The most candidates to read after an index has found them. */
const MAX_CANDIDATES = 5_000;

/** What a walk needs of each row: sort keys, and what conditions compare. */
const COMPARED =
  "environment_id, team_id, provided_id, name, mapping, properties, state, access_ends_at, created_at, updated_at";

export function placeOf(row: Row | undefined): Omit<Position, "backward"> | undefined {
  if (!row) return undefined;
  const { sort_key: key } = row;
  return { key: key instanceof Date ? key.toISOString() : key, teamId: row.team_id };
}

/** Where to continue after these rows, which were read from this place. */
function placeAfter(rows: Row[], from: Position | undefined): Position | undefined {
  const last = placeOf(rows.at(-1));
  return last ? { ...last, backward: from?.backward ?? false } : from;
}

export interface Selection {
  environmentId: number;
  sort: GroupSort;
  query: GroupListQuery;
  match: Match | undefined;
  limit: number;
}

export interface Found {
  /** in reading order, with one extra row if there are more */
  rows: Row[];
  /** where looking for more matches stopped, if not at the end */
  stoppedAt?: Position;
  total?: Total;
}

/** How far a scan can look. */
interface Reach {
  rows: number;
  isEnd: boolean;
  last: Position | undefined;
}

interface Estimate {
  all: number;
  matches: number;
}

/** The statements of one list, in one transaction. None is prepared by name: each is planned for its own values. */
export class List {
  constructor(
    readonly client: PoolClient,
    /** hasty: after a timeout, without looking for matches by index */
    readonly selection: Selection & { isHasty: boolean },
  ) {}

  /**
   * The rows after a place. Frequent matches are found by walking in order, others by an index and sorted. Matches that
   * are too many for that, or in no index, are scanned for in order, as far as the limits allow.
   */
  async page(from: Position | undefined): Promise<Found> {
    const { match, query, isHasty } = this.selection;
    if (query.user_group_id) return this.named("provided_id = ANY ($2::text[])", query.user_group_id, from);
    if (query.team_id) return this.named("team_id = ANY ($2::int[])", query.team_id, from);
    if (!match) return { rows: await this.walk(from) };
    return (isHasty ? undefined : await this.byIndex(from, match)) ?? this.scan(from);
  }

  private async byIndex(from: Position | undefined, match: Match): Promise<Found | undefined> {
    const { limit } = this.selection;
    if (!match.byIndex) return undefined;
    const { all, matches } = await this.estimate();
    if (match.isScanned) return matches > MAX_CANDIDATES ? undefined : this.candidates(from, match, match.byIndex);
    const way = ((limit + 1) * all) / matches;
    if (way <= MAX_WALKED) {
      const rows = await this.walk(from, Math.min(Math.ceil(PATIENCE * way), MAX_WALKED));
      if (rows.length > limit) return { rows };
    }
    return this.sorted(from, match.byIndex);
  }

  /** The groups that the query names, in one statement: there are few. */
  private async named(condition: string, names: unknown[], from: Position | undefined): Promise<Found> {
    const { environmentId } = this.selection;
    const { rows: all } = await this.client.query<Row>(
      `SELECT team_id, ${NO_KEY} AS sort_key, ${MEMBER_BYTES} AS bytes FROM user_group
       WHERE environment_id = $1 AND ${condition} ORDER BY team_id`,
      [environmentId, names],
    );
    if (from?.backward) all.reverse();
    const isOn = (teamId: number, { teamId: place, backward, isIncluded }: Position) =>
      teamId === place ? isIncluded : teamId < place === backward;
    const rows = all.filter(({ team_id }) => !from || isOn(team_id, from));
    return { rows, total: { count: all.length, exact: true } };
  }

  /** Looks for matches among the next rows, up to a limit of rows and bytes. */
  private async scan(from: Position | undefined): Promise<Found> {
    const { limit, match } = this.selection;
    const rows: Row[] = [];
    let at = from;
    let examined = 0;
    let isEnd = false;
    for (const window of SCANS) {
      const reach = await this.reach(at, window);
      if (reach.rows > 0) rows.push(...(await this.walk(at, reach.rows, limit + 1 - rows.length, true)));
      // A full page ended before the window did.
      examined += rows.length > limit ? (rows.at(-1)?.n ?? reach.rows) : reach.rows;
      ({ isEnd, last: at } = reach);
      if (isEnd || rows.length > limit) break;
    }
    const { all, matches } = await this.estimate();
    const isWhole = isEnd && from === undefined && rows.length <= limit;
    const expected = match?.isScanned ? Math.round((rows.length * all) / Math.max(examined, 1)) : matches;
    return {
      rows,
      ...(!isEnd && rows.length <= limit && at && { stoppedAt: at }),
      total: isWhole ? { count: rows.length, exact: true } : { count: Math.max(rows.length, expected), exact: false },
    };
  }

  /** How many of the next rows a scan can look through, and where they end. */
  private async reach(from: Position | undefined, window: number): Promise<Reach> {
    const { environmentId } = this.selection;
    const values: unknown[] = [environmentId];
    const order = orderOf(this.selection, from);
    const { rows } = await this.client.query<Row & { n: number; seen: number }>(
      `WITH next AS MATERIALIZED (
         SELECT team_id, ${order.key} AS sort_key, coalesce(octet_length(properties), 0) AS bytes
         FROM ${order.nearest(values, window)}
       ), measured AS (
         SELECT *, sum(bytes) OVER rows - bytes AS bytes_before, row_number() OVER rows AS n
         FROM next WINDOW rows AS (ORDER BY ${order.alias.by} ROWS UNBOUNDED PRECEDING)
       )
       SELECT team_id, sort_key, bytes, n::int, (SELECT count(*)::int FROM next) AS seen
       FROM measured WHERE bytes_before < ${MAX_PARSED} ORDER BY n DESC LIMIT 1`,
      values,
    );
    const [last] = rows;
    if (!last) return { rows: 0, isEnd: true, last: undefined };
    return { rows: last.n, isEnd: last.n === last.seen && last.seen < window, last: placeAfter([last], from) };
  }

  /** Reads the candidates that indexes find; undefined if there are too many. */
  private async candidates(from: Position | undefined, match: Match, byIndex: Indexed): Promise<Found | undefined> {
    const { environmentId } = this.selection;
    const values: unknown[] = [environmentId];
    const { rows: all } = await this.client.query<{ team_id: number; bytes: number }>(
      `SELECT team_id, coalesce(octet_length(u.properties), 0) AS bytes FROM (
         SELECT environment_id, team_id FROM group_search g
         WHERE environment_id = $1 AND ${byIndex.indexed(values)} LIMIT ${MAX_CANDIDATES + 1}
       ) AS found JOIN user_group u USING (environment_id, team_id)`,
      values,
    );
    if (all.length > MAX_CANDIDATES || all.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_PARSED) return undefined;
    const among: unknown[] = [environmentId, all.map(({ team_id }) => team_id)];
    const order = orderOf(this.selection, from);
    const matches = `
      SELECT environment_id, team_id, ${order.key} AS sort_key FROM ${order.rows}
      WHERE environment_id = $1 AND team_id = ANY ($2::int[]) AND ${match.asCase(among)}`;
    return this.firstOf(matches, among, from);
  }

  /** The number of groups: exact when counting is cheap. */
  async count(): Promise<Total> {
    const { environmentId, match } = this.selection;
    const most = match ? MAX_MATCHES_COUNTED : MAX_COUNTED;
    if (!match || (await this.estimate()).matches <= most) {
      const values: unknown[] = [environmentId];
      const { rows } = await this.client.query<{ count: number }>(
        `SELECT count(*)::int FROM (
           SELECT FROM ${match ? "group_search" : "user_group"} g
           WHERE environment_id = $1 AND ${match?.byIndex?.indexed(values) ?? "true"} LIMIT ${most + 1}
         ) AS counted`,
        values,
      );
      const count = rows[0]?.count ?? 0;
      if (count <= most) return { count, exact: true };
    }
    return { count: Math.max((await this.estimate()).matches, most), exact: false };
  }

  private estimated: Estimate | undefined;

  /** The planner's estimates of the number of groups and of matches. */
  private async estimate(): Promise<Estimate> {
    if (this.estimated) return this.estimated;
    const { environmentId, match } = this.selection;
    const values: unknown[] = [environmentId];
    const one = "SELECT FROM group_search g WHERE environment_id = $1";
    const { rows } = await this.client.query<{ "QUERY PLAN": [{ Plan: { Plans?: { "Plan Rows": number }[] } }] }>(
      `EXPLAIN (FORMAT JSON) ${one} UNION ALL ${one} AND (${match?.byIndex?.plain(values) ?? "true"})`,
      values,
    );
    const [all = 1, matches = 1] = rows[0]?.["QUERY PLAN"][0].Plan.Plans?.map((plan) => plan["Plan Rows"]) ?? [];
    this.estimated = { all, matches };
    return this.estimated;
  }

  /** Matches among the next `window` rows in order; without `window`, all rows count as matches. */
  private async walk(
    from: Position | undefined,
    window?: number,
    most = this.selection.limit + 1,
    isCounted = false,
  ): Promise<Row[]> {
    const { environmentId, match } = this.selection;
    const values: unknown[] = [environmentId];
    const order = orderOf(this.selection, from);
    const nearest = `
      SELECT ${window === undefined ? `team_id, ${MEMBER_BYTES} AS bytes` : COMPARED}, ${order.key} AS sort_key
      FROM ${order.nearest(values, window ?? most)}`;
    const rows = isCounted ? `SELECT *, row_number() OVER ()::int AS n FROM (${nearest}) AS next` : nearest;
    const text =
      window === undefined
        ? nearest
        : `SELECT team_id, sort_key, ${MEMBER_BYTES} AS bytes${isCounted ? ", n" : ""} FROM (${rows}) AS g
           WHERE ${match?.asCase(values) ?? "true"} ORDER BY ${order.alias.by} LIMIT ${most}`;
    return (await this.client.query<Row>(text, values)).rows;
  }

  /** All matches by their index, sorted, whatever the planner expected; undefined if there are too many. */
  private async sorted(from: Position | undefined, indexed: Indexed): Promise<Found | undefined> {
    const values: unknown[] = [this.selection.environmentId];
    const matches = `
      SELECT environment_id, team_id, ${orderOf(this.selection, from).searched} AS sort_key FROM group_search g
      WHERE environment_id = $1 AND ${indexed.indexed(values)} LIMIT ${MAX_SORTED + 1}`;
    const found = await this.firstOf(matches, values, from);
    return found.total.count > MAX_SORTED ? undefined : found;
  }

  /** The first of these matches after a place, and the number of all matches. */
  private async firstOf(matches: string, values: unknown[], from: Position | undefined) {
    const { by, after } = orderOf(this.selection, from).alias;
    const { rows } = await this.client.query<(Row | { team_id: null }) & { count: number }>(
      `WITH matches AS MATERIALIZED (${matches}), page AS MATERIALIZED (
         SELECT * FROM matches WHERE true ${after(values)} ORDER BY ${by} LIMIT ${this.selection.limit + 1}
       )
       SELECT (SELECT count(*)::int FROM matches) AS count, team_id, sort_key, ${MEMBER_BYTES} AS bytes
       FROM (VALUES (true)) AS always LEFT JOIN (page JOIN user_group USING (environment_id, team_id)) ON true
       ORDER BY ${by}`,
      values,
    );
    return { rows: rows.filter((row) => row.team_id !== null), total: { count: rows[0]?.count ?? 0, exact: true } };
  }
}
