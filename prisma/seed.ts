import { parseArgs } from "node:util";
import pg from "pg";
import { OPERATOR, runCommand } from "@/lib/cli/command";
import { sharedPool } from "@/lib/db/pool";
import { StartError } from "@/lib/errors";
import { createGroups } from "@/lib/groups/service";
import { urlOfOwner } from "@/lib/process/open-database";
import { sampleGroup } from "./sample-groups";

const USAGE = `Usage:
  npm run seed -- --groups 100000 [--environment testing] [--seed 1]
Adds sample user groups, each with its own token. Run again, it continues where it stopped; the same --seed makes the
same groups. Production is filled only if you name it.`;

const BATCH = 2_000;
/** A statement's time limit, in milliseconds; the last one vacuums. */
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

/** Uses a connection of its own, without the service's 900 ms limit, and the owner role, as only the owner may vacuum. */
async function fill({ groups, seed, slug }: { groups: number; seed: number; slug: string }): Promise<string> {
  const start = performance.now();
  const client = new pg.Client({
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
      // Creation times follow the numbers up to now, because lists take the highest number for the newest group.
      const created = (place: number) => from + ((Date.now() - from) * (made + place)) / groups;
      made += await insert(client, { environmentId: environment.id, first: number, size, seed, created });
      number += size;
    }
    await client.query("VACUUM (ANALYZE) user_group, audit_entry, group_use, group_search");
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
  const groups = Array.from({ length: size }, (_, place) => sampleGroup(first + place + 1, seed));
  const after = (place: number, share: number) => new Date(created(place) + (Date.now() - created(place)) * share);
  await client.query("BEGIN");
  const teamIds = await createGroups(
    client,
    groups.map(({ providedId, name, mapping, properties }) => ({
      environmentId,
      providedId,
      name,
      mapping,
      properties,
    })),
    OPERATOR,
    groups.map(({ changedAfter }, place) => ({ createdAt: after(place, 0), updatedAt: after(place, changedAfter) })),
  );
  const made = groups.flatMap(({ usedAfter }, place) => {
    const teamId = teamIds[place];
    const usedAt = usedAfter === null ? "-infinity" : after(place, usedAfter).toISOString();
    return teamId === undefined ? [] : [{ teamId, usedAt }];
  });
  await client.query(
    `UPDATE group_use u SET last_used_at = made.used_at
     FROM unnest($1::int[], $2::timestamptz[]) AS made(team_id, used_at) WHERE u.team_id = made.team_id`,
    [made.map(({ teamId }) => teamId), made.map(({ usedAt }) => usedAt)],
  );
  await client.query("COMMIT");
  return made.length;
}
