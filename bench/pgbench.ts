import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type pg from "pg";
import { run } from "../e2e/fixtures/run";
import type { Contender, Kind, Load, Measured } from "./load";
import { findProgram } from "./programs";
import { quantile } from "./quantile";

const TABLE = "pgbench_group";
const COLUMNS = "team_id, provided_id, name, properties, version";
/** pgbench cannot generate text: its groups' ids are these numbers, all of one length. */
const FIRST_ID = 100_000_000;
const BEYOND_ALL = 10 ** 15;
const SAMPLED = 0.2;
/** pgbench counts the time of connecting, one after the other, as part of the run. */
const CONNECTING_SECONDS = 1;

/** One statement for each request, in pgbench, as the database's own limit; undefined if pgbench is not installed. */
export async function pgbench(database: pg.Client, url: string, folder: string): Promise<Contender | undefined> {
  const program = findProgram("pgbench");
  if (!program) return undefined;
  const groups = await fillTable(database);
  return {
    name: "pgbench",
    async run({ kind, connections, seconds }: Load) {
      if (kind === "mix") throw new Error("pgbench sends one kind of statement at a time");
      const place = mkdtempSync(path.join(folder, "pgbench-"));
      const script = path.join(place, "script.sql");
      writeFileSync(script, scriptOf(kind, groups));
      const args = ["-n", "-M", "prepared", "-f", script, "-c", String(connections), "-j", "1"];
      args.push("-T", String(CONNECTING_SECONDS + seconds));
      args.push("-l", `--sampling-rate=${SAMPLED}`, `--log-prefix=${path.join(place, "log")}`, url);
      const { code, stdout, stderr } = await run(program, args);
      if (code !== 0) throw new Error(`pgbench exited with ${code}: ${stderr}`);
      const measured = read(stdout, timesOf(place));
      if (!(measured.perSecond > 0)) throw new Error(`pgbench completed no transaction in ${seconds} s:\n${stdout}`);
      rmSync(place, { recursive: true });
      return measured;
    },
  };
}

async function fillTable(database: pg.Client): Promise<number> {
  const kept = "environment_id, name, mapping, properties, token_index, token_sealed";
  await database.query(`CREATE TABLE ${TABLE} (LIKE user_group INCLUDING ALL)`);
  const { rowCount } = await database.query(
    `INSERT INTO ${TABLE} (team_id, provided_id, ${kept})
     SELECT team_id, (${FIRST_ID} + row_number() OVER (ORDER BY team_id))::text, ${kept} FROM user_group`,
  );
  await database.query(`VACUUM (ANALYZE) ${TABLE}`);
  return rowCount ?? 0;
}

function scriptOf(kind: Kind, groups: number): string {
  const isNew = kind === "fresh";
  const [least, most] = isNew ? [FIRST_ID + groups + 1, BEYOND_ALL] : [FIRST_ID + 1, FIRST_ID + groups];
  const token = { $2: "sha256(:token::bytea)", $3: "repeat('x', 86)::bytea" };
  const values: Record<string, string> = { $1: ":id", ...(kind === "named" ? { $2: ":token" } : token) };
  const statement = statements()[kind].replace(/\$\d/g, (place) => values[place] ?? place);
  return `\\set id random(${least}, ${most})\n\\set token random(1, ${BEYOND_ALL})\n${statement};\n`;
}

/** Of sampled transactions, in milliseconds. */
function timesOf(folder: string): number[] {
  const logs = readdirSync(folder).filter((name) => name.startsWith("log"));
  const lines = logs.flatMap((name) => readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n"));
  return lines.map((line) => Number(line.split(" ")[2]) / 1000);
}

function read(output: string, times: number[]): Measured {
  const numberAt = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  return {
    perSecond: numberAt(/^tps = ([\d.]+)/m),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    errors: numberAt(/^number of failed transactions: (\d+)/m),
    requests: numberAt(/^number of transactions actually processed: (\d+)/m),
    cpu: null,
    rss: null,
  };
}

/** One statement for each kind of request, and nothing else. */
function statements(): Record<Kind, string> {
  return {
    any: `SELECT ${COLUMNS} FROM ${TABLE} WHERE environment_id = 2 AND provided_id = $1`,
    fresh: `INSERT INTO ${TABLE} (environment_id, provided_id, name, mapping, token_index, token_sealed)
      VALUES (2, $1, $1, '{}', $2, $3) ON CONFLICT (environment_id, provided_id) DO NOTHING RETURNING ${COLUMNS}`,
    named: `UPDATE ${TABLE} SET name = $2, version = version + 1, updated_at = now()
      WHERE environment_id = 2 AND provided_id = $1 RETURNING ${COLUMNS}`,
    next: `UPDATE ${TABLE} SET token_index = $2, token_sealed = $3, version = version + 1, rotated_at = now()
      WHERE environment_id = 2 AND provided_id = $1 RETURNING ${COLUMNS}`,
  };
}
