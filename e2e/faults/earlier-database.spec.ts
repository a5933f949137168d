import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { migrate } from "../../lib/migrations/migrate";
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

const UNKNOWN =
  "This database cannot be upgraded: its migration 20261129200200_renames is unknown to this release. Export its user groups " +
  "with the version that migrated it, and import them into a new database, or restore a backup from before that migration.";

/** Restores a dump of what an earlier version served. */
async function restore(url: string, version: string) {
  await query(url, gunzipSync(await readFile(`e2e/fixtures/database-${version}.sql.gz`)).toString("utf8"));
}

/** Makes a database look like one of a branch with another version of a migration. */
async function makeUnknown(url: string) {
  await restore(url, "f2d9fded");
  await query(
    url,
    "UPDATE _prisma_migrations SET checksum = repeat('0', 64) WHERE migration_name = '20261129200200_renames'",
  );
}

const tables = (url: string) => query(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");

for (const [what, make, refusal] of [
  ["from before 0.9.0", makeEarlier, REFUSAL],
  ["with a migration of no version", makeUnknown, UNKNOWN],
] as const) {
  test(`a database ${what} is left unchanged, and the error says what to do`, async ({
    start,
    createDatabase,
    folder,
  }) => {
    const DATABASE_URL = await createDatabase("empty");
    await make(DATABASE_URL, folder);
    const before = await tables(DATABASE_URL);
    const settings = { DATABASE_URL, SECRET_KEY };
    const refused = await start(settings, { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said()).toBe(`${refusal}\n`);
    expect(await command(["migrate"], settings)).toEqual({ code: 1, stdout: "", stderr: `${refusal}\n` });
    expect(await tables(DATABASE_URL)).toEqual(before);
  });
}

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

interface Earlier {
  apiToken: string;
  /** by user group id */
  tokens: Record<string, string>;
  /** a token that was rotated away */
  replaced: string;
}

/** What earlier versions answered before e2e/fixtures/database-<version>.sql.gz was dumped. */
const EARLIER: Record<string, Earlier> = {
  "0.9.0": {
    apiToken: "uga_test_QuZGVLzQm8tGfBmceKNTDEx1yp3umYi8biMCQV7fxVF0lWlxE",
    tokens: {
      acme: "ugt_eF8vCU43bQwlGgvv9h5YfWDYypCdhk321zQyjfUblJU18JyCs",
      globex: "ugt_gCjSVPUviZQdz2YAAhxuazwhghT7SwKWYm0Qo9OfuX54Hb8K5",
      initech: "ugt_hqW1Cb0awunNrLfFhig3kGxG3CGOdnYzpp5slmfyUk81t5Js0",
    },
    replaced: "ugt_sgPtomWJKPuOGbwME9kiW2GjkDDvi0FzapdSZE9X4DA0QanlA",
  },
  "6e901a05": {
    apiToken: "uga_test_Fn8cWFQZ6o3CplNzlyp0i78JWqf42scacrwfFLj5cRf4euPiB",
    tokens: {
      acme: "ugt_EEsavkw3RQUfpYxv5n1JqP4RW27Iq8jgJXsmVzOIALC4FiJr1",
      globex: "ugt_hkfM4A9KzBVb9M2KB1SyKkKWJadjpv949yqSIU0KRGE1r051T",
      initech: "ugt_dP4XfZBzn0ptXAvShr72Yz9OlcEJVB8TgB54p93Ou0907sSKU",
    },
    replaced: "ugt_aVodWEkhLdtCT6q2IJnUOTTQkrINw1TWQFxiaHuRLIp4ImFuG",
  },
  f2d9fded: {
    apiToken: "uga_test_bKu0wVwAbbYqcMpFG3HTiVVJ5EazuYWWZ2d08HFitu91AuIkr",
    tokens: {
      acme: "ugt_HsihDep7oOyUOJr63RNcZirz3f1bOlE9YqVnLoCx4qZ2H8ELw",
      globex: "ugt_4YTQANSP5VeDyAT3fScOyCenvOpkUluwaYG8rSsFTyO1eAqq7",
      initech: "ugt_KRhEn9C8FgTnh9ig7xzYwiKpMYnmmhVzsJZBJCOOrU10yhrZI",
    },
    replaced: "ugt_8DXhSL6vFVFiThnfv2P4f0DOFcc23uWPE77igPXszPZ47Y65Y",
  },
  "79759561": {
    apiToken: "uga_test_f7mkXeKp8n435hAb9lvaMq17wO6t2eOPMIZTxdlx6Xi4Xejs9",
    tokens: {
      acme: "ugt_H6GEfubggKo2d4G7zFPCAF1CAW65cFs7puVo0XWy1Gj1JUxLY",
      globex: "ugt_iBvP6eSpIdJFs3ALzAt53N0y2T6F45ivx8dxmFK0NGX0Ng78e",
      initech: "ugt_RhXNvVvF2QAsLL7b12PEUadzYmQqG2LBPh8GD9INE3M330xO2",
    },
    replaced: "ugt_3mr93Dxo8vfOzEs6J6EeAzPd3WJ3V7T16AI04IwEggO2KtPMr",
  },
};

for (const [version, { apiToken, tokens, replaced }] of Object.entries(EARLIER)) {
  test(`upgrading a database of ${version} by two concurrent starts keeps its API token and its groups' tokens`, async ({
    start,
    createDatabase,
  }) => {
    const DATABASE_URL = await createDatabase("empty");
    await restore(DATABASE_URL, version);
    const rows = () =>
      query(DATABASE_URL, "SELECT provided_id, token_index, token_sealed FROM user_group ORDER BY team_id");
    const before = await rows();

    const settings = { DATABASE_URL, SECRET_KEY };
    const [service, other] = await Promise.all([start(settings), start(settings)]);
    const client = clientOf(service.url, apiToken);
    const ask = async (token: string) => {
      const headers = { authorization: `Token ${apiToken}`, "content-type": "application/json" };
      const body = JSON.stringify({ token });
      return (await fetch(`${other.url}/api/viewer`, { method: "POST", headers, body })).json();
    };
    for (const [id, token] of Object.entries(tokens)) {
      expect((await client.get(id)).json).toMatchObject({ new_user_group: false, user_group: { token } });
    }
    expect(await rows()).toEqual(before);
    expect(await ask(tokens.acme ?? "")).toMatchObject({ active: true, user_group: { properties: { plan: "pro" } } });
    // This one has a suspended group, and no history.
    const isOther = version === "6e901a05";
    const initech = isOther ? { active: false, reason: "suspended" } : { active: true };
    expect(await ask(tokens.initech ?? "")).toMatchObject(initech);
    expect(await ask(replaced)).toEqual({ success: 1, active: false });
    expect(Object.keys((await client.rotate(tokens.globex ?? "")).json)).toContain("user_group");
    expect((await command(["verify"], settings)).code).toBe(isOther ? 1 : 0);
  });
}

test("an upgrade from 0.9.0 keeps its imports as jobs, and forgets what exports searched for", async ({
  createDatabase,
}) => {
  const DATABASE_URL = await createDatabase("empty");
  await restore(DATABASE_URL, "0.9.0");
  await migrate(DATABASE_URL);
  expect(
    await query(
      DATABASE_URL,
      "SELECT j.name, kind, j.state, is_begun, created, provided_id, outcome FROM job j, job_row",
    ),
  ).toEqual([
    {
      name: "groups.csv",
      kind: "import",
      state: "done",
      is_begun: true,
      created: 1,
      provided_id: "hooli",
      outcome: "created",
    },
  ]);
  const [entry] = await query<{ after: string }>(
    DATABASE_URL,
    "SELECT after FROM audit_entry WHERE action = 'user_groups.exported'",
  );
  expect(JSON.parse(entry?.after ?? "")).toEqual({ narrowed_by: ["search"], used: "", format: "csv" });
});
