import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PRESETS } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { type Client, clientOf } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { askFeed, feedReader, readFeed } from "../fixtures/feed";
import { makePostgres, type OwnPostgres } from "../fixtures/own-postgres";
import { expect, OWNER, OWNER_SETTINGS, query, test } from "../fixtures/own-service";
import { findPostgres15 } from "../fixtures/postgres-15";
import { run } from "../fixtures/run";
import { wayTo } from "../fixtures/tcp-forwarder";

const SECRET_KEY = "fe".repeat(32);
const WRITERS = 32;
const READERS = 4;
/** Groups changed by all writers. */
const SHARED = 128;
const NO_LIMITS = { RATE_LIMIT_REQUESTS: "0" };

const scopes = PRESETS.full;

/** The ids of an environment's entries in feed order. */
async function entryIds(url: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    url,
    "SELECT a.id FROM audit_entry a JOIN environment e ON e.id = a.environment_id WHERE slug = 'testing' ORDER BY a.epoch, a.xid, a.id",
  );
  return rows.map(({ id }) => id);
}

/** Reads from a cursor to the last entry, which PostgreSQL's own transactions can delay. */
async function readWhole(url: string, token: string, databaseUrl: string, after?: string) {
  const last = (await entryIds(databaseUrl)).at(-1);
  let whole = await readFeed(url, token, after);
  await expect
    .poll(async () => {
      whole = await readFeed(url, token, after);
      return idsOf(whole.events).at(-1);
    })
    .toBe(last);
  return whole;
}

const idsOf = (events: { id: string }[]) => events.map(({ id }) => id);

/** One writer's changes: sometimes a new group, mostly changes of a few shared groups. */
async function write(client: Client, writer: number, changes: number) {
  for (let n = 0; n < changes; n++) {
    const id = n % 8 === 0 ? `new-${writer}-${n}` : `shared-${(writer * 7 + n) % SHARED}`;
    const { status, text } = n % 8 === 0 ? await client.get(id) : await client.put(id, { properties: { writer, n } });
    if (status !== 200) throw new Error(text);
  }
}

