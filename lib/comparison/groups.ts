import type { GroupComparisonInput, GroupCounts, GroupKind, GroupMember } from "@/lib/comparison/schema";
import type { Pair } from "@/lib/comparison/service";
import { openCursor, writeCursor } from "@/lib/crypto/cursor";
import { transaction } from "@/lib/db/pool";
import { invalidFields } from "@/lib/errors";
import { differencesOf } from "@/lib/json/differences";
import { MEMBER_BYTES, type ShownState, shownState } from "@/lib/store/group-row";

// Both environments are read in the order of ids, by their index, a window at a time. Texts that are equal are compared by the
// database; the others here, as the order of members does not matter and numbers are exact.

/** A window's limits on each side: groups, and bytes of mapping and properties. */
const WINDOW = 2_000;
const MOST_BYTES = 2_097_152;
/** How long a request begins further windows, in milliseconds, and the bytes after which it does not. */
const BUDGET_MS = 500;
const MOST_ANSWERED = 2_097_152;

// The first group is read whatever its size.
const side = (environment: string) => `
  SELECT * FROM (
    SELECT *, sum(bytes) OVER (ORDER BY provided_id ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (
      SELECT provided_id, team_id, name, mapping, properties, ${shownState("g")} AS state, ${MEMBER_BYTES} AS bytes
      FROM user_group g WHERE environment_id = ${environment} AND provided_id > $3 ORDER BY provided_id LIMIT ${WINDOW}
    ) AS next
  ) AS measured WHERE bytes_before < ${MOST_BYTES}`;

const members = (row: string) => `${row}.name, ${row}.state, ${row}.mapping, ${row}.properties`;
const of = (row: string, side: string) => `
      ${row}.team_id AS ${side}_team_id, ${row}.name AS ${side}_name, ${row}.state AS ${side}_state,
      CASE WHEN h.team_id IS NOT NULL AND t.team_id IS NOT NULL THEN ${row}.mapping END AS ${side}_mapping,
      CASE WHEN h.team_id IS NOT NULL AND t.team_id IS NOT NULL THEN ${row}.properties END AS ${side}_properties`;

/** $3 is the id to read on from, $4 the kinds of rows to return, $5 how many. */
const COMPARE = `
  WITH here AS MATERIALIZED (${side("$1")}), there AS MATERIALIZED (${side("$2")}),
  bound AS MATERIALIZED (SELECT least((SELECT max(provided_id) FROM here), (SELECT max(provided_id) FROM there)) AS id),
  merged AS MATERIALIZED (
    SELECT provided_id, coalesce(h.bytes, 0) + coalesce(t.bytes, 0) AS bytes,
      CASE WHEN t.team_id IS NULL THEN 'only_here' WHEN h.team_id IS NULL THEN 'only_there'
        WHEN (${members("h")}) IS NOT DISTINCT FROM (${members("t")}) THEN 'same' ELSE 'differing' END AS kind, ${of("h", "here")}, ${of("t", "there")}
    FROM here h FULL JOIN there t USING (provided_id) WHERE provided_id <= (SELECT id FROM bound)
  ), counts AS (
    SELECT count(*) FILTER (WHERE kind = 'same')::int AS same, count(*) FILTER (WHERE kind = 'only_here')::int AS only_here,
      count(*) FILTER (WHERE kind = 'only_there')::int AS only_there, count(*) FILTER (WHERE kind = 'differing')::int AS differing
    FROM merged
  )
  SELECT (SELECT id FROM bound) AS through, counts.*, page.* FROM counts LEFT JOIN (
    SELECT * FROM merged WHERE kind = ANY ($4::text[]) ORDER BY provided_id LIMIT $5
  ) AS page ON true ORDER BY provided_id`;

type Counted = Omit<GroupCounts, "success" | "next_cursor">;

interface Side {
  team_id: number;
  name: string;
  state: ShownState;
  mapping: string;
  properties: string | null;
}

type Row = Counted & {
  /** the last id that was compared; null after the last one */
  through: string | null;
  provided_id: string | null;
  kind: GroupKind;
  bytes: number;
} & { [Name in keyof Side as `here_${Name}` | `there_${Name}`]: Side[Name] | null };

/** A group that two environments do not have alike; mapping and properties are read where both have it. */
export interface ComparedGroup {
  providedId: string;
  kind: GroupKind;
  /** in which it differs */
  differing: GroupMember[];
  here: Side | null;
  there: Side | null;
  bytes: number;
}

interface Window {
  groups: ComparedGroup[];
  counts: Counted;
  /** where to read on; null at the end */
  next: string | null;
}

