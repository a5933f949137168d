import { parseArgs } from "node:util";
import type pg from "pg";
import { OPERATOR, runCommand } from "@/lib/cli/command";
import { Connection } from "@/lib/db/connection";
import { codeOf } from "@/lib/db/failures";
import { sharedPool } from "@/lib/db/pool";
import { StartError } from "@/lib/errors";
import { createGroups } from "@/lib/groups/writes";
import { addingDays } from "@/lib/limits/deferred";
import { urlOfOwner } from "@/lib/process/open-database";
import { ageGroups } from "@/lib/store/changes";
import { sampleGroup, sampleLife } from "./sample-groups";

const USAGE = `Usage:
  ./user-groups seed --groups 100000 [--environment testing] [--seed 1]
Adds sample user groups, each with its own token. A second run continues where the first stopped; the same --seed
makes the same groups. Production is filled only if you name it.`;

const BATCH = 2_000;
/** A statement's time limit, in milliseconds; the last statement is a vacuum. */
const BATCH_MS = 600_000;
const MOST = 10_000_000;
/** The apparent age of the first group. */
const YEARS_MS = 2 * 365 * 86_400_000;

await runCommand({
  usage: USAGE,
  parse() {
    const { values } = parseArgs({
      options: { groups: { type: "string" }, environment: { type: "string" }, seed: { type: "string", default: "1" } },
    });
    const groups = wholeNumber("--groups", values.groups, MOST);
    const seed = wholeNumber("--seed", values.seed, 2 ** 31);
    return () => fill({ groups, seed, slug: values.environment ?? "testing" });
  },
});

function wholeNumber(option: string, text: string | undefined, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text ?? "") && number >= 1 && number <= most) return number;
  throw new StartError(`${option} takes a whole number from 1 to ${most}.`);
}

/**
 * Uses its own connection, without the service's 900 ms limit, and the owner's role: only the owner may vacuum and set
 * when a group was created.
 */
async function fill({ groups, seed, slug }: { groups: number; seed: number; slug: string }): Promise<string> {
  const start = performance.now();
  const client = new Connection({
    connectionString: await urlOfOwner(sharedPool().options.connectionString ?? ""),
    query_timeout: BATCH_MS,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number; held: number; newest: Date | null }>(
      `SELECT e.id, count(g.team_id)::int AS held, max(g.created_at) AS newest
       FROM environment e LEFT JOIN user_group g ON g.environment_id = e.id WHERE e.slug = $1 GROUP BY e.id`,
      [slug],
    );
    const [environment] = rows;
    if (!environment) throw new StartError(`Unknown environment "${slug}".`);
    const from = Math.max(environment.newest?.getTime() ?? 0, Date.now() - YEARS_MS);
    let number = environment.held;
    for (let made = 0; made < groups; ) {
      const size = Math.min(BATCH, groups - made);
      // Creation times increase with the numbers, up to now, as lists treat the highest number as the newest group.
      const created = (place: number) => from + ((Date.now() - from) * (made + place)) / groups;
      made += await insert(client, { environmentId: environment.id, first: number, size, seed, created });
      number += size;
    }
    await client.query("VACUUM (ANALYZE) user_group, audit_entry, group_use, group_use_month, group_search");
  } catch (error) {
    if (codeOf(error) !== "42501" || !(error instanceof Error)) throw error;
    throw new StartError(
      `Sample groups need the role that owns the tables. Set DATABASE_OWNER_URL to its URL. PostgreSQL: ${error.message}.`,
    );
  } finally {
    await client.end();
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  return `Created ${groups} user groups in ${slug} in ${seconds} s.\n`;
}

interface Batch {
  environmentId: number;
  first: number;
  size: number;
  seed: number;
  created(place: number): number;
}

/** Returns how many were created: taken ids are skipped. */
async function insert(client: pg.Client, { environmentId, first, size, seed, created }: Batch): Promise<number> {
  const now = Date.now();
  const groups = Array.from({ length: size }, (_, place) => {
    const number = first + place + 1;
    const times = { created: created(place), now };
    return { ...sampleGroup(number, seed), ...times, ...sampleLife(number, seed, times) };
  });
  await client.query("BEGIN");
  const teamIds = await createGroups(client, {
    changes: groups.map((group) => ({ environmentId, ...group })),
    author: OPERATOR,
    definitions: { version: null },
  });
  const times = groups.map(({ created, updated }) => [new Date(created), new Date(updated)] as const);
  await ageGroups(client, { teamIds, times });
  const uses = groups.flatMap(({ used, months }, place): Use[] => {
    const teamId = teamIds[place];
    if (teamId === undefined || used === null) return [];
    return [{ teamId, months, first: new Date(used.first), last: new Date(used.last) }];
  });
  await insertUses(client, environmentId, uses);
  await client.query("COMMIT");
  return teamIds.filter((teamId) => teamId !== undefined).length;
}

/** A group's first and last use, and its checks. */
interface Use {
  teamId: number;
  first: Date;
  last: Date;
  months: ReturnType<typeof sampleLife>["months"];
}

/** Stores first and last uses, and the checks of this month and the previous one. */
async function insertUses(client: pg.Client, environmentId: number, uses: Use[]) {
  await client.query(
    `UPDATE group_use u SET last_used_at = made.last, first_used_at = made.first, first_used_of = g.rotated_at
     FROM unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) AS made(team_id, first, last)
       JOIN user_group g USING (team_id)
     WHERE u.team_id = made.team_id`,
    [uses.map(({ teamId }) => teamId), uses.map(({ first }) => first), uses.map(({ last }) => last)],
  );
  const months = uses.flatMap(({ teamId, months }) => months.map((one) => ({ teamId, ...one })));
  const names = months.map(({ month }) => month);
  const days = months.map(({ days }) => `{${days.join()}}`);
  await client.query(
    `INSERT INTO group_use_month (month, team_id, environment_id, checks, size, days)
     SELECT month, team_id, $1, checks, floor(ln(checks) / ln(2.0) + 1e-12), days::int[]
     FROM unnest($2::int[], $3::date[], $4::text[]) AS made(team_id, month, days),
       LATERAL (SELECT sum(count) AS checks FROM unnest(days::int[]) AS count) AS summed`,
    [environmentId, months.map(({ teamId }) => teamId), names, days],
  );
  const perDay = `SELECT month, $1::int AS environment_id, day, count
    FROM unnest($2::date[], $3::text[]) AS made(month, days), unnest(days::int[]) WITH ORDINALITY AS d(count, day)`;
  await client.query(addingDays("environment_use_month", "environment_id", perDay), [environmentId, names, days]);
}
