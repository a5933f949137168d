import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "@playwright/test";
import { Client } from "pg";
import { attachEmbedded } from "../../lib/embedded/postgres";
import { StartError } from "../../lib/errors";
import { attacher, isRunning, type Place, serverPid, serversIn, test } from "../fixtures/embedded-place";
import { query } from "../fixtures/own-service";

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.setTimeout(60_000);

test("two processes that attach to an empty folder together share one database, and the last one stops it", async ({
  place,
}) => {
  const [one, other] = await Promise.all([place.attach(), place.attach()]);
  expect(one.url).toBe(other.url);
  expect(one.location).toBe(place.data);
  const pid = await serverPid(place.data);

  await one.release();
  expect(await query(other.url, "SELECT current_database() AS name")).toEqual([{ name: "user_groups" }]);
  expect(await serverPid(place.data)).toBe(pid);

  await other.release();
  expect(await isRunning(pid)).toBe(false);
  expect(await serversIn(place.data)).toEqual([]);
});

test("eight processes attach and leave concurrently without a failure", async ({ place }) => {
  await (await place.attach()).release();
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      await sleep(index * 40);
      const attached = await place.attach();
      expect(await query(attached.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
      await attached.release();
    }),
  );
  expect(await serversIn(place.data)).toEqual([]);
});

