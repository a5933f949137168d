import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import pino from "pino";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { expect, METRICS_TOKEN, query, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";

const SECRET_KEY = "8e".repeat(32);

const MONTHS =
  "SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'audit_entry'::regclass ORDER BY 1";

/** The partition of the month this many months from now. */
function month(after: number): string {
  const now = new Date();
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + after));
  return `audit_entry_${at.toISOString().slice(0, 7).replace("-", "_")}`;
}

const monthsOf = async (url: string) => (await query<{ name: string }>(url, MONTHS)).map(({ name }) => name);
const from = (first: number) => Array.from({ length: 14 - first }, (_, n) => month(first + n));

/** The months ahead in /metrics; undefined until known. */
async function ahead(url: string): Promise<number | undefined> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const found = /^audit_partitions_ahead\{.*\} (\d+)$/m.exec(await response.text())?.[1];
  return found === undefined ? undefined : Number(found);
}

test("a start creates missing monthly history partitions, and changes go into the current one", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN };
  expect(await monthsOf(settings.DATABASE_URL)).toEqual(from(-1));
  // As if the service had not run for a year.
  await query(settings.DATABASE_URL, `DROP TABLE ${from(-1).join(", ")}`);
  const service = await start(settings);
  expect(await monthsOf(settings.DATABASE_URL)).toEqual(from(-1));
  const client = clientOf(service.url, await insertApiToken(settings));
  expect((await client.get("group")).json.new_user_group).toBe(true);
  expect(
    await query(settings.DATABASE_URL, "SELECT tableoid::regclass::text AS name FROM audit_entry WHERE team_id = 1"),
  ).toEqual([{ name: month(0) }]);
  await expect.poll(() => ahead(service.url)).toBe(13);
  expect(await readFile(service.log, "utf8")).not.toContain("history partitions exist");
});

test("with fewer than three monthly partitions ahead and none creatable, it serves, logs an error and reports a metric", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN };
  await query(settings.DATABASE_URL, `DROP TABLE ${from(3).join(", ")}`);
  await query(
    settings.DATABASE_URL,
    "CREATE OR REPLACE FUNCTION make_audit_partitions() RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no room''; END'",
  );
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  expect((await client.get("group")).json.new_user_group).toBe(true);
  await expect.poll(() => ahead(service.url)).toBe(2);
  const alarms = async () =>
    (await readFile(service.log, "utf8")).split("\n").filter((line) => line.includes("2 more months"));
  await expect.poll(alarms).toHaveLength(1);
  const [alarm = ""] = await alarms();
  expect(alarm).toContain("no room");
  expect(JSON.parse(alarm)).toMatchObject({ level: pino.levels.values.error, ahead: 2 });

  // A command says so too, not in what it prints.
  const printed = await command(["events"], settings);
  expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining("no room") });
  expect(printed.stdout).not.toContain("no room");
});

test("a start does not wait for a dump to drop a month", { tag: "@release" }, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const partition = "PARTITION OF group_use_month FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')";
  await query(settings.DATABASE_URL, `CREATE TABLE group_use_month_2020_01 ${partition}`);
  const dump = new pg.Client({ connectionString: settings.DATABASE_URL });
  await dump.connect();
  await dump.query("BEGIN; LOCK TABLE group_use_month IN ACCESS SHARE MODE");
  const service = await start(settings);
  expect(await readFile(service.log, "utf8")).toContain("partitions could not be created");
  await dump.end();
});

test("partitions are created under traffic, by concurrent callers, whatever names a caller's session defines", async ({
  createDatabase,
}) => {
  const url = await createDatabase();
  const [one, other, reader] = Array.from({ length: 3 }, () => new pg.Client({ connectionString: url }));
  const clients = [one, other, reader].filter((client) => client !== undefined);
  await Promise.all(clients.map((client) => client.connect()));
  await query(url, `DROP TABLE ${from(5).join(", ")}`);
  await one?.query(`
    CREATE TEMP TABLE audit_entry (id int);
    CREATE TEMP TABLE ${month(6)} (id int);
    SET TimeZone = 'Pacific/Kiritimati'; SET DateStyle = 'SQL, DMY'; SET search_path = pg_temp, public`);
  // A transaction that has read and written all of it, and an uncommitted one that creates months.
  await reader?.query("BEGIN; SELECT FROM audit_entry");
  await reader?.query("INSERT INTO audit_entry (action, actor_type, actor_name) VALUES ('a', 'operator', 'o')");
  await one?.query("BEGIN; SELECT public.make_audit_partitions()");
  let second = false;
  const waiting = other?.query("SELECT make_audit_partitions()").then(() => {
    second = true;
  });
  await query(url, "INSERT INTO audit_entry (action, actor_type, actor_name) VALUES ('b', 'operator', 'o')");
  await sleep(300);
  expect(second).toBe(false);
  await one?.query("COMMIT");
  await waiting;
  await reader?.query("COMMIT");
  await Promise.all(clients.map((client) => client.end()));
  expect(await monthsOf(url)).toEqual(from(-1));
  const bounds = "SELECT pg_get_expr(relpartbound, oid) AS bounds FROM pg_class WHERE oid = $1::regclass";
  const boundsOf = (n: number) => `${month(n).slice(-7).replace("_", "-")}-01 00:00:00+00`;
  const inUtc = `${url}?options=-c%20TimeZone%3DUTC`;
  expect(await query(inUtc, bounds, [month(6)])).toEqual([
    { bounds: `FOR VALUES FROM ('${boundsOf(6)}') TO ('${boundsOf(7)}')` },
  ]);
  expect(await query(url, "SELECT count(*)::int FROM audit_entry")).toEqual([{ count: 2 }]);
});

test("each history entry records its transaction and the epoch of the feed", { tag: "@release" }, async ({
  createDatabase,
}) => {
  const url = await createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN");
  const { rows: written } = await client.query(
    `INSERT INTO audit_entry (action, actor_type, actor_name) SELECT 'a', 'operator', 'o' FROM generate_series(1, 2)
     RETURNING xid, epoch, xid = pg_current_xact_id()::text::bigint AS own`,
  );
  await client.query("COMMIT");
  await client.end();
  expect(written).toEqual(Array(2).fill({ xid: expect.stringMatching(/^\d+$/), epoch: 2, own: true }));
});