interface Asked {
  after: string;
  kinds: readonly GroupKind[];
  most: number;
}

/**
 * The next groups that differ, in the order of ids; the page may have fewer than it could, also none, as it takes only so long.
 * @throws {AppError} `invalid_fields` for an invalid cursor
 */
export async function compareGroups(pair: Pair, { show, limit, cursor }: GroupComparisonInput) {
  const kinds = show === "all" ? (["only_here", "only_there", "differing"] as const) : [show];
  const groups: ComparedGroup[] = [];
  const next = await walk(pair, cursor, async (after) => {
    const window = await compareWindow(pair, { after, kinds, most: limit - groups.length });
    groups.push(...window.groups);
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
    return { next: window.next, isEnough: groups.length >= limit || bytes > MOST_ANSWERED };
  });
  return { groups, next };
}

/**
 * How many groups differ, of the next ones in the order of ids.
 * @throws {AppError} `invalid_fields` for an invalid cursor
 */
export async function countDifferences(pair: Pair, cursor: string | undefined) {
  const counts: Counted = { same: 0, only_here: 0, only_there: 0, differing: 0 };
  const next = await walk(pair, cursor, async (after) => {
    const window = await compareWindow(pair, { after, kinds: ["differing"], most: WINDOW });
    for (const kind of Object.keys(counts) as (keyof Counted)[]) counts[kind] += window.counts[kind];
    return { next: window.next, isEnough: false };
  });
  return { ...counts, next };
}

type Step = (after: string) => Promise<{ next: string | null; isEnough: boolean }>;

/** Continues from a cursor while there is time; returns the next cursor, or null at the end. */
async function walk({ here, there }: Pair, cursor: string | undefined, step: Step): Promise<string | null> {
  const scope = `compared groups 1 ${here.id} ${there.id}`;
  const from = cursor === undefined ? "" : openCursor(scope, cursor);
  if (typeof from !== "string" || !from.isWellFormed() || from.includes("\0")) {
    throw invalidFields([{ path: ["cursor"], message: "is not a cursor of this comparison: start at the beginning" }]);
  }
  const until = performance.now() + BUDGET_MS;
  for (let after = from; ; ) {
    const { next, isEnough } = await step(after);
    if (next === null) return null;
    if (isEnough || performance.now() > until) return writeCursor(scope, next);
    after = next;
  }
}

async function compareWindow({ here, there }: Pair, { after, kinds, most }: Asked): Promise<Window> {
  const rows = await transaction(
    async (client) => (await client.query<Row>(COMPARE, [here.id, there.id, after, kinds, most])).rows,
    // The planner would sort all groups of an environment for one window.
    "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off",
  );
  const [{ through, same, only_here, only_there, differing } = NOTHING] = rows;
  const found = rows.flatMap((row) => (row.provided_id === null ? [] : [groupOf(row, row.provided_id)]));
  const groups = found.filter(({ kind, differing }) => kind !== "differing" || differing.length > 0);
  const alike = found.length - groups.length;
  const last = found.length === most ? found.at(-1)?.providedId : undefined;
  return {
    groups,
    counts: { same: same + alike, only_here, only_there, differing: differing - alike },
    next: last ?? through,
  };
}

const NOTHING = { through: null, same: 0, only_here: 0, only_there: 0, differing: 0 };

function groupOf(row: Row, providedId: string): ComparedGroup {
  const here = sideOf(row.here_team_id, row.here_name, row.here_state, row.here_mapping, row.here_properties);
  const there = sideOf(row.there_team_id, row.there_name, row.there_state, row.there_mapping, row.there_properties);
  const differing = here && there ? differingIn(here, there) : [];
  return { providedId, kind: row.kind, differing, here, there, bytes: row.bytes };
}

function sideOf(
  team_id: number | null,
  name: string | null,
  state: ShownState | null,
  mapping: string | null,
  properties: string | null,
): Side | null {
  if (team_id === null || name === null || state === null) return null;
  return { team_id, name, state, mapping: mapping ?? "{}", properties };
}

function differingIn(here: Side, there: Side): GroupMember[] {
  const differs = (one: string | null, other: string | null) =>
    one === null || other === null ? one !== other : differencesOf(one, other).length > 0;
  return [
    ...(here.name === there.name ? [] : (["name"] as const)),
    ...(differs(here.mapping, there.mapping) ? (["mapping"] as const) : []),
    ...(differs(here.properties, there.properties) ? (["properties"] as const) : []),
    ...(here.state === there.state ? [] : (["state"] as const)),
  ];
}
