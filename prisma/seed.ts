import { parseArgs } from "node:util";
import pg from "pg";
import { OPERATOR, runCommand } from "@/lib/cli/command";
import { newToken, storeToken } from "@/lib/crypto/group-token";
import { AUTHOR_COLUMNS, authorFrom, authorValues } from "@/lib/db/authority";
import { sharedPool } from "@/lib/db/pool";
import { StartError } from "@/lib/errors";
import { urlOfOwner } from "@/lib/process/open-database";
import { snapshot } from "@/lib/store/statements";
import { sampleGroup } from "./sample-groups";

const USAGE = `Usage:
  npm run seed -- --groups 100000 [--environment testing] [--seed 1]
Adds made-up user groups, each with a token of its own. Done again, it goes on where it stopped; the same --seed makes the
same groups. It fills Production only when that is named.`;

const BATCH = 2_000;
const MOST = 10_000_000;
/** How far back the first group seems to have been created. */
const YEARS_MS = 2 * 365 * 86_400_000;

const SEED_GROUPS = `
  WITH made AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bytea[], $8::timestamptz[],
      $9::timestamptz[], $15::timestamptz[])
      AS made(provided_id, name, mapping, properties, token_index, token_sealed, created_at, updated_at, last_used_at)
  ), created AS (
    INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed,
      created_at, updated_at, rotated_at)
    SELECT $1, provided_id, name, mapping, properties, token_index, token_sealed, created_at, updated_at, created_at
    FROM made
    ON CONFLICT (environment_id, provided_id) DO NOTHING
    RETURNING *
  ), used AS (
    INSERT INTO group_use (environment_id, team_id, last_used_at)
    SELECT environment_id, team_id, last_used_at FROM created JOIN made USING (provided_id)
  )
  INSERT INTO audit_entry (environment_id, team_id, action, after, ${AUTHOR_COLUMNS})
  SELECT environment_id, team_id, 'user_group.created', ${snapshot("created")}, ${AUTHOR_COLUMNS}
  FROM created CROSS JOIN ${authorFrom(10)}`;

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

/** On a connection of its own, as what takes the service 900 ms at most may take its time here; as the owner, who alone may vacuum. */
async function fill({ groups, seed, slug }: { groups: number; seed: number; slug: string }): Promise<string> {
  const start = performance.now();
  const client = new pg.Client({ connectionString: await urlOfOwner(sharedPool().options.connectionString ?? "") });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number; held: number; newest: Date | null }>(
      `SELECT e.id, count(g.team_id)::int AS held, max(g.created_at) AS newest
       FROM environment e LEFT JOIN user_group g ON g.environment_id = e.id WHERE e.slug = $1 GROUP BY e.id`,
      [slug],
    );
    const [environment] = rows;
    if (!environment) throw new StartError(`There is no environment "${slug}".`);
    const from = Math.max(environment.newest?.getTime() ?? 0, Date.now() - YEARS_MS);
    let number = environment.held;
    for (let made = 0; made < groups; ) {
      const size = Math.min(BATCH, groups - made);
      // Creation goes on with the numbers up to now, as lists take the newest number for the newest group.
      const created = (place: number) => from + ((Date.now() - from) * (made + place)) / groups;
      made += await insert(client, { environmentId: environment.id, first: number, size, seed, created });
      number += size;
    }
    await client.query("VACUUM (ANALYZE) user_group, audit_entry, group_use, group_search");
  } finally {
    await client.end();
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  return `${groups} user groups are made in ${slug}, in ${seconds} s.\n`;
}

interface Batch {
  environmentId: number;
  first: number;
  size: number;
  seed: number;
  created(place: number): number;
}

/** How many were made: an id that is taken is passed over. */
async function insert(client: pg.Client, { environmentId, first, size, seed, created }: Batch): Promise<number> {
  const rows = Array.from({ length: size }, (_, place) => {
    const group = sampleGroup(first + place + 1, seed);
    const stored = storeToken(newToken(), { environmentId, providedId: group.providedId });
    const createdAt = created(place);
    const after = (share: number) => createdAt + (Date.now() - createdAt) * share;
    const usedAt = group.usedAfter === null ? "-infinity" : new Date(after(group.usedAfter)).toISOString();
    return { ...group, ...stored, createdAt, updatedAt: after(group.changedAfter), usedAt };
  });
  const { rowCount } = await client.query(SEED_GROUPS, [
    environmentId,
    rows.map(({ providedId }) => providedId),
    rows.map(({ name }) => name),
    rows.map(({ mapping }) => mapping),
    rows.map(({ properties }) => properties),
    rows.map(({ tokenIndex }) => tokenIndex),
    rows.map(({ tokenSealed }) => tokenSealed),
    rows.map(({ createdAt }) => new Date(createdAt)),
    rows.map(({ updatedAt }) => new Date(updatedAt)),
    ...authorValues(OPERATOR),
    rows.map(({ usedAt }) => usedAt),
  ]);
  return rowCount ?? 0;
}
