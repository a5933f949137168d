import { Connection } from "@/lib/db/connection";
import { FIXED, REQUIRED, UNLIMITED } from "@/lib/db/session-settings";
import { expect, query, test } from "../fixtures/own-service";
import { missingProxies, startPgBouncer } from "../fixtures/proxies";
import { command } from "../fixtures/run";
import {
  HOSTILE,
  liveLife,
  OVERRIDDEN,
  setHostile,
  startOn,
  unknownSettings,
  WITHSTOOD,
} from "../fixtures/session-settings";

const SECRET_KEY = "5e".repeat(32);

test("settings of a role or database change no answer", async ({ createDatabase, start }) => {
  const lives = [];
  const hostiles = { ...OVERRIDDEN, ...WITHSTOOD };
  for (const [hostile, whose] of [[{}], [hostiles, "role"], [hostiles, "database"]] as const) {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
    const { url, token } = await startOn(start, settings, hostile, whose);
    lives.push(await liveLife(url, token));
  }
  const [plain, ...others] = lives;
  expect(plain?.filter(([, status]) => status !== 200)).toEqual([]);
  for (const life of others) expect(life).toEqual(plain);
});

test("a connection overrides each setting, including one in its URL", async ({ createDatabase }) => {
  const url = await createDatabase();
  await setHostile(url, OVERRIDDEN);
  const show = async (connectionString: string) => {
    const client = new Connection({ connectionString });
    await client.connect();
    const { rows } = await client.query(
      "SELECT name, current_setting(name) AS setting FROM unnest($1::text[]) AS name",
      [Object.keys(OVERRIDDEN)],
    );
    await client.end();
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  };
  const all = Object.entries({ ...FIXED, ...UNLIMITED }).map(([name, value]) => [name, String(value)]);
  expect(await show(url)).toEqual(Object.fromEntries(all));
  const chosen = await show(`${url}?options=-csearch_path%3Dmine%20-cDateStyle%3DSQL`);
  expect(chosen).toMatchObject({ search_path: "public", DateStyle: "ISO, MDY" });
});

test("every setting a role can have is classified", async ({ createDatabase }) => {
  expect(Object.keys(HOSTILE).sort()).toEqual(Object.keys(REQUIRED).sort());
  expect(await unknownSettings(await createDatabase("empty"))).toEqual([]);
});

const behindPgBouncer = { tag: "@release" };

test("behind PgBouncer, startup names every setting to change", behindPgBouncer, async ({ createDatabase }) => {
  test.skip((await missingProxies()).includes("pgbouncer"), "PgBouncer is not installed");
  const direct = await createDatabase();
  const list = () => listBehind(direct);
  await setHostile(direct, HOSTILE);
  const { code, stderr } = await list();
  expect(code).toBe(1);
  for (const name of Object.keys(HOSTILE)) expect(stderr).toContain(`${name} = '`);
  await query(direct, /ALTER ROLE [\s\S]*;/.exec(stderr)?.[0] ?? "");
  expect(await list()).toMatchObject({ code: 0, stderr: "" });
  await setHostile(direct, { DateStyle: "ISO, DMY", extra_float_digits: "3", TimeZone: "Etc/UTC" });
  expect(await list()).toMatchObject({ code: 0, stderr: "" });
});

test("a PgBouncer that drops options must be declared", behindPgBouncer, async ({ createDatabase }) => {
  test.skip((await missingProxies()).includes("pgbouncer"), "PgBouncer is not installed");
  const changes = { "pool_mode = transaction": "pool_mode = session\nignore_startup_parameters = options" };
  const { code, stderr } = await listBehind(await createDatabase(), changes, "");
  expect(code).toBe(1);
  expect(stderr).toContain("Add ?pgbouncer=true");
});

/** Runs a command through a new PgBouncer, as a running one keeps what its first session reported. */
async function listBehind(direct: string, changes: Record<string, string> = {}, parameters = "?pgbouncer=true") {
  const bouncer = await startPgBouncer(new URL(direct), 3, changes);
  const DATABASE_URL = bouncer.url.replace("?pgbouncer=true", parameters);
  try {
    return await command(["api-token", "list"], { DATABASE_URL, DATABASE_OWNER_URL: direct, SECRET_KEY });
  } finally {
    await bouncer.stop();
  }
}
