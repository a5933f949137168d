import { execFile } from "node:child_process";
import { chown, readFile, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findAccount } from "../../lib/db/embedded-process";
import { hostsOf, primaryUrl } from "../../lib/db/hosts";
import { closePool, openPool, sharedPool } from "../../lib/db/pool";
import { expectError } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { test as base, promote } from "../fixtures/failover";
import { printTable } from "../fixtures/long";
import { type OwnPostgres, signal } from "../fixtures/own-postgres";
import { expect, query } from "../fixtures/own-service";
import { command, createApiToken, run } from "../fixtures/run";
import { freePort } from "../fixtures/service-process";

// One service, and a PostgreSQL with its streaming standby, both named in its DATABASE_URL.

const SECRET_KEY = "7".repeat(64);

const test = base.extend<{ settings: { DATABASE_URL: string; SECRET_KEY: string } }>({
  // The standby comes first.
  settings: ({ pair: { primary, standby } }, use) => use({ DATABASE_URL: listOf(standby, primary), SECRET_KEY }),
});

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.afterAll(() => printTable(["Fault", "Failed", "Slowest, ms", "Changes again after, ms"], measured));

const measured: (string | number)[][] = [];

function listOf(...servers: OwnPostgres[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  return `postgresql://postgres@${hosts.join(",")}/postgres?target_session_attrs=read-write`;
}

/** Which servers have sessions of the service. */
async function whereServed(...servers: OwnPostgres[]): Promise<number[]> {
  const sessions = "SELECT FROM pg_stat_activity WHERE application_name ~ '^user-group-service [0-9]'";
  const counts = await Promise.all(servers.map(async ({ url }) => (await query(url, sessions)).length));
  return servers.filter((_, at) => counts[at]).map(({ port }) => port);
}

/** Changes groups in four lanes without pause while something happens, until changes have worked for a second. */
async function changeWhile(fault: string, client: Client, work: () => Promise<unknown>) {
  for (let lane = 0; lane < 4; lane++) await client.get(`lane-${lane}`);
  const failures: { status: number; at: number }[] = [];
  let slowest = 0;
  let done = 0;
  const load = keepDoing(4, async (lane, count) => {
    const begin = performance.now();
    const { status } = await client.put(`lane-${lane}`, { name: `Name ${count}` });
    slowest = Math.max(slowest, performance.now() - begin);
    if (status === 200) done = performance.now();
    else failures.push({ status, at: performance.now() });
    await sleep(5);
  });
  await sleep(300);
  await work();
  const over = performance.now();
  const calm = () => performance.now() - Math.max(over, ...failures.map(({ at }) => at)) > 1_000 && done > over;
  await expect.poll(calm).toBe(true);
  await load.stop();
  const recovered = Math.max(0, ...failures.map(({ at }) => at - over));
  measured.push([fault, failures.length, Math.round(slowest), Math.round(recovered)]);
  expect(failures.filter(({ status }) => status !== 503)).toEqual([]);
  expect(slowest).toBeLessThan(3_000);
  expect(recovered).toBeLessThan(5_000);
}

test("a start finds the primary behind a standby, and changes move to the promoted standby without a restart", async ({
  start,
  pair: { primary, standby },
  settings,
}) => {
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken({ ...settings, DATABASE_URL: primary.url }));
  const { json } = await client.get("kept", { name: "Kept" });
  expect(json.new_user_group).toBe(true);
  expect(await whereServed(primary, standby)).toEqual([primary.port]);

  await changeWhile("primary stopped, standby promoted", client, async () => {
    // In good order: it ends once the standby has everything.
    await primary.stop();
    await promote(standby);
  });
  expect((await client.get("kept")).json.user_group).toEqual(json.user_group);
  expect(await whereServed(standby)).toEqual([standby.port]);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test("changes move on from a primary that is killed, and from one that freezes", async ({
  start,
  pair: { primary, standby },
  settings,
}) => {
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken({ ...settings, DATABASE_URL: primary.url }));
  await changeWhile("primary killed -9 and started again", client, async () => {
    await primary.kill();
    await primary.start();
  });
  expect(await whereServed(primary)).toEqual([primary.port]);

  // Its sockets stay open, and nothing arrives on them.
  await changeWhile("primary frozen, standby promoted", client, async () => {
    for (const pid of await primary.processes()) signal(pid, "SIGSTOP");
    await promote(standby);
  });
  expect(await whereServed(standby)).toEqual([standby.port]);
  expect((await client.get("lane-0")).status).toBe(200);

  // It wakes as a primary of the old timeline, and gets no session of ours back.
  for (const pid of await primary.processes()) signal(pid, "SIGCONT");
  await expect.poll(() => whereServed(primary, standby)).toEqual([standby.port]);
});

test("of two primaries the one with the higher timeline serves, and the other never again", async ({
  start,
  pair: { primary, standby },
  settings,
}) => {
  const setUp = await start(settings);
  const token = await insertApiToken({ ...settings, DATABASE_URL: primary.url });
  await setUp.stop();
  await primary.stop();
  await promote(standby);
  await primary.start();

  const service = await start({ ...settings, DATABASE_URL: listOf(primary, standby) });
  const client = clientOf(service.url, token);
  expect((await client.get("on-two", { name: "On timeline 2" })).status).toBe(200);
  expect(await query(standby.url, "SELECT FROM user_group WHERE provided_id = 'on-two'")).toHaveLength(1);
  await expect.poll(() => whereServed(primary, standby)).toEqual([standby.port]);
  // Each broken connection makes the service choose again.
  await query(
    standby.url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'user-%'",
  );
  await expect.poll(async () => (await client.get("on-two")).json.new_user_group).toBe(false);
  expect(await whereServed(primary, standby)).toEqual([standby.port]);

  // The former primary is no way out, even when it is the only one.
  await standby.stop();
  await expect.poll(async () => (await client.get("on-two")).status).toBe(503);
  await sleep(1_000);
  const answer = await client.get("on-two");
  expectError(answer, 503, "unavailable");
  expect(await whereServed(primary)).toEqual([]);
  await standby.start();
  await expect.poll(async () => (await client.get("on-two")).json.new_user_group).toBe(false);
});

test("while all hosts are down calls are 503 within 2 s, and then work again", async ({
  start,
  pair: { primary, standby },
  settings,
}) => {
  await standby.stop();
  await primary.stop();
  const service = await start(settings, { until: "alive" });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  await standby.start();
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).text()).toContain("The database is a standby.");
  await primary.start();
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);

  const client = clientOf(service.url, await insertApiToken({ ...settings, DATABASE_URL: primary.url }));
  await changeWhile("both killed -9 for 3 s", client, async () => {
    await Promise.all([primary.kill(), standby.kill()]);
    for (const end = performance.now() + 3_000; performance.now() < end; await sleep(100)) {
      const begin = performance.now();
      expectError(await client.get("lane-0"), 503, "unavailable");
      expect(performance.now() - begin).toBeLessThan(2_000);
    }
    await Promise.all([primary.start(), standby.start()]);
  });
});

