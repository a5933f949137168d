import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { migrate } from "../../lib/migrations/migrate";
import { migrationNames } from "../../lib/migrations/migrations";
import { clientOf } from "../fixtures/client";
import { attachAsSuperuser } from "../fixtures/embedded-superuser";
import { expect, query, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";

const SECRET_KEY = "5c".repeat(32);
const FIRST = "20261120000000_init";
const REFUSAL =
  "This database was created by a version before 0.9.0 and cannot be upgraded. Export its user groups with that version and " +
  "import them into a new database, or start with a new DATA_DIR or DATABASE_URL.";

/** Makes a database look like one from before 0.9.0: with its first migration, and a table. */
async function makeEarlier(url: string, folder: string) {
  const migrations = path.join(folder, "earlier");
  await mkdir(path.join(migrations, FIRST), { recursive: true });
  await cp("prisma/migrations/migration_lock.toml", path.join(migrations, "migration_lock.toml"));
  const script = "CREATE TABLE user_group (team_id serial PRIMARY KEY); INSERT INTO user_group DEFAULT VALUES;";
  await writeFile(path.join(migrations, FIRST, "migration.sql"), script);
  expect(await migrate(url, migrations)).toEqual([FIRST]);
}

const tables = (url: string) => query(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");

test("a database from before 0.9.0 is refused in one sentence and left unchanged", async ({
  start,
  createDatabase,
  folder,
}) => {
  const DATABASE_URL = await createDatabase("empty");
  await makeEarlier(DATABASE_URL, folder);
  const before = await tables(DATABASE_URL);
  const settings = { DATABASE_URL, SECRET_KEY };
  const refused = await start(settings, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toBe(`${REFUSAL}\n`);
  expect(await command(["migrate"], settings)).toEqual({ code: 1, stdout: "", stderr: `${REFUSAL}\n` });
  expect(await tables(DATABASE_URL)).toEqual(before);
});

test("a DATA_DIR from before 0.9.0 is refused in the same sentence", { tag: "@release" }, async ({
  start,
  dataDir,
  folder,
}) => {
  const earlier = await attachAsSuperuser(dataDir);
  await makeEarlier(earlier.url, folder);
  await earlier.release();
  const refused = await start({ DATA_DIR: dataDir }, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toBe(`${REFUSAL}\n`);
});

test("a service whose database is replaced by one from before 0.9.0 is not ready, and the doctor says why", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const DATABASE_URL = await createDatabase();
  const service = await start({ DATABASE_URL, SECRET_KEY });
  await query(DATABASE_URL, "UPDATE _prisma_migrations SET migration_name = $1", [FIRST]);
  const answer = await fetch(`${service.url}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    error: { code: "unavailable", message: REFUSAL },
  });
  const examined = await command(["doctor", service.url], {});
  expect(examined.code).toBe(1);
  expect(examined.stdout.replace(/\s+/g, " ")).toContain(REFUSAL);
});

/** The answers of the service at commit 6e901a05; its rows are in e2e/fixtures/database-6e901a05.sql. */
const AT_6E901A05 = {
  lastMigration: "20261127000000_newest_version",
  apiToken: "uga_test_Fn8cWFQZ6o3CplNzlyp0i78JWqf42scacrwfFLj5cRf4euPiB",
  tokens: {
    acme: "ugt_EEsavkw3RQUfpYxv5n1JqP4RW27Iq8jgJXsmVzOIALC4FiJr1",
    globex: "ugt_hkfM4A9KzBVb9M2KB1SyKkKWJadjpv949yqSIU0KRGE1r051T",
    initech: "ugt_dP4XfZBzn0ptXAvShr72Yz9OlcEJVB8TgB54p93Ou0907sSKU",
  },
  replaced: "ugt_aVodWEkhLdtCT6q2IJnUOTTQkrINw1TWQFxiaHuRLIp4ImFuG",
};

test("upgrading a database of commit 6e901a05 keeps its API token and its groups' tokens", async ({
  start,
  createDatabase,
  folder,
}) => {
  const { lastMigration, apiToken, tokens, replaced } = AT_6E901A05;
  const DATABASE_URL = await createDatabase("empty");
  const earlier = path.join(folder, "earlier");
  const names = migrationNames().filter((name) => name <= lastMigration);
  for (const name of names)
    await cp(path.join("prisma/migrations", name), path.join(earlier, name), { recursive: true });
  expect(await migrate(DATABASE_URL, earlier)).toEqual(names);
  await query(DATABASE_URL, await readFile("e2e/fixtures/database-6e901a05.sql", "utf8"));
  const rows = () =>
    query(DATABASE_URL, "SELECT provided_id, token_index, token_sealed FROM user_group ORDER BY team_id");
  const before = await rows();

  const service = await start({ DATABASE_URL, SECRET_KEY });
  const client = clientOf(service.url, apiToken);
  const ask = async (token: string) => {
    const headers = { authorization: `Token ${apiToken}`, "content-type": "application/json" };
    const body = JSON.stringify({ token });
    return (await fetch(`${service.url}/api/viewer`, { method: "POST", headers, body })).json();
  };
  for (const [id, token] of Object.entries(tokens)) {
    expect((await client.get(id)).json).toMatchObject({ new_user_group: false, user_group: { token } });
  }
  expect(await rows()).toEqual(before);
  expect(await ask(tokens.acme)).toMatchObject({ active: true, user_group: { properties: { plan: "pro" } } });
  expect(await ask(tokens.initech)).toMatchObject({ active: false, reason: "suspended" });
  expect(await ask(replaced)).toEqual({ success: 1, active: false });
  expect(Object.keys((await client.rotate(tokens.globex)).json)).toContain("user_group");
});
