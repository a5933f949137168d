import type { PoolClient } from "pg";
import { z } from "zod";
import { openCursor, pageOf, writeCursor } from "@/lib/crypto/cursor";
import { databaseNow } from "@/lib/db/clock";
import { ORDERED_READS, read, statement, transaction } from "@/lib/db/pool";
import { invalidFields } from "@/lib/errors";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";
import { countsOf, type Days, dayAfter, dayOf, daysIn, daysUpTo, type MonthOfDays, monthsOf } from "@/lib/limits/days";
import { MAX_DAYS, type UsageByDay, type UsageByGroup, type UsageQuery } from "@/lib/usage/schema";

const DEFAULT_DAYS = 30;
const DEFAULT_PAGE = 100;
/** The most months of groups to compare for a page of the most used: more would exceed a read's time limit. */
const MAX_COMPARED = 60_000;

type UsedGroup = UsageByGroup["user_groups"][number];

const OF_ENVIRONMENT = statement("use_of_environment")`
  SELECT month::text, days FROM environment_use_month
  WHERE month BETWEEN $2::date AND $3::date AND environment_id = $1`;
const OF_GROUPS = statement("use_of_groups")`
  SELECT team_id, month::text, days, active_viewers FROM group_use_month
  WHERE month BETWEEN $2::date AND $3::date AND environment_id = $1 AND team_id = ANY ($4::int[])`;
const NAMES = statement("names_of_groups")`
  SELECT team_id, provided_id, name FROM user_group WHERE environment_id = $1 AND team_id = ANY ($2::int[])`;

// The groups whose largest month from $2 to $3 has the size $6, with their checks from day $4 of the first month to day
// $5 of the last. Whole months have a stored sum.
// OFFSET 0 keeps the order of joins: where statistics are older than the groups, the other order takes seconds.
const RANK = `
    WITH candidate AS (
      SELECT DISTINCT team_id FROM (
        SELECT team_id FROM group_use_month
        WHERE month BETWEEN $2::date AND $3::date AND environment_id = $1 AND size = $6::int LIMIT $7::int * $11::int
      ) AS of_size LIMIT $7
    ), ranked AS (
      SELECT team_id, sum(CASE WHEN (month = $2 AND $4 > 1) OR (month = $3 AND $5 < 31) THEN (
          SELECT coalesce(sum(n), 0) FROM unnest(
            days[CASE WHEN month = $2 THEN $4 ELSE 1 END:CASE WHEN month = $3 THEN $5 ELSE 31 END]) AS n
        ) ELSE checks END)::bigint AS checks
      FROM candidate CROSS JOIN LATERAL (
        SELECT month, days, size, checks FROM group_use_month u
        WHERE u.month BETWEEN $2 AND $3 AND u.team_id = candidate.team_id OFFSET 0
      ) AS used GROUP BY team_id HAVING max(size) = $6
    )
    SELECT team_id, checks::float8, compared
    FROM (SELECT count(*)::int AS compared FROM candidate) AS counted LEFT JOIN (
      SELECT team_id, checks FROM ranked CROSS JOIN LATERAL (
        SELECT FROM user_group g WHERE g.team_id = ranked.team_id AND g.environment_id = $1 OFFSET 0
      ) AS existing WHERE checks > 0 AND ($8::bigint IS NULL OR (checks, -team_id) < ($8, -$9::int))
      ORDER BY checks DESC, team_id LIMIT $10
    ) AS page ON true
    ORDER BY checks DESC, team_id`;

const LARGEST = `
    SELECT size FROM group_use_month WHERE month BETWEEN $2::date AND $3::date AND environment_id = $1
    ORDER BY size DESC LIMIT 1`;

/**
 * The use of an environment's groups, in the form of the answer.
 * @throws {AppError} `invalid_fields` for wrong days, or an invalid cursor
 */
export async function readUsage(
  environmentId: number,
  { by, team_id: teamIds, ...query }: UsageQuery,
): Promise<Omit<UsageByDay, "success"> | Omit<UsageByGroup, "success">> {
  const range = await daysOf(query);
  if (by === "day") {
    const counts = await checksPerDay(environmentId, range, teamIds);
    const days = counts.map((count, index) => ({ day: dayAfter(range.from, index), checks: count }));
    return { ...range, checks: counts.reduce((sum, count) => sum + count, 0), days };
  }
  if (!teamIds) return { ...range, ...(await findMostUsed(environmentId, range, query)) };
  return { ...range, user_groups: await findUsed(environmentId, range, teamIds), next_cursor: null };
}

/**
 * The days that a query asks for; by default the last 30, by the database's clock.
 * @throws {AppError} `invalid_fields` when they are reversed or too many
 */