test("the commands find the primary too, and the owner's URL has several hosts as well", async ({
  start,
  pair: { primary, standby },
  settings,
}) => {
  const list = listOf(standby, primary);
  const roles = {
    ...settings,
    DATABASE_URL: list.replace("postgres@", "groups_runtime:pass,word@"),
    DATABASE_OWNER_URL: list,
  };
  expect(await command(["migrate"], roles)).toMatchObject({ code: 0, stdout: expect.stringContaining("Applied: ") });
  expect(await command(["migrate"], roles)).toMatchObject({ code: 0, stdout: "The database is up to date.\n" });
  const token = await createApiToken(roles);
  const service = await start(roles);
  expect((await clientOf(service.url, token).get("there")).json.new_user_group).toBe(true);
  const doctor = await run(process.execPath, ["run.mjs", "doctor", service.url], { env: { DOCTOR_TOKEN: token } });
  expect(doctor, doctor.stdout).toMatchObject({ code: 0 });
  expect(await command(["rekey"], roles)).toMatchObject({ code: 0, stderr: "" });
  expect(await command(["seed", "--groups", "10"], roles)).toMatchObject({ code: 0 });

  await primary.stop();
  const waiting = await command(["api-token", "list"], roles);
  expect(waiting).toMatchObject({ code: 1, stderr: expect.stringContaining("the database is a standby") });
  expect(waiting.stderr).toContain(`127.0.0.1:${primary.port}`);
  expect(waiting.stderr).not.toContain("pass,word");
  await promote(standby);
  expect(await command(["api-token", "list"], roles)).toMatchObject({ code: 0 });
});