test("a process may attach several times, and attach while the last one leaves", async ({ place }) => {
  let database = await attachEmbedded(place.folder);
  for (let round = 0; round < 3; round++) {
    const [next] = await Promise.all([attachEmbedded(place.folder), database.release()]);
    expect(await query(next.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    database = next;
  }
  await Promise.all([database.release(), database.release()]);
  expect(await serversIn(place.data)).toEqual([]);
});

test("committed data survive a kill of the attached process", async ({ place }) => {
  const killed = await place.attach();
  await query(killed.url, "CREATE TABLE kept (word text)");
  await query(killed.url, "INSERT INTO kept VALUES ($1)", ["here"]);
  const pid = await serverPid(place.data);
  await killed.kill();
  expect(await isRunning(pid)).toBe(true);

  const next = await place.attach();
  expect(await serverPid(place.data)).toBe(pid);
  expect(await query(next.url, "SELECT word FROM kept")).toEqual([{ word: "here" }]);
  await next.release();
  expect(await isRunning(pid)).toBe(false);
});

test("a killed server returns at the same URL for attached processes, with all committed data", async ({ place }) => {
  const attached = await place.attach();
  await query(attached.url, "CREATE TABLE kept (word text)");
  await query(attached.url, "INSERT INTO kept VALUES ($1)", ["here"]);
  const pid = await serverPid(place.data);
  process.kill(pid, "SIGKILL");

  await expect(async () => {
    expect(await query(attached.url, "SELECT word FROM kept")).toEqual([{ word: "here" }]);
  }).toPass({ timeout: 20_000 });
  expect(await serverPid(place.data)).not.toBe(pid);
  await attached.release();
  expect(await serversIn(place.data)).toEqual([]);
});

test("data removed under an attached process do not come back empty", async ({ place }) => {
  const attached = await place.attach();
  process.kill(await serverPid(place.data), "SIGKILL");
  await rename(place.data, join(place.folder, "moved"));
  await sleep(5_000);
  expect(await readdir(place.folder)).not.toContain("postgres");

  await rename(join(place.folder, "moved"), place.data);
  await expect(async () => {
    expect(await query(attached.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  }).toPass({ timeout: 20_000 });
  await attached.release();
  expect(await serversIn(place.data)).toEqual([]);
});

test("a server killed during a statement is replaced, though its orphan still holds the shared memory", async ({
  place,
}) => {
  const killed = await place.attach();
  const client = new Client({ connectionString: killed.url });
  client.on("error", () => undefined);
  await client.connect();
  const busy = client.query("SELECT count(*) FROM generate_series(1, 100000000000)").catch(() => undefined);
  await sleep(200);
  await killed.kill();
  process.kill(await serverPid(place.data), "SIGKILL");

  const next = await place.attach();
  expect(await query(next.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await busy;
  await next.release();
  expect(await serversIn(place.data)).toEqual([]);
});

for (const [what, pidOf] of [
  ["a dead process", async () => 2 ** 22 - 7],
  ["another program", (place: Place) => place.bystander()],
] as const) {
  test(`a postmaster.pid that names ${what} is cleared`, async ({ place }) => {
    await (await place.attach()).release();
    const pid = await pidOf(place);
    await writeFile(
      join(place.data, "postmaster.pid"),
      `${pid}\n${place.data}\n1700000000\n21000\n\n127.0.0.1\n1 1\nready\n`,
    );

    const next = await place.attach();
    expect(await query(next.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(await serverPid(place.data)).not.toBe(pid);
    await next.release();
    if (what === "another program") expect(await isRunning(pid)).toBe(true);
  });
}

test("an empty postmaster.pid is cleared", async ({ place }) => {
  await (await place.attach()).release();
  await writeFile(join(place.data, "postmaster.pid"), "");
  await (await place.attach()).release();
});

test("a frozen server is replaced within 30 seconds", async ({ place }) => {
  await (await place.attach()).kill();
  const pid = await serverPid(place.data);
  process.kill(pid, "SIGSTOP");
  const start = Date.now();

  const next = await place.attach();
  expect(Date.now() - start).toBeLessThan(30_000);
  expect(await isRunning(pid)).toBe(false);
  expect(await query(next.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await next.release();
});

test("a lost password is replaced, and the data are kept", async ({ place }) => {
  const killed = await place.attach();
  await query(killed.url, "CREATE TABLE kept (word text)");
  await killed.kill();
  await rm(join(place.folder, "postgres-password"));

  const next = await place.attach();
  expect(next.url).not.toBe(killed.url);
  expect(await query(next.url, "SELECT word FROM kept")).toEqual([]);
  await next.release();
});

test("an interrupted initdb leaves nothing behind", async ({ place }) => {
  const child = spawn(process.execPath, [await attacher(), place.folder], { stdio: ["pipe", "ignore", "ignore"] });
  await expect
    .poll(async () => (await readdir(place.folder)).some((name) => name.startsWith("postgres.new-")), {
      intervals: [5],
    })
    .toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await readdir(place.folder)).not.toContain("postgres");

  const next = await place.attach();
  await next.release();
  expect((await readdir(place.folder)).filter((name) => name.startsWith("postgres.new-"))).toEqual([]);
});

test("a lock held by a killed process is taken over", async ({ place }) => {
  await (await place.attach()).release();
  const turn = (await readdir(place.folder)).find((name) => name.startsWith(".turn-")) ?? "";
  // Its pid is in use again by a process that started later.
  await writeFile(join(place.folder, turn), `${await place.bystander()} 1 no-such-boot`);
  const start = Date.now();
  await (await place.attach()).release();
  expect(Date.now() - start).toBeLessThan(10_000);
});

test("an occupied port is not needed", async ({ place }) => {
  const first = await place.attach();
  await first.release();
  const { port } = new URL(first.url);
  const squatter = spawn(process.execPath, [
    "-e",
    `require("net").createServer().listen(${port}, "127.0.0.1", () => console.log())`,
  ]);
  await once(squatter.stdout, "data");
  try {
    const next = await place.attach();
    expect(new URL(next.url).port).not.toBe(port);
    await next.release();
  } finally {
    squatter.kill();
  }
});

test("data of another major version are refused with advice and left alone", async ({ place }) => {
  await (await place.attach()).release();
  await writeFile(join(place.data, "PG_VERSION"), "17\n");
  const refused = attachEmbedded(place.folder);
  await expect(refused).rejects.toBeInstanceOf(StartError);
  await expect(refused).rejects.toThrow(/is PostgreSQL 17 data, and this release includes PostgreSQL 18.*DATABASE_URL/);
  expect(await readFile(join(place.data, "PG_VERSION"), "utf8")).toBe("17\n");
});

test("a folder with the right name but no database is refused and left alone", async ({ place }) => {
  await mkdir(place.data);
  await writeFile(join(place.data, "letter.txt"), "dear all");
  const refused = attachEmbedded(place.folder);
  await expect(refused).rejects.toBeInstanceOf(StartError);
  await expect(refused).rejects.toThrow(/that are not PostgreSQL data. Move them away/);
  expect((await readdir(place.folder)).filter((name) => name.startsWith("postgres"))).toEqual(["postgres"]);
  expect((await stat(place.data)).uid).toBe(process.getuid?.());
  expect(await readFile(join(place.data, "letter.txt"), "utf8")).toBe("dear all");
});

test("a copied folder serves the copied data", async ({ place }) => {
  const first = await place.attach();
  await query(first.url, "CREATE TABLE kept (word text)");
  await first.release();
  // Copied by root, so that root owns everything.
  await cp(place.data, join(place.folder, "copy"), { recursive: true });
  await rm(place.data, { recursive: true });
  await rename(join(place.folder, "copy"), place.data);

  const next = await place.attach();
  expect(await query(next.url, "SELECT word FROM kept")).toEqual([]);
  await next.release();
});
