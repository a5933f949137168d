import { once } from "node:events";
import { chown, copyFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "undici";
import { findAccount } from "@/lib/embedded/process";
import { pagesOf } from "../fixtures/children";
import { clientOf } from "../fixtures/client";
import { makePostgres } from "../fixtures/own-postgres";
import {
  curlLine,
  expect,
  isPostgres,
  postgresPid,
  printedToken,
  query,
  runCurlLine,
  test,
} from "../fixtures/own-service";
import { makeCertificate } from "../fixtures/receiver";
import { createApiToken } from "../fixtures/run";
import { freePort } from "../fixtures/service-process";
import { beginGet } from "../fixtures/slow-request";

const API_TOKEN = "a-token-of-ones-own-0123456789-provisioned";

test.skip(process.platform !== "linux", "needs Linux: reads /proc");

test("the first start prints a working curl line; the second is silent and has the group", async ({
  start,
  dataDir,
}) => {
  const first = await start({ DATA_DIR: dataDir });
  const answer = await runCurlLine(first);
  expect(first.said()).toContain(`User group service running at ${first.url}`);
  expect(await first.stop()).toBe(0);

  const second = await start({ DATA_DIR: dataDir });
  await expect.poll(() => second.said()).toContain("./user-groups api-token");
  expect(second.said()).not.toContain("uga_");
  const { json } = await clientOf(second.url, printedToken(first.said())).get("example_1");
  expect(json).toEqual({ ...answer, new_user_group: false });
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  test(`after ${signal} the service is not ready, and all processes stop`, {
    tag: signal === "SIGTERM" ? [] : "@release",
  }, async ({ start, dataDir }) => {
    const service = await start({ DATA_DIR: dataDir });
    const pid = (await postgresPid(dataDir)) ?? 0;
    expect(await isPostgres(pid)).toBe(true);
    const connection = new Client(service.url);
    const readiness = async () => (await connection.request({ method: "GET", path: "/readyz" })).body.text();
    expect(await readiness()).toContain("ready");
    service.kill(signal);
    await expect.poll(readiness, { intervals: [10] }).toContain("The service is stopping.");
    await connection.close();
    expect(await service.exited).toBe(0);
    expect(await isPostgres(pid)).toBe(false);
    expect(await postgresPid(dataDir)).toBeUndefined();
  });
}

test("Ctrl-C under npm start, which signals both npm and the service, finishes open requests and stops everything", {
  tag: "@release",
}, async ({ start, dataDir }) => {
  const service = await start({ DATA_DIR: dataDir }, { command: ["npm", "start"] });
  const pid = (await postgresPid(dataDir)) ?? 0;
  await expect.poll(() => curlLine(service.said())).toBeDefined();
  const underWay = await beginGet(service.url, printedToken(service.said()), "slow");
  service.killGroup("SIGINT");
  await sleep(100);
  // npm forwards it, and with some shells the service gets it twice.
  service.killGroup("SIGINT");
  await sleep(400);
  expect(await underWay.finish()).toMatchObject({ status: 200, json: { new_user_group: true } });
  await service.exited;
  expect(await isPostgres(pid)).toBe(false);
});

test("a second SIGTERM stops without draining", { tag: "@release" }, async ({ start, dataDir }) => {
  const service = await start({ DATA_DIR: dataDir });
  const pid = (await postgresPid(dataDir)) ?? 0;
  await expect.poll(() => curlLine(service.said())).toBeDefined();
  await beginGet(service.url, printedToken(service.said()), "endless");
  service.kill("SIGTERM");
  await sleep(1_500);
  const begin = performance.now();
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  expect(performance.now() - begin).toBeLessThan(5_000);
  expect(await isPostgres(pid)).toBe(false);
});

test("stopping during the first start leaves nothing running, and the next start is like a first one", {
  tag: "@release",
}, async ({ start, dataDir }) => {
  const interrupted = await start({ DATA_DIR: dataDir }, { until: "spawned" });
  await expect.poll(() => postgresPid(dataDir), { intervals: [5], timeout: 30_000 }).toBeDefined();
  const pid = (await postgresPid(dataDir)) ?? 0;
  expect(await interrupted.stop()).toBe(0);
  expect(await isPostgres(pid)).toBe(false);
  expect(interrupted.said()).not.toContain("uga_");

  const service = await start({ DATA_DIR: dataDir });
  await expect.poll(() => curlLine(service.said())).toBeDefined();
});

test("a taken port is reported in one clear line, and the next start still prints the first token", {
  tag: "@release",
}, async ({ start, dataDir }) => {
  const port = await freePort();
  const squatter = createServer().listen(port, "127.0.0.1");
  await once(squatter, "listening");
  const refused = await start({ DATA_DIR: dataDir, PORT: String(port) }, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toBe(
    `Port ${port} on 127.0.0.1 is in use, perhaps by another instance: stop what uses it, or set PORT to a free one.\n`,
  );
  expect(await postgresPid(dataDir)).toBeUndefined();

  squatter.close();
  const service = await start({ DATA_DIR: dataDir, PORT: String(port) });
  await expect.poll(() => curlLine(service.said())).toBeDefined();
});

test("an unusable TMPDIR is reported in one clear line", async ({ start, dataDir }) => {
  const refused = await start({ DATA_DIR: dataDir, TMPDIR: path.join(dataDir, "none") }, { until: "spawned" });
  expect(await refused.exited).toBe(1);
  expect(refused.said()).toMatch(/^Cannot write to \/.*\/none\. Make it writable for this user\.\n$/);
});

test("API tokens can be created whether or not the service is running", { tag: "@release" }, async ({
  start,
  dataDir,
}) => {
  const settings = { DATA_DIR: dataDir };
  const before = await createApiToken(settings);
  expect(await postgresPid(dataDir)).toBeUndefined();
  const service = await start(settings);
  const during = await createApiToken(settings);
  const { json: made } = await clientOf(service.url, before).get("group");
  expect((await clientOf(service.url, during).get("group")).json).toEqual({ ...made, new_user_group: false });
  await service.stop();

  const after = await createApiToken(settings, "--preset", "read-only");
  const again = await start(settings);
  expect((await clientOf(again.url, after).get("group")).json.user_group).toEqual(made.user_group);
  expect((await clientOf(again.url, after).rotate(made.user_group.token)).status).toBe(403);
});

test("a database that cannot be used as configured is refused in one line", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { SECRET_KEY: "0".repeat(64) };
  const wrongPassword = new URL(await createDatabase());
  wrongPassword.password = "not-the-password";
  const missing = new URL(wrongPassword);
  missing.pathname = "no_such_database";
  missing.password = new URL(await createDatabase()).password;
  for (const [url, reason] of [
    [wrongPassword, 'password authentication failed for user "postgres"'],
    [missing, 'database "no_such_database" does not exist'],
  ] as const) {
    const refused = await start({ ...settings, DATABASE_URL: url.href }, { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said()).toBe(`Cannot use DATABASE_URL: ${reason}.\n`);
  }
});

test("contradictory PgBouncer settings, and a list of hosts, are refused in one line", { tag: "@release" }, async ({
  start,
}) => {
  const [url, direct] = ["postgresql://user@localhost:6432/groups", "postgresql://user@localhost:5432/groups"];
  const severalHosts =
    "lists several hosts: name one address instead, of HAProxy, PgBouncer or your cluster's service \\(docs/high-availability.md\\)";
  for (const [settings, reason] of [
    [
      { DATABASE_URL: `${url}?pgbouncer=1`, DATABASE_OWNER_URL: direct },
      /DATABASE_URL: pgbouncer must be true or omitted/,
    ],
    [{ DATABASE_URL: `${url}?pgbouncer=true` }, /DATABASE_OWNER_URL: is not set: pgbouncer=true requires it/],
    [{ DATABASE_OWNER_URL: direct }, /DATABASE_URL: is not set: DATABASE_OWNER_URL only migrates/],
    [{ DATABASE_URL: url, DATABASE_DIRECT_URL: direct }, /DATABASE_DIRECT_URL: is now DATABASE_OWNER_URL: rename it/],
    [
      { DATABASE_URL: url, DATABASE_OWNER_URL: `${direct}?pgbouncer=true` },
      /DATABASE_OWNER_URL: must point to PostgreSQL itself/,
    ],
    [{ DATABASE_URL: "postgresql://user:word@one:5432,two:5432/groups" }, new RegExp(`DATABASE_URL: ${severalHosts}`)],
    [
      { DATABASE_URL: url, DATABASE_OWNER_URL: "postgresql://user:word@one,two/groups" },
      new RegExp(`DATABASE_OWNER_URL: ${severalHosts}`),
    ],
  ] as const) {
    const refused = await start({ SECRET_KEY: "0".repeat(64), ...settings }, { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said()).toMatch(new RegExp(`^Invalid configuration:\n  ${reason.source}.*\n$`));
  }
});

test("one env file serves 0.9.0 and this release: both names of the direct URL, and settings without effect", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const url = await createDatabase();
  const former = { DATABASE_DIRECT_URL: url, WORKERS: "4", RATE_LIMIT_CREATIONS: "30000" };
  const service = await start({ DATABASE_URL: url, DATABASE_OWNER_URL: url, SECRET_KEY: "0".repeat(64), ...former });
  const warnings = (await readFile(service.log, "utf8")).match(/^.*have no effect.*$/gm) ?? [];
  expect(warnings.map((line) => JSON.parse(line).settings)).toEqual([["WORKERS", "RATE_LIMIT_CREATIONS"]]);
  const [pages] = await pagesOf(service.pid);
  const variables = (await readFile(`/proc/${pages}/environ`, "utf8")).split("\0");
  expect(variables.filter((line) => line.startsWith("DATABASE_DIRECT_URL="))).toEqual(["DATABASE_DIRECT_URL="]);
});

test("sslmode=verify-full refuses a server with another name, encrypts sessions, and answers 503 without trust", {
  tag: "@release",
}, async ({ start, folder }) => {
  // Its certificate covers 127.0.0.1 and localhost.
  const certificate = await makeCertificate(folder);
  const account = process.getuid?.() === 0 ? await findAccount("postgres") : undefined;
  const [shown, key] = [path.join(folder, "postgres.crt"), path.join(folder, "postgres.key")];
  await copyFile(certificate.file, shown);
  await writeFile(key, certificate.key, { mode: 0o600 });
  if (account) for (const file of [shown, key]) await chown(file, account.uid, account.gid);
  const ssl = { ssl: "on", ssl_cert_file: shown, ssl_key_file: key };
  const settings = { listen_addresses: "127.0.0.1,127.0.0.2", ...ssl };
  const server = await makePostgres(path.join(folder, "postgres"), { settings });
  const at = (host: string) => ({
    SECRET_KEY: "0".repeat(64),
    DATABASE_URL: `postgresql://postgres@${host}:${server.port}/postgres?sslmode=verify-full&sslrootcert=${certificate.file}`,
  });
  try {
    const refused = await start(at("127.0.0.2"), { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said()).toMatch(/^Cannot use DATABASE_URL: Hostname\/IP does not match certificate's altnames/);
    const service = await start({ ...at("localhost"), API_TOKEN });
    const encrypted = `SELECT bool_and(ssl) AS all, count(*) > 1 AS several FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE application_name LIKE 'user-group-service%'`;
    expect(await query(server.url, encrypted)).toEqual([{ all: true, several: true }]);

    const another = await makeCertificate(await mkdtemp(path.join(folder, "another-")));
    await copyFile(another.file, shown);
    await writeFile(key, another.key);
    await query(server.url, "SELECT pg_reload_conf()");
    const client = clientOf(service.url, API_TOKEN);
    await expect(async () => {
      await query(
        server.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
        AND application_name LIKE 'user-group-service%'`,
      );
      expect((await client.get("untrusted")).status).toBe(503);
    }).toPass();
  } finally {
    await server.stop();
  }
});

test("a database with another encoding is refused in one line", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const url = new URL(await createDatabase());
  const name = `${url.pathname.slice(1)}_latin1`;
  await query(url.href, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  url.pathname = name;
  try {
    const refused = await start({ SECRET_KEY: "0".repeat(64), DATABASE_URL: url.href }, { until: "spawned" });
    expect(await refused.exited).toBe(1);
    expect(refused.said().trim().split("\n")).toEqual([expect.stringContaining("LATIN1")]);
  } finally {
    url.pathname = "postgres";
    await query(url.href, `DROP DATABASE ${name}`);
  }
});