test("a wrong list of hosts is refused by name, without its password", async ({ folder: _ }) => {
  const lists = {
    "one,two/db?target_session_attrs=any": "target_session_attrs must be read-write",
    "one,two/db?load_balance_hosts=random": "load_balance_hosts must be disable",
    "one,two/db?port=5432,5433": "port takes one value",
    "one,,two/db": "host 2 of 3 is empty",
    "one,two/db?pgbouncer=true": "pgbouncer takes one host",
  };
  for (const [list, message] of Object.entries(lists)) {
    for (const name of ["DATABASE_URL", "DATABASE_OWNER_URL"]) {
      const url = `postgresql://user:secret-word@${list}`;
      const { code, stderr } = await command(["migrate"], { DATABASE_URL: "postgresql://one/db", [name]: url });
      const told = name === "DATABASE_URL" || !list.includes("pgbouncer") ? message : "must point to PostgreSQL itself";
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${name}: ${told}`) });
      expect(stderr).not.toContain("secret-word");
    }
  }
});

test("TLS verifies the name of the host that a connection leads to", async ({ folder, pair: { primary, standby } }) => {
  const ofPrimary = await useCertificate(folder, primary, "DNS:localhost");
  const ofStandby = await useCertificate(folder, standby, "IP:127.0.0.1");
  const authorities = path.join(folder, "authorities.pem");
  await writeFile(authorities, ofPrimary + ofStandby);
  const encrypted = (hosts: string) =>
    `postgresql://postgres@${hosts}/postgres?sslmode=verify-full&sslrootcert=${authorities}`;
  const place = "SELECT inet_server_port() AS port, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
  const ask = async () => (await sharedPool().query(place)).rows;

  openPool(encrypted(`localhost:${standby.port},127.0.0.1:${primary.port}`), 1);
  const refusal = await ask().catch((error: Error) => error.message);
  expect(refusal).toContain(`localhost:${standby.port}: `);
  expect(refusal).toMatch(/127\.0\.0\.1:\d+: Hostname\/IP does not match certificate's altnames/);
  await closePool();

  openPool(encrypted(`127.0.0.1:${standby.port},localhost:${primary.port}`), 1);
  expect(await ask()).toEqual([{ port: primary.port, ssl: true }]);
  await primary.stop();
  await promote(standby);
  await expect.poll(() => ask().catch(() => undefined)).toEqual([{ port: standby.port, ssl: true }]);
  await closePool();
});

/** Gives a server a certificate for a name of this machine, signed by itself, and returns it. */
async function useCertificate(folder: string, { url, port }: OwnPostgres, name: string): Promise<string> {
  const [certificate, key] = ["crt", "key"].map((kind) => path.join(folder, `${port}.${kind}`)) as [string, string];
  const form = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "90"];
  const subject = ["-subj", "/CN=test", "-addext", `subjectAltName=${name}`];
  await promisify(execFile)("openssl", ["req", ...form, ...subject, "-keyout", key, "-out", certificate]);
  const account = process.getuid?.() === 0 ? await findAccount("postgres") : undefined;
  for (const file of [certificate, key]) if (account) await chown(file, account.uid, account.gid);
  for (const setting of [`ssl_cert_file = '${certificate}'`, `ssl_key_file = '${key}'`, "ssl = on"]) {
    await query(url, `ALTER SYSTEM SET ${setting}`);
  }
  await query(url, "SELECT pg_reload_conf()");
  await expect.poll(async () => (await query(url, "SHOW ssl"))[0]?.ssl).toBe("on");
  return readFile(certificate, "utf8");
}

test("a host that refuses the login is not the word of all hosts", async ({
  pair: { primary, standby },
  settings: { DATABASE_URL },
}) => {
  const refuse = async ({ url }: OwnPostgres) => {
    const [{ file } = { file: "" }] = await query<{ file: string }>(url, "SELECT current_setting('hba_file') AS file");
    await writeFile(file, "local all all trust\n");
    await query(url, "SELECT pg_reload_conf()");
  };
  await refuse(primary);
  const failure = () =>
    primaryUrl(DATABASE_URL, 2_000).then(
      () => undefined,
      ({ name, code }) => ({ name, code }),
    );
  await expect.poll(failure).toEqual({ name: "StandbyError", code: "25006" });
  await refuse(standby);
  await expect.poll(failure).toEqual({ name: "error", code: "28000" });
});

test("each attempt of a start looks for the primary again", async ({ pair: { primary, standby }, settings }) => {
  const find = () => primaryUrl(settings.DATABASE_URL, 5_000);
  expect(await find()).toContain(`:${primary.port}/`);
  await primary.kill();
  await expect(find()).rejects.toMatchObject({ name: "StandbyError" });
  await promote(standby);
  await expect.poll(() => find().catch(() => "")).toContain(`:${standby.port}/`);
});

test("one host costs one connection, and no search", async ({ pair: { primary } }) => {
  let connections = 0;
  const way = createServer((socket) => {
    connections++;
    const upstream = connect(primary.port, "127.0.0.1");
    socket.on("error", () => undefined).pipe(upstream);
    upstream.on("error", () => undefined).pipe(socket);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => way.listen(port, "127.0.0.1", resolve));
  const url = primary.url.replace(String(primary.port), String(port));
  expect(hostsOf(url)).toBeUndefined();
  openPool(url, 1);
  for (let n = 0; n < 3; n++) await sharedPool().query("SELECT");
  expect(connections).toBe(1);
  await closePool();
  way.close();
});
