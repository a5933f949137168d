import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../lib/migrations/migrate";
import { expectError } from "../fixtures/api";
import { clientOf } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { attachAsSuperuser } from "../fixtures/embedded-superuser";
import { processesOf } from "../fixtures/own-postgres";
import { test as base, expect, query, rolesOf } from "../fixtures/own-service";
import { command, createApiToken } from "../fixtures/run";

const SECRET_KEY = "7d".repeat(32);

interface Fixtures {
  /** both URLs of a new database; the runtime role does not exist yet */
  roles: ReturnType<typeof rolesOf>["settings"];
}

const test = base.extend<Fixtures>({
  roles: async ({ createDatabase }, use) => {
    const { settings, drop } = rolesOf(await createDatabase("empty"), SECRET_KEY);
    await use(settings);
    await drop().catch(() => undefined);
  },
});

test.skip(process.platform !== "linux", "needs Linux: reads /proc");

test("while waiting for migrations, probes are answered and calls get 503", async ({ start, roles }) => {
  const other = new pg.Client({ connectionString: roles.DATABASE_OWNER_URL });
  await other.connect();
  await other.query("SELECT pg_advisory_lock(72707369)");
  const service = await start(roles, { until: "alive" });
  const client = clientOf(service.url, "t".repeat(40));
  const readiness = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  await expect
    .poll(readiness)
    .toEqual({ status: 503, text: expect.stringContaining("The database is being migrated.") });
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  const answer = await client.get("group");
  expectError(answer, 503, "unavailable");
  expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  await other.end();
  await expect.poll(async () => (await readiness()).status, { timeout: 60_000 }).toBe(200);
  expect((await client.get("group")).status).toBe(401);
  expect(await service.stop()).toBe(0);
});

test("creating an embedded database delays no probe, and calls get no 5xx other than 503", {
  tag: "@release",
}, async ({ start, dataDir }) => {
  const service = await start({ DATA_DIR: dataDir }, { until: "alive" });
  const seen = new Set<number>();
  for (let ready = false; !ready; ready = (await fetch(`${service.url}/readyz`)).status === 200) {
    seen.add((await clientOf(service.url, "t".repeat(40)).get("group")).status);
    await sleep(50);
  }
  expect([...seen].filter((status) => status !== 503 && status !== 401)).toEqual([]);
  expect(seen).toContain(503);
});

test("a start stopped while waiting for migrations ends, and its child with it", { tag: "@release" }, async ({
  start,
  roles,
}) => {
  const other = new pg.Client({ connectionString: roles.DATABASE_OWNER_URL });
  await other.connect();
  await other.query("SELECT pg_advisory_lock(72707369)");
  const service = await start(roles, { until: "alive" });
  const waiting =
    "SELECT FROM pg_stat_activity WHERE application_name = 'user-group-service migrate' AND datname = current_database()";
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  expect(await service.stop()).toBe(0);
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(0);
  await other.end();
});

test("`./user-groups migrate` works as a job: 0 on success, also when repeated; 1 and a sentence on failure", async ({
  roles,
}) => {
  const first = await command(["migrate"], roles);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatch(/^Applied: 20261125000000_init(?:, \d{14}_\w+)*\.\n$/);
  expect(await command(["migrate"], roles)).toEqual({ code: 0, stdout: "The database is up to date.\n", stderr: "" });
  const wrong = new URL(roles.DATABASE_OWNER_URL);
  wrong.password = "wrong";
  expect(await command(["migrate"], { ...roles, DATABASE_OWNER_URL: wrong.href })).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^PostgreSQL refused the role of DATABASE_OWNER_URL: password .*\.\n$/),
  });
});