async function daysOf({ from, to }: Pick<UsageQuery, "from" | "to">): Promise<Days> {
  const last = to ?? dayOf(await databaseNow());
  const days = from === undefined ? daysUpTo(last, DEFAULT_DAYS) : { from, to: last };
  const count = daysIn(days);
  if (count < 1) throw invalidFields([{ path: ["from"], message: "must not be after `to`" }]);
  if (count > MAX_DAYS) {
    throw invalidFields([{ path: ["from"], message: `must be at most ${MAX_DAYS - 1} days before \`to\`` }]);
  }
  return days;
}

/** The checks on each day, of all groups of an environment or of some. */
async function checksPerDay(environmentId: number, days: Days, teamIds?: number[]): Promise<number[]> {
  const values = [environmentId, ...monthsOf(days)];
  const months = teamIds
    ? await read<MonthOfDays>(OF_GROUPS, [...values, teamIds])
    : await read<MonthOfDays>(OF_ENVIRONMENT, values);
  return countsOf(months, days);
}

/** The use of groups, in the order of `teamIds`. */
async function findUsed(environmentId: number, days: Days, teamIds: number[]): Promise<UsedGroup[]> {
  const groups = await read<Pick<UsedGroup, "team_id" | "provided_id" | "name">>(NAMES, [environmentId, teamIds]);
  const values = [environmentId, ...monthsOf(days), teamIds];
  const months = await read<MonthOfDays & { team_id: number; active_viewers: number }>(OF_GROUPS, values);
  const first = monthNumber(days.from);
  return [...new Set(teamIds)].flatMap((teamId) => {
    const group = groups.find(({ team_id }) => team_id === teamId);
    if (!group) return [];
    const own = months.filter(({ team_id }) => team_id === teamId);
    const counts = countsOf(own, days);
    const viewers = new Array<number>(monthNumber(days.to) - first + 1).fill(0);
    for (const { month, active_viewers } of own) viewers[monthNumber(month) - first] = active_viewers;
    return { ...group, checks: counts.reduce((sum, count) => sum + count, 0), days: counts, active_viewers: viewers };
  });
}

interface Ranked {
  team_id: number;
  checks: number;
}

const PLACE = z.tuple([z.int().min(0), z.int().min(0).max(LARGEST_NUMBER)]);

/**
 * A page of the groups that were used, most checks first. If very many were used about equally often, the last pages
 * are missing.
 * @throws {AppError} `invalid_fields` for an invalid cursor
 */
async function findMostUsed(
  environmentId: number,
  days: Days,
  { limit = DEFAULT_PAGE, cursor }: Pick<UsageQuery, "limit" | "cursor">,
): Promise<Pick<UsageByGroup, "user_groups" | "next_cursor">> {
  const scope = `use 1 ${environmentId} ${days.from} ${days.to}`;
  const refusal = "is not a cursor of these days: start at the first page";
  const after = cursor === undefined ? undefined : openCursor(scope, PLACE, { cursor, refusal });
  const found = await transaction(
    (client) => rank(client, { environmentId, days, after, limit: limit + 1 }),
    ORDERED_READS,
  );
  const { rows, nextCursor } = pageOf(found, limit, (last) => writeCursor(scope, [last.checks, last.team_id]));
  const teamIds = rows.map(({ team_id }) => team_id);
  return { user_groups: await findUsed(environmentId, days, teamIds), next_cursor: nextCursor };
}

interface Ranking {
  environmentId: number;
  days: Days;
  after: [checks: number, teamId: number] | undefined;
  limit: number;
}

/**
 * The most used groups, searched by the size of their largest month: a smaller size limits how many checks a group can
 * have.
 */
async function rank(client: PoolClient, { environmentId, days, after, limit }: Ranking): Promise<Ranked[]> {
  const [first, last] = monthsOf(days);
  const values = [environmentId, first, last];
  const { rows } = await client.query<{ size: number }>(LARGEST, values);
  const months = monthNumber(days.to) - monthNumber(days.from) + 1;
  const edges = [days.from, days.to].map((day) => Number(day.slice(8)));
  let ranked: Ranked[] = [];
  let left = Math.floor(MAX_COMPARED / months);
  for (let size = rows[0]?.size ?? -1; size >= 0 && left > 0; size--) {
    const { rows: answered } = await client.query<(Ranked | { team_id: null }) & { compared: number }>(RANK, [
      ...values,
      ...edges,
      size,
      left,
      after?.[0] ?? null,
      after?.[1] ?? null,
      limit,
      months,
    ]);
    left -= answered[0]?.compared ?? 0;
    const found = answered.filter((row) => row.team_id !== null);
    ranked = [...ranked, ...found].sort((one, other) => other.checks - one.checks || one.team_id - other.team_id);
    ranked = ranked.slice(0, limit);
    const least = ranked[limit - 1]?.checks ?? 0;
    if (least >= months * 2 ** size) break;
  }
  return ranked;
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
}
