import type pg from "pg";
import type { HistoryAction } from "@/lib/audit/actions";
import { type HistoryRow, selectEntries } from "@/lib/audit/entries";
import type { ActivityActors, HistoryQuery, HistorySelection } from "@/lib/audit/schema";
import type { Authorised } from "@/lib/authority/authority";
import { openCursor, ROW_NUMBER, writeCursor } from "@/lib/crypto/cursor";
import { ORDERED_READS, read, statement, transaction } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";
import type { Prisma } from "@/prisma/generated/client";

interface Event {
  action: HistoryAction;
  environmentId?: number;
  before?: object;
  after?: object;
}

/** An unknown person who fails to sign in, named by address. */
interface Visitor {
  actorType: "visitor";
  actorId: null;
  actorName: string;
  requestId: string | null;
}

/** Records a change in its own transaction, after its author was authorised; neither state may contain a secret. */
export async function record(
  tx: Prisma.TransactionClient,
  { actorType, actorId, actorName, requestId }: Authorised | Visitor,
  { before, after, ...event }: Event,
) {
  await tx.auditEntry.create({
    data: {
      ...event,
      actorType,
      actorId,
      actorName,
      requestId,
      before: before ? JSON.stringify(before) : null,
      after: after ? JSON.stringify(after) : null,
    },
  });
}

interface HistoryPage {
  rows: HistoryRow[];
  nextCursor: string | null;
}

/** The reader of a history; a program sees only its environment's. */
export interface HistoryReader {
  environmentId: number;
  isMember: boolean;
}

/** How far entries' times can deviate from id order: an entry's time is its transaction's start. */
const DISORDER = "1 minute";
const LAST_ID = "9223372036854775807";

/**
 * A page of matching entries, newest first.
 * @throws {AppError} `invalid_fields` for an invalid cursor, `forbidden` when a program asks for all environments
 */
export async function listHistory(reader: HistoryReader, query: HistoryQuery): Promise<HistoryPage> {
  const scope = `history 1 ${query.scope === "all" ? "all" : reader.environmentId}`;
  const { cursor, limit } = query;
  const refusal = "is not a cursor of this history: start at the first page";
  const below = cursor === undefined ? undefined : openCursor(scope, ROW_NUMBER, { cursor, refusal });
  const { rows, next } = await readHistory(reader, query, { below, limit });
  return { rows, nextCursor: next === undefined ? null : writeCursor(scope, next) };
}

/**
 * The newest matching entries below an id, and the id to read on from, if there are more.
 * @throws {AppError} `forbidden` when a program asks for all environments
 */
export async function readHistory(
  reader: HistoryReader,
  selection: HistorySelection,
  { below, limit: most }: { below: string | undefined; limit: number },
): Promise<{ rows: HistoryRow[]; next: string | undefined }> {
  const page = selectNewest(reader, selection, { columns: "*", most: most + 1, below });
  const rows = await queryInOrder<HistoryRow>({ ...page, text: selectEntries(page.text, ["id DESC"]) });
  const shown = rows.slice(0, most).filter(({ fits }) => fits);
  return { rows: shown, next: rows.length > shown.length ? shown.at(-1)?.id : undefined };
}

/** The most entries that are counted, which takes 50 ms. */
const MAX_COUNTED = 50_000;

/**
 * Matching entries per hour, newest first, among the newest {@link MAX_COUNTED}.
 * @throws {AppError} `forbidden` when a program asks for all environments
 */
export async function countHistory(
  reader: HistoryReader,
  query: HistorySelection,
): Promise<{ since: Date | null; hours: { at: Date; entries: number }[] }> {
  const { text: newest, values } = selectNewest(reader, query, { columns: "id, at", most: MAX_COUNTED + 1 });
  const text = `
    SELECT date_bin('1 hour', at, '2000-01-01Z') AS at, count(*)::int AS entries, min(at) AS first
    FROM (${newest}) AS newest GROUP BY 1 ORDER BY 1 DESC`;
  const rows = await queryInOrder<{ at: Date; entries: number; first: Date }>({ text, values });
  const total = rows.reduce((sum, { entries }) => sum + entries, 0);
  const hours = rows.map(({ at, entries }) => ({ at, entries }));
  const oldest = rows.at(-1);
  if (!oldest || total <= MAX_COUNTED) return { since: null, hours };
  // Leaves out the extra entry, which only shows that there are more.
  const rest = oldest.entries > 1 ? [{ at: oldest.at, entries: oldest.entries - 1 }] : [];
  return { since: oldest.first, hours: [...hours.slice(0, -1), ...rest] };
}