/** Opens a transaction that writes an entry of Testing; returns its transaction id. */
async function holdOpen(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN");
  const { rows } = await client.query<{ xid: string }>(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name)
     SELECT id, 'user_groups.exported', 'operator', 'held open' FROM environment WHERE slug = 'testing' RETURNING xid`,
  );
  return {
    xid: Number(rows[0]?.xid),
    async commit() {
      await client.query("COMMIT");
      await client.end();
    },
  };
}

for (const { changes, minutes, ...tagged } of [
  { changes: 40, minutes: 3 },
  { changes: 1_000, minutes: 15, tag: "@release" },
]) {
  const title = `readers that pause and are killed get each of ${WRITERS} × ${changes} changes once, in one order`;
  test(title, tagged, async ({ start, createDatabase, folder }) => {
    test.setTimeout(minutes * 60_000);
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, ...NO_LIMITS };
    const token = await insertApiToken(settings, { scopes });
    const service = await start(settings);
    const client = clientOf(service.url, token);
    for (let n = 0; n < SHARED; n++) await client.get(`shared-${n}`);
    const readers = await Promise.all(
      Array.from({ length: READERS }, async (_, n) =>
        feedReader(service.url, await insertApiToken(settings, { scopes }), path.join(folder, `reader-${n}`)),
      ),
    );
    for (const reader of readers) reader.start();
    let isOver = false;
    const disturb = async () => {
      for (let turn = 0; !isOver; turn++) {
        const reader = readers[turn % READERS];
        if (turn % 3 === 0) {
          reader?.signal("SIGSTOP");
          await sleep(500);
          reader?.signal("SIGCONT");
        } else {
          await reader?.kill();
          reader?.start();
        }
        await sleep(500);
      }
    };
    let held = 0;
    /** Holds up the feed repeatedly: it then shows nothing beyond the open transaction. */
    const hold = async () => {
      let { cursor } = await readFeed(service.url, token);
      while (!isOver || held === 0) {
        const open = await holdOpen(settings.DATABASE_URL);
        await sleep(1_000);
        const shown = await readFeed(service.url, token, cursor);
        const [{ last } = { last: null }] = await query<{ last: string | null }>(
          settings.DATABASE_URL,
          "SELECT max(xid) AS last FROM audit_entry WHERE id = ANY ($1::bigint[])",
          [idsOf(shown.events)],
        );
        expect(Number(last)).toBeLessThan(open.xid);
        await open.commit();
        cursor = shown.cursor;
        held++;
        await sleep(1_000);
      }
    };
    const troubles = [disturb(), hold()];
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(client, writer, changes)));
    isOver = true;
    await Promise.all(troubles);
    const expected = await entryIds(settings.DATABASE_URL);
    expect(expected).toHaveLength(SHARED + WRITERS * changes + held);
    for (const reader of readers) {
      const options = { timeout: minutes * 20_000, intervals: [500] };
      await expect.poll(async () => (await reader.ids()).length, options).toBeGreaterThanOrEqual(expected.length);
      expect(reader.isRunning()).toBe(true);
      // Compared as text, as a difference in 32,000 ids could not be printed.
      expect((await reader.ids()).join() === expected.join(), "the feed equals the table").toBe(true);
    }
    for (const reader of readers) await reader.kill();
  });
}

test("a stopping service answers waiting feed requests from programs and the dashboard", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const token = await insertApiToken(settings, { scopes });
  const service = await start({ ...settings, ...OWNER_SETTINGS });
  const owner = browserOf(service.url);
  await owner.signIn(OWNER);
  const { next_cursor: after } = await askFeed(service.url, token, { after: "latest" });
  const waits = [
    askFeed(service.url, token, { after, wait: "30" }),
    owner.get(`/api/events?${new URLSearchParams({ after, wait: "30" })}`),
  ];
  await sleep(500);
  const stopped = service.stop();
  for (const { status } of await Promise.all(waits)) expect(status).toBe(200);
  expect(await stopped).toBe(0);
});

test("a history index left unfinished by a killed migration is finished by the next start", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const index = "audit_entry_environment_id_epoch_xid_id_idx";
  await query(settings.DATABASE_URL, `DROP INDEX ${index}`);
  await query(settings.DATABASE_URL, `CREATE INDEX ${index} ON ONLY audit_entry (environment_id, epoch, xid, id)`);
  const isValid = async () =>
    (await query(settings.DATABASE_URL, `SELECT indisvalid FROM pg_index WHERE indexrelid = '${index}'::regclass`))[0];
  expect(await isValid()).toEqual({ indisvalid: false });
  await start(settings);
  expect(await isValid()).toEqual({ indisvalid: true });
});

/** Runs a PostgreSQL program. */
async function execute(programs: string, program: string, ...args: string[]) {
  const { code, stderr } = await run(path.join(programs, program), args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

/** Uses up transaction ids, so that another cluster is behind. */
const age = (url: string) =>
  query(url, "DO $$ BEGIN FOR n IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$");

const epochOf = async (url: string) =>
  (await query<{ epoch: number }>(url, "SELECT max(epoch) AS epoch FROM feed_epoch"))[0]?.epoch;

test("a dump restored into a fresh cluster continues the feed, at startup and under a running service", {
  tag: "@release",
}, async ({ start, folder }) => {
  const programs = await findPostgres15();
  test.skip(!programs, "PostgreSQL 15, whose pg_dump and pg_restore this takes, is not installed");
  if (!programs) return;
  const [first, second, third] = (await Promise.all(
    ["first", "second", "third"].map((name) => makePostgres(path.join(folder, name), { programs })),
  )) as [OwnPostgres, OwnPostgres, OwnPostgres];
  const { way, url: through } = await wayTo(first.url);
  const serve = (DATABASE_URL: string) => start({ DATABASE_URL, SECRET_KEY, ...OWNER_SETTINGS });
  const before = await serve(first.url);
  const token = await insertApiToken({ DATABASE_URL: first.url, SECRET_KEY }, { scopes });
  await age(first.url);
  /** Changes groups, and creates an API token, whose entry is written in another way. */
  const change = async (url: string) => {
    await Promise.all([0, 1, 2, 3].map((writer) => write(clientOf(url, token), writer, 9)));
    const owner = browserOf(url);
    // The pool may still hold connections to the previous cluster.
    const signIn = async () => (await owner.signIn(OWNER)).status;
    await expect.poll(signIn).toBe(200);
    const made = await owner.post("/api/admin/api-tokens", { name: "n", scopes, expiresAt: null });
    expect(made.status, made.text).toBe(200);
  };
  await Promise.all(Array.from({ length: SHARED }, (_, n) => clientOf(before.url, token).get(`shared-${n}`)));
  await change(before.url);
  const page = await askFeed(before.url, token, { limit: "10" });
  const all = await readWhole(before.url, token, first.url);
  await before.stop();

  const move = async (from: OwnPostgres, to: OwnPostgres) => {
    const file = path.join(folder, "feed.dump");
    await execute(programs, "pg_dump", "-d", from.url, "-Fc", "-f", file);
    await execute(programs, "pg_restore", "-d", to.url, "--no-owner", "--exit-on-error", file);
    const isBehind =
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint < (SELECT max(xid) FROM audit_entry) AS is_behind";
    expect(await query(to.url, isBehind)).toEqual([{ is_behind: true }]);
  };
  await move(first, second);
  await first.stop();
  const after = await serve(second.url);
  expect(await epochOf(second.url)).toBe(3);
  expect(idsOf((await readFeed(after.url, token)).events)).toEqual(idsOf(all.events));
  await change(after.url);
  const rest = await readWhole(after.url, token, second.url, page.next_cursor);
  const expected = await entryIds(second.url);
  expect([...idsOf(page.events), ...idsOf(rest.events)]).toEqual(expected);
  const news = await readFeed(after.url, token, all.cursor);
  expect([...idsOf(all.events), ...idsOf(news.events)]).toEqual(expected);
  await after.stop();

  // When another cluster takes over under a running service, the first read starts the epoch.
  way.leadTo(second.port);
  const running = await serve(through);
  expect(await epochOf(second.url)).toBe(3);
  await age(second.url);
  await change(running.url);
  const { cursor, events } = await readWhole(running.url, token, second.url);
  await move(second, third);
  way.leadTo(third.port);
  await second.kill();
  await expect.poll(async () => (await fetch(`${running.url}/readyz`)).status).toBe(200);
  expect((await readFeed(running.url, token, cursor)).events).toEqual([]);
  expect(await epochOf(third.url)).toBe(4);
  await change(running.url);
  const later = await readWhole(running.url, token, third.url, cursor);
  expect([...idsOf(events), ...idsOf(later.events)]).toEqual(await entryIds(third.url));
  await running.stop();
  await way.cut();
  await third.kill();
});

test("a cursor to an event lost in a failover is gone, and an earlier one continues", { tag: "@release" }, async ({
  start,
  folder,
}) => {
  const programs = await findPostgres15();
  test.skip(!programs, "PostgreSQL 15, whose standby this takes, is not installed");
  if (!programs) return;
  const primary = await makePostgres(path.join(folder, "primary"), { programs });
  const standby = await makePostgres(path.join(folder, "standby"), { programs, primary });
  const settings = { DATABASE_URL: primary.url, SECRET_KEY };
  const service = await start(settings);
  const token = await insertApiToken(settings, { scopes });
  await clientOf(service.url, token).get("kept");
  const { cursor: kept } = await readWhole(service.url, token, primary.url);
  const received = "SELECT pg_wal_lsn_diff($1, pg_last_wal_replay_lsn()) <= 0 AS done";
  const [{ at } = { at: "" }] = await query<{ at: string }>(primary.url, "SELECT pg_current_wal_lsn()::text AS at");
  await expect.poll(async () => (await query(standby.url, received, [at]))[0]).toEqual({ done: true });
  // Asynchronous, and disconnected while more is acknowledged.
  await standby.stop();
  for (let n = 0; n < 40; n++) await clientOf(service.url, token).get(`lost-${n}`);
  const lost = await readWhole(service.url, token, primary.url, kept);
  expect(lost.events).toHaveLength(40);
  await primary.kill();
  await service.stop();
  await standby.start();
  await query(standby.url, "SELECT pg_promote()");
  const after = await start({ ...settings, DATABASE_URL: standby.url });
  for (let n = 0; n < 50; n++) await clientOf(after.url, token).get(`after-${n}`);
  const gone = await askFeed(after.url, token, { after: lost.cursor });
  expect({ status: gone.status, code: gone.error?.code }).toEqual({ status: 410, code: "cursor_gone" });
  expect((await readWhole(after.url, token, standby.url, kept)).events).toHaveLength(50);
  expect(idsOf((await readFeed(after.url, token)).events)).toEqual(await entryIds(standby.url));
  await after.stop();
  await standby.kill();
});