/** Deletes the only group and erases it: the owner's history loses its content. */
async function deleteAndErase(url: string, settings: Record<string, string>) {
  const token = await createApiToken(settings, "--name", "eraser", "--preset", "full");
  const send = async (method: string, where: string, body: object) => {
    const headers = { authorization: `Token ${token}`, "content-type": "application/json" };
    const response = await fetch(url + where, { method, headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  const { text } = await send("POST", "/api/user/get-or-create", { user_group_id: "group" });
  expect((await send("DELETE", "/api/user", { user_group_id: "group" })).status).toBe(200);
  return send("POST", "/api/user-groups/purge", { team_id: JSON.parse(text).user_group.team_id });
}

test("with the runtime role alone, a migrated database is served, and every command works but for seed", {
  tag: "@release",
}, async ({ start, roles, folder }) => {
  expect((await command(["migrate"], roles)).code).toBe(0);
  const { DATABASE_OWNER_URL: owner, ...settings } = roles;
  const service = await start(settings);
  const client = clientOf(service.url, await createApiToken(settings));
  const { json } = await client.get("group", { name: "Acme" });
  expect((await client.put("group", { name: "Acme 2" })).status).toBe(200);
  expect((await client.rotate(json.user_group.token)).status).toBe(200);
  expect((await deleteAndErase(service.url, settings)).text).toBe('{"success":1}\n');
  const kept = "SELECT action, before, after FROM audit_entry WHERE action LIKE 'user_group.%' ORDER BY id";
  const history = await query<{ action: string; before: string | null; after: string | null }>(owner, kept);
  expect(history.map(({ action }) => action).slice(-2)).toEqual(["user_group.deleted", "user_group.erased"]);
  for (const { before, after } of history) expect([before, after]).toEqual([null, null]);
  await expect(query(roles.DATABASE_URL, "UPDATE audit_entry SET after = NULL")).rejects.toMatchObject({
    code: "42501",
  });
  const file = path.join(folder, "groups.csv");
  await writeFile(file, "user_group_id,name\nimported,Imported\n");
  for (const args of [
    ["api-token", "list"],
    ["member", "invite", "ada@example.com", "--role", "admin"],
    ["member", "list"],
    ["import", file, "--environment", "testing"],
    ["rekey"],
  ]) {
    const ended = await command(args, settings);
    expect(ended.code, `${args.join(" ")}: ${ended.stdout}${ended.stderr}`).toBe(0);
  }
  expect((await client.get("imported")).json.new_user_group).toBe(false);
  const seed = ["seed", "--groups", "5"];
  const refusal = expect.stringContaining("Sample groups need the role that owns the tables.");
  expect(await command(seed, settings)).toMatchObject({ code: 1, stdout: "", stderr: refusal });
  expect(await command(seed, roles)).toMatchObject({ code: 0 });
  expect(await service.stop()).toBe(0);

  await query(owner, "DELETE FROM _prisma_migrations");
  const refused = await start(settings, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toMatch(
    /^The tables of the database .* belong to the role "user_groups_owner".*Set DATABASE_OWNER_URL .*\.\/user-groups migrate.*\n$/,
  );
});

test("a role without tables or grants gets one sentence with the problem and the command to run", {
  tag: "@release",
}, async ({ start, roles }) => {
  await migrate(roles.DATABASE_OWNER_URL);
  const { DATABASE_OWNER_URL, ...settings } = roles;
  const { username } = new URL(roles.DATABASE_URL);
  await query(DATABASE_OWNER_URL, `CREATE ROLE ${username} LOGIN PASSWORD 'of-the-runtime-role'`);
  const refused = await start(settings, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toMatch(
    /^The tables of the database "\w+" belong to the role "postgres", .*Set DATABASE_OWNER_URL to the URL of "postgres".*--no-owner.*\n$/,
  );
  // With it, startup hands the tables to the owner and grants the privileges.
  expect(await (await start(roles)).stop()).toBe(0);
  expect(await (await start(settings)).stop()).toBe(0);
});

test("calls get 503 while the database lacks what the service needs", { tag: "@release" }, async ({ start, roles }) => {
  const service = await start(roles);
  const [owner, role] = [roles.DATABASE_OWNER_URL, new URL(roles.DATABASE_URL).username];
  const name = new URL(owner).pathname.slice(1);
  const elsewhere = Object.assign(new URL(owner), { pathname: "postgres" }).href;
  const client = clientOf(service.url, await createApiToken(roles));
  await client.get("kept");
  const signIn = { email: "a@example.com", password: "x".repeat(12) };
  const takes = "(actor_type, text, text, integer, text, role)";
  const damages: [code: string, damage: string, repair: string, url?: string][] = [
    [
      "42883",
      `ALTER FUNCTION require_scope${takes} RENAME TO gone`,
      `ALTER FUNCTION gone${takes} RENAME TO require_scope`,
    ],
    ["42704", "ALTER TYPE actor_type RENAME TO gone", "ALTER TYPE gone RENAME TO actor_type"],
    ["42703", "ALTER TABLE audit_entry RENAME request_id TO gone", "ALTER TABLE audit_entry RENAME gone TO request_id"],
    ["42P01", "ALTER TABLE audit_entry RENAME TO gone", "ALTER TABLE gone RENAME TO audit_entry"],
    ["42501", `REVOKE INSERT ON audit_entry FROM ${role}`, `GRANT INSERT ON audit_entry TO ${role}`],
    [
      "3D000",
      `ALTER DATABASE ${name} RENAME TO ${name}_gone`,
      `ALTER DATABASE ${name}_gone RENAME TO ${name}`,
      elsewhere,
    ],
  ];
  for (const [code, damage, repair, url = owner] of damages) {
    // New sessions have no prepared statements, and a database in use cannot be renamed.
    await expect(async () => {
      await query(
        elsewhere,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND application_name LIKE 'user-group%'`,
      );
      await query(url, damage);
    }).toPass({ timeout: 20_000, intervals: [50] });
    const created = await client.get(`new-${code}`);
    const statuses = [
      (await client.put("kept", { name: code })).status,
      (await browserOf(service.url).send("POST", "/api/auth/sign-in/email", signIn)).status,
    ];
    await query(url, repair);
    expect({ code, status: created.status }).toEqual({ code, status: 503 });
    expect(created.json.error.code).toBe("unavailable");
    expect(statuses, code).not.toContain(500);
    await expect.poll(async () => (await client.put("kept", { name: `${code} again` })).status, code).toBe(200);
  }
});

test("no serving process holds the owner's password or an owner connection", { tag: "@release" }, async ({
  start,
  roles,
}) => {
  const owner = new URL(roles.DATABASE_OWNER_URL);
  const service = await start(roles);
  const children = (await processesOf(service.pid)).slice(1);
  expect(children.length).toBeGreaterThanOrEqual(1);
  for (const pid of children) expect(await readFile(`/proc/${pid}/environ`, "utf8")).not.toContain(owner.password);
  const roleNames =
    "SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'user-group-service%' AND datname = current_database()";
  expect(await query(owner.href, roleNames)).toEqual([{ usename: new URL(roles.DATABASE_URL).username }]);
});

test("an embedded database with superuser-owned tables is handed over by the next start, even if killed midway", {
  tag: "@release",
}, async ({ start, dataDir }) => {
  const earlier = await attachAsSuperuser(dataDir);
  await migrate(earlier.url);
  // As left by a start killed before it created the roles.
  await query(earlier.url, "ALTER ROLE user_groups_runtime RENAME TO attached");
  await earlier.release();
  for (const patience of [200, 500, 800, 1_100]) {
    const killed = await start({ DATA_DIR: dataDir }, { until: "spawned" });
    await sleep(patience);
    killed.killGroup("SIGKILL");
    await killed.exited;
  }
  const service = await start({ DATA_DIR: dataDir });
  const client = clientOf(service.url, await createApiToken({ DATA_DIR: dataDir }));
  expect((await client.get("group")).json.new_user_group).toBe(true);
  const now = await attachAsSuperuser(dataDir);
  const sessions = "SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'user-group-service%'";
  expect(await query(now.url, sessions)).toEqual([{ usename: "user_groups_runtime" }]);
  const owners =
    "SELECT DISTINCT pg_get_userbyid(relowner) AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace";
  expect(await query(now.url, owners)).toEqual([{ name: "user_groups_owner" }]);
  for (const statement of [
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "DELETE FROM audit_entry",
    "SET ROLE user_groups_owner",
  ]) {
    await expect(query(now.runtimeUrl, statement)).rejects.toMatchObject({ code: "42501" });
  }
  await now.release();
});

for (const [name, meant] of [
  ["DATABASE_URI", "DATABASE_URL"],
  ["DATABSE_URL", "DATABASE_URL"],
  ["DATABASE_UR", "DATABASE_URL"],
  ["DATABASE_OWNERURL", "DATABASE_OWNER_URL"],
  ["DATABASE_POOLSIZE", "DATABASE_POOL_SIZE"],
] as const) {
  test(`${name} is refused, and ${meant} suggested`, {
    tag: name === "DATABASE_URI" ? [] : "@release",
  }, async ({ start, roles, dataDir }) => {
    const refused = await start({ DATA_DIR: dataDir, [name]: roles.DATABASE_OWNER_URL }, { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said()).toBe(
      `Invalid configuration:\n  ${name}: is not a setting of this service. Did you mean ${meant}?\n`,
    );
  });
}

test("a public https address alone starts no embedded database", { tag: "@release" }, async ({ start, dataDir }) => {
  const settings = { PUBLIC_URL: "https://groups.example.com" };
  const refused = await start(settings, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toMatch(/^Invalid configuration:\n {2}DATABASE_URL: is not set.*DATA_DIR.*\n$/);
  expect(await (await start({ ...settings, DATA_DIR: dataDir })).stop()).toBe(0);
});