async function queryInOrder<Row extends pg.QueryResultRow>(query: Newest): Promise<Row[]> {
  return transaction(async (client) => (await client.query<Row>(query)).rows, ORDERED_READS);
}

interface Newest {
  text: string;
  values: unknown[];
}

/**
 * The newest entries that a reader may see and a query selects. Each branch reads one index in order; OR would not.
 * @throws {AppError} `forbidden` when a program asks for all environments
 */
function selectNewest(
  { environmentId, isMember }: HistoryReader,
  query: HistorySelection,
  { columns, most, below }: { columns: string; most: number; below?: string | undefined },
): Newest {
  const values: unknown[] = [];
  if (query.scope === "all" && !isMember) {
    throw new AppError("forbidden", "An API token sees the history of its own environment only: leave out scope=all.");
  }
  const conditions = conditionsOf(query, values);
  const own = () => `environment_id = $${values.push(environmentId)}`;
  if (query.user_group_id !== undefined) {
    const named = `${own()} AND provided_id = $${values.push(query.user_group_id)}`;
    conditions.push(`team_id = coalesce((SELECT team_id FROM user_group WHERE ${named}),
      (SELECT team_id FROM reserved_id WHERE ${named} AND until > now()),
      (SELECT team_id FROM deleted_group WHERE ${named} ORDER BY deleted_at DESC LIMIT 1))`);
  }
  if (below !== undefined) conditions.push(`id < $${values.push(below)}::bigint`);
  const places = query.scope === "all" ? ["true"] : isMember ? [own(), "environment_id IS NULL"] : [own()];
  const newest = `ORDER BY id DESC LIMIT ${most}`;
  const branches = places.map((place) => {
    const where = [place, ...conditions].join(" AND ");
    return `SELECT * FROM (SELECT ${columns} FROM audit_entry WHERE ${where} ${newest}) AS one`;
  });
  return { text: `${branches.join(" UNION ALL ")} ${newest}`, values };
}

function conditionsOf(
  { member, api_token: apiToken, action, team_id: teamId, from, to }: HistorySelection,
  values: unknown[],
): string[] {
  const value = (given: unknown) => `$${values.push(given)}`;
  const conditions: string[] = [];
  const actor = member ?? apiToken?.toString();
  if (actor !== undefined) {
    const type = member === undefined ? "api_token" : "member";
    conditions.push(`actor_type = '${type}' AND actor_id = ${value(actor)}`);
  }
  // With a single action, the index is in order.
  if (action?.length === 1) conditions.push(`action = ${value(action[0])}`);
  else if (action) conditions.push(`action = ANY (${value(action)}::text[])`);
  if (teamId !== undefined) conditions.push(`team_id = ${value(teamId)}`);
  // Ids and times rise together: convert a time to the id where the ordered read begins or ends.
  if (from !== undefined) {
    const time = `${value(from)}::timestamptz`;
    conditions.push(
      `at >= ${time}`,
      `id > coalesce((SELECT id FROM audit_entry WHERE at < ${time} - interval '${DISORDER}'
        ORDER BY at DESC LIMIT 1), 0)`,
    );
  }
  if (to !== undefined) {
    const time = `${value(to)}::timestamptz`;
    conditions.push(
      `at <= ${time}`,
      `id < coalesce((SELECT id FROM audit_entry WHERE at > ${time} + interval '${DISORDER}'
        ORDER BY at LIMIT 1), ${LAST_ID})`,
    );
  }
  return conditions;
}

/** Members, API tokens and actions to filter the history by. */
export async function listActors(): Promise<Omit<ActivityActors, "success">> {
  const [members, apiTokens, actions] = await Promise.all([
    prisma().member.findMany({ select: { id: true, name: true }, orderBy: { name: "asc" } }),
    prisma().apiToken.findMany({
      select: { id: true, name: true, environment: { select: { slug: true } } },
      orderBy: { id: "desc" },
    }),
    read<{ action: string }>(KNOWN_ACTIONS, []),
  ]);
  return {
    members,
    apiTokens: apiTokens.map(({ id, name, environment }) => ({ id, name, environment: environment.slug })),
    actions: actions.map(({ action }) => action),
  };
}

// Skips along the index: DISTINCT would read every entry.
const KNOWN_ACTIONS = statement("known_actions")`
  WITH RECURSIVE known AS (
    (SELECT action FROM audit_entry ORDER BY action LIMIT 1)
    UNION ALL
    SELECT (SELECT a.action FROM audit_entry a WHERE a.action > known.action ORDER BY a.action LIMIT 1)
    FROM known WHERE known.action IS NOT NULL
  )
  SELECT action FROM known WHERE action IS NOT NULL`;
