import { readFile, writeFile } from "node:fs/promises";
import { Pool, request } from "undici";
import { expect, SECRET_KEY, test } from "../fixtures/own-service";

const CONNECTIONS = 256;
const SOME = 6_000;
/** The last block holds fewer lines, and some answers were on their way. */
const LAST_LINES = 300;
/** Requests whose lines fill both processes' buffers, 1 MiB each, more than three times. */
const MANY = 40_000;
const LOST = expect.objectContaining({ msg: expect.stringContaining("were dropped") });

interface Line {
  path?: string;
  msg?: string;
  /** how many were dropped */
  lines?: number;
}

/** Requests /healthz repeatedly, expecting 200 each time. */
async function askOften(url: string, times: number) {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const statuses = new Set<number>();
  let left = times;
  const ask = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ method: "GET", path: "/healthz" });
      await body.dump();
      statuses.add(statusCode);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  await pool.close();
  expect([...statuses]).toEqual([200]);
}

test("a service killed under load has logged the requests it answered", async ({ start, createDatabase }) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  await askOften(service.url, SOME);
  service.kill("SIGKILL");
  await service.exited;
  const logged = (await readFile(service.log, "utf8")).split('"path":"/healthz"').length - 1;
  expect(logged).toBeGreaterThan(SOME - LAST_LINES);
});

for (const [what, redirection] of [
  ["log reader ends", "> >(exec true)"],
  ["log reader stops reading", "> >(exec sleep 60 2>/dev/null)"],
  ["terminal's reader ends", "2> >(exec true)"],
]) {
  test(`the service keeps running, and stops on SIGTERM, when its ${what}`, async ({ start, createDatabase }) => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
    const service = await start(settings, { command: ["bash", "-c", `exec ./user-groups start ${redirection}`] });
    await askOften(service.url, SOME);
    expect(await service.stop()).toBe(0);
  });
}

test("with a slow log reader, lines stay whole and the log counts lost ones", async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const file = test.info().outputPath("log");
  const command = [
    "bash",
    "-c",
    `exec ./user-groups start > >(until [ -e ${file} ]; do sleep 0.1; done; cat > ${file})`,
  ];
  const service = await start(settings, { command });
  await askOften(service.url, MANY);
  await writeFile(file, "");
  const lines = async () => {
    const text = await readFile(file, "utf8");
    return text
      .split("\n")
      .slice(0, -1)
      .map((line): Line => JSON.parse(line));
  };
  await expect.poll(() => lines().catch(() => []), { timeout: 30_000 }).toContainEqual(LOST);
  expect(await service.stop()).toBe(0);
  const lost = async () => (await lines()).reduce((sum, line) => sum + (line.lines ?? 0), 0);
  const logged = async () => (await lines()).filter(({ path }) => path === "/healthz").length;
  expect(await lost()).toBeGreaterThan(LAST_LINES);
  // The last process's output is still being read.
  await expect.poll(async () => (await logged()) + (await lost())).toBeGreaterThanOrEqual(MANY);
  expect((await logged()) + (await lost())).toBeLessThan(MANY + LAST_LINES);
});

test("however a token is spelled in a path, the log does not contain it", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const secret = "4TqZ0mWc9xLrB7nYvK2sGdHj8PfUe3AaXi1Co6VtNwMbQkRyE";
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  const percent = (text: string) => text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  const paths = [
    `/%75ga_test_${secret}`,
    `/UGA_TEST_${secret}`,
    `/%2575ga_test_${secret}`,
    `/sign-in/ugt_${secret}`,
    `/api/%75gt%5f${secret}`,
    `/${secret}`,
    `/${percent(`ugl_${secret}`)}`,
    `/${percent(percent(`ugt_${secret}`))}`,
    `/${"long/".repeat(32)}${secret}`,
    `/an-ordinary-page?next=${secret}`,
  ];
  for (const path of paths) await request(service.url + path);
  expect(await service.stop()).toBe(0);
  const said = await readFile(service.log, "utf8");
  expect(said).toContain("/an-ordinary-page");
  for (let at = 0; at + 12 <= secret.length; at++) {
    for (const spelt of [secret.slice(at, at + 12), percent(secret.slice(at, at + 12))]) {
      expect(said).not.toContain(spelt);
      expect(said).not.toContain(percent(spelt));
    }
  }
});
