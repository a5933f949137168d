// Generates and copies a share of a database's sample groups, in a process of its own that fill.ts forks.
import { finished } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { newToken, storeToken } from "@/lib/crypto/group-token";
import { setKeys } from "@/lib/crypto/keyring";
import { snapshot } from "@/lib/store/group-row";
import { sampleGroup, sampleMonths, sampleTimes } from "../prisma/sample-groups";

/** Every `of`-th batch of groups, from the `nth` on. */
export interface Share {
  url: string;
  secretKey: string;
  groups: number;
  environmentId: number;
  now: number;
  nth: number;
  of: number;
}

/** Checks of all groups per day, by month. */
export type Counted = Record<string, number[]>;

const BATCH = 10_000;
const SEED = 1;
/** The age of the first group. */
const YEARS_MS = 2 * 365 * 86_400_000;

const COPIES = {
  user_group:
    "team_id, environment_id, provided_id, name, mapping, properties, token_index, token_sealed, created_at, updated_at, rotated_at",
  group_use: "team_id, environment_id, last_used_at, first_used_at, first_used_of",
  group_use_month: "month, team_id, environment_id, checks, size, days",
};
type Table = keyof typeof COPIES;
const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

const RECORD = `
  INSERT INTO audit_entry (environment_id, team_id, action, after, actor_type, actor_name)
  SELECT environment_id, team_id, 'user_group.created', ${snapshot("g")}, 'operator', 'operator'
  FROM user_group g WHERE team_id BETWEEN $1 AND $2 ORDER BY team_id`;

process.on("message", async (share: Share) => process.send?.(await copyShare(share)));

async function copyShare({ url, secretKey, groups, environmentId, now, nth, of }: Share): Promise<Counted> {
  setKeys(Buffer.from(secretKey, "hex"), undefined);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // The rows of a batch that is lost are those of a database that is lost.
  await client.query("SET synchronous_commit = off");
  const counted: Counted = {};
  for (let first = 1 + nth * BATCH; first <= groups; first += of * BATCH) {
    const last = Math.min(first + BATCH - 1, groups);
    const rows = rowsOf({ environmentId, groups, now, first, last }, counted);
    await client.query("BEGIN");
    for (const [table, lines] of Object.entries(rows)) await copy(client, table as Table, lines);
    await client.query(RECORD, [first, last]);
    await client.query("COMMIT");
  }
  await client.end();
  return counted;
}

interface Batch extends Pick<Share, "environmentId" | "groups" | "now"> {
  first: number;
  last: number;
}

/** The lines to copy into each table; adds their checks to those counted. */
function rowsOf({ environmentId, groups, now, first, last }: Batch, counted: Counted): Record<Table, string[]> {
  const rows: Record<Table, string[]> = { user_group: [], group_use: [], group_use_month: [] };
  for (let teamId = first; teamId <= last; teamId++) {
    const sample = sampleGroup(teamId, SEED);
    const { providedId, name, mapping, properties } = sample;
    const { tokenIndex, tokenSealed } = storeToken(newToken(), { environmentId, providedId });
    // Numbers follow the order of creation.
    const createdAt = now - YEARS_MS * (1 - teamId / groups);
    const { updated, used } = sampleTimes(sample, createdAt, now);
    const created = time(createdAt);
    const token = [hex(tokenIndex), hex(tokenSealed)];
    const group = [providedId, name, mapping, properties];
    rows.user_group.push(line([teamId, environmentId, ...group, ...token, created, time(updated), created]));
    const uses = used ? [time(used.last), time(used.first), created] : ["-infinity", null, null];
    rows.group_use.push(line([teamId, environmentId, ...uses]));
    for (const { month, days } of used ? sampleMonths(sample, { ...used, now }) : []) {
      const checks = days.reduce((sum, count) => sum + count, 0);
      const size = Math.floor(Math.log2(checks));
      rows.group_use_month.push(line([month, teamId, environmentId, checks, size, `{${days.join()}}`]));
      const sums = counted[month] ?? Array(31).fill(0);
      counted[month] = sums;
      for (const [day, count] of days.entries()) sums[day] += count;
    }
  }
  return rows;
}

const time = (milliseconds: number) => new Date(milliseconds).toISOString();
const hex = (bytes: Buffer) => `\\x${bytes.toString("hex")}`;

/** A row in the text format of COPY. */
function line(fields: (string | number | null)[]): string {
  const text = fields.map((field) =>
    field === null ? "\\N" : String(field).replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character),
  );
  return `${text.join("\t")}\n`;
}

async function copy(client: pg.Client, table: Table, lines: string[]) {
  const stream = client.query(copyFrom(`COPY ${table} (${COPIES[table]}) FROM STDIN`));
  stream.end(lines.join(""));
  await finished(stream);
}
