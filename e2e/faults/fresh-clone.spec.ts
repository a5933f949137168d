import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { listFiles, makeClone } from "../fixtures/checkout";
import { clientOf } from "../fixtures/client";
import {
  test as base,
  curlLine,
  expect,
  OWNER,
  OWNER_SETTINGS,
  postgresPid,
  printedToken,
  runCurlLine,
} from "../fixtures/own-service";
import { run } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";

const files = listFiles();
const HELP = ["doctor", "--help"];
const REFUSED = "The build is of another version, or has other packages. Run  npm ci && npm run build  first.\n";

/** One clone, in a folder closed to others, goes through all tests: a build takes a minute of two processors. */
const test = base.extend<object, { clone: string }>({
  clone: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const folder = await mkdtemp(path.join(tmpdir(), "user-groups-clone-"));
      const clone = path.join(folder, "clone");
      await mkdir(clone);
      await makeClone(files ?? [], clone);
      await use(clone);
      await rm(folder, { recursive: true, maxRetries: 10, retryDelay: 100 });
    },
    { scope: "worker", timeout: 60_000 },
  ],
});
test.describe.configure({ mode: "serial" });

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.skip(!files, "this is no git checkout: there is nothing to clone");
test.setTimeout(600_000);

/** The commands in a section of the README, block by block. */
async function readmeCommands(part: string): Promise<string[]> {
  const parts = (await readFile("README.md", "utf8")).split(/^## /m);
  return blocksOf(parts.find((section) => section.startsWith(`${part}\n`)) ?? "");
}

function blocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
}

test("a killed build is discarded", async ({ clone }) => {
  const killed = spawn("./user-groups", HELP, {
    cwd: clone,
    env: environmentWith({}),
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(killed, "exit");
  await once(killed.stderr, "data");
  process.kill(-(killed.pid ?? 0), "SIGKILL");
  await ended;
  expect(existsSync(path.join(clone, "dist/build.json"))).toBe(false);
  const list = await run("./user-groups", ["--help"], { cwd: clone });
  expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage"), stderr: "" });
});

test("a fresh clone builds, starts, serves, develops and stops as in the README, even in a folder closed to others", async ({
  start,
  clone,
}) => {
  const settings = { cwd: clone, patience: 400_000 };

  const [, begin = ""] = await readmeCommands("Run it");
  // Its packages are this checkout's, so npm ci is skipped.
  expect(begin).toBe("npm ci && npm start\n");
  const command = begin.trim().replace("npm ci && ", "").split(" ");
  const home = path.join(clone, "../home");
  await mkdir(home);
  const first = await start({ HOME: home }, { ...settings, command });
  await expect.poll(() => curlLine(first.said())).toBeDefined();
  expect(first.said()).toContain("Building the pages");
  // There Prisma would keep the signature by which its makers count installations.
  expect(existsSync(path.join(home, ".cache"))).toBe(false);
  const printed = { url: first.url, apiToken: printedToken(first.said()) };
  await expectCallsToWork(clone, printed);
  await expectQuickStartToWork(clone, printed);
  const answer = await runCurlLine(first);

  const arguments_ = ["api-token", "create", "--environment", "testing", "--name", "x"];
  const made = await run("./user-groups", arguments_, { cwd: clone });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^uga_test_[0-9A-Za-z]{49}\n$/) });
  const token = made.stdout.trim();
  const found = { ...answer, new_user_group: false };
  await clientOf(first.url, token).get("rotated");
  expect((await clientOf(first.url, token).get("example_1")).json).toEqual(found);

  expect(await processesIn(clone)).not.toEqual([]);
  first.killGroup("SIGTERM");
  await expectNobodyIn(clone);

  const developed = await start({}, { ...settings, command: ["npm", "run", "dev"] });
  expect((await clientOf(developed.url, token).get("example_1")).json).toEqual(found);
  expect((await fetch(developed.url)).status).toBe(200);
  expect(await getOfferingH2c(developed.url, token)).toEqual(found);
  developed.killGroup("SIGINT");
  await expectNobodyIn(clone);

  for (const script of ["start", "dev"]) {
    const supervised = await start(OWNER_SETTINGS, { ...settings, command: ["npm", "run", script] });
    expect((await clientOf(supervised.url, token).get("example_1")).json).toEqual(found);
    if (script === "start") await expectCommandsToWork(clone);
    // To npm only, as a supervisor would.
    supervised.kill("SIGTERM");
    await expectNobodyIn(clone);
  }
});

test("a build of other packages or versions is refused", async ({ clone }) => {
  const start = () => run("./user-groups", HELP, { cwd: clone });
  const help = { code: 0, stdout: expect.stringContaining("Usage"), stderr: "" };
  for (const [file, from, to] of [
    ["package.json", /"version": "[^"]+"/, '"version": "99.0.0"'],
    ["package-lock.json", /$/, " "],
  ] as const) {
    const text = await readFile(path.join(clone, file), "utf8");
    await writeFile(path.join(clone, file), text.replace(from, to));
    expect(await start()).toMatchObject({ code: 1, stdout: "", stderr: REFUSED });
    await writeFile(path.join(clone, file), text);
    expect(await start()).toMatchObject(help);
  }

  await rm(path.join(clone, "node_modules"), { recursive: true });
  expect(await start()).toMatchObject({
    code: 1,
    stderr: "The dependencies are not installed. Run  npm ci  first.\n",
  });
});

/** What the first start printed. */
interface Printed {
  url: string;
  apiToken: string;
}

/** Runs these blocks in one shell, with what the first start printed; returns the printed lines. */
async function type(clone: string, blocks: string[], { url, apiToken }: Printed): Promise<string[]> {
  const script = ["set -eu", ...blocks].join("\n");
  expect(script).toContain("USER_GROUPS_API_TOKEN=uga_test_…\nBASE=http://localhost:3000\n");
  const own = script.replace("uga_test_…", apiToken).replace("http://localhost:3000", url);
  const typed = await run("bash", ["-c", own], { cwd: clone });
  expect(typed, typed.stderr).toMatchObject({ code: 0 });
  return typed.stdout.split("\n");
}

const answersIn = (lines: string[]) => lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));

/** Runs the README's three calls and its deployment commands, in one shell as described. */
async function expectCallsToWork(clone: string, printed: Printed) {
  const blocks = [...(await readmeCommands("The three calls")), ...(await readmeCommands("Deploy it"))];
  const lines = await type(clone, blocks, printed);
  const answers = answersIn(lines);
  const example = { provided_id: "acme", name: "Acme" };
  expect(answers).toMatchObject([
    { success: 1, new_user_group: true, user_group: { ...example, properties: { filterValue: "value" } } },
    { success: 1, user_group: { ...example, properties: { filterValue: "other" } } },
    { success: 1, active: true, user_group: example },
    { success: 1, user_group: example },
  ]);
  const [created, updated, , rotated] = answers.map(({ user_group }) => user_group.token);
  expect(updated).toBe(created);
  expect(rotated).not.toBe(created);
  const doubts = lines.filter((line) => /^[!✗]/.test(line));
  expect(doubts).toEqual(["! backups         the embedded database is not backed up."]);
  expect(lines).toContainEqual(expect.stringMatching(/^✓ GET body/));
}

/** Runs the quick start from its third step on. */
async function expectQuickStartToWork(clone: string, printed: Printed) {
  const [, steps = ""] = (await readFile("docs/quick-start.md", "utf8")).split(/(?=^## 3\.)/m);
  const [created, asked, rotated] = answersIn(await type(clone, blocksOf(steps), printed));
  expect(created).toMatchObject({ success: 1, new_user_group: true, user_group: { provided_id: "acme-1" } });
  expect(asked).toMatchObject({ success: 1, active: true, user_group: { provided_id: "acme-1" } });
  expect(rotated).toMatchObject({ success: 1, user_group: { provided_id: "acme-1" } });
}

/** Runs each command of docs/commands.md, with real values for the placeholders. */
async function expectCommandsToWork(clone: string) {
  const file = path.join(clone, "groups.csv");
  await writeFile(file, "user_group_id,name\nimported,Imported\n");
  await writeFile(path.join(clone, "settings.json"), '{"definitions":{"properties":{"plan":{"type":"string"}}}}');
  const lines = blocksOf(await readFile("docs/commands.md", "utf8"))
    .join("")
    .replaceAll(/ \\\n */g, " ")
    .split("\n");
  // Backups need a folder open to PostgreSQL's account: see faults/embedded-backup. A probe needs a renderer: api/probe.
  // An agent's client ends mcp: api/mcp. The demo runs until Ctrl-C: ui/demo.
  const commands = lines.filter(
    (line) => line !== "" && !/^\.\/user-groups (backup|restore|probe|mcp|demo)/.test(line),
  );
  expect(commands.length).toBeGreaterThan(5);
  const places: [RegExp | string, string][] = [
    [/ \[(?:[^[\]]|\[[^\]]*\])*\]/g, ""],
    [/\|[a-z|]+/, ""],
    [/< FILE$/, "< <(./user-groups events)"],
    [/\bFILE\b/, file],
    [/(?<=invite )EMAIL\b/, "invited@example.com"],
    [/\bEMAIL\b/, OWNER.email],
    [/\bUSER_GROUP_ID --environment production\b/, "rotated --environment testing"],
    [/\bID\b/, "1"],
    [/\b100000\b/, "100"],
    ["https://app.example.com", "https://127.0.0.1:1"],
  ];
  for (const line of commands) {
    const typed = places.reduce((text, [place, value]) => text.replace(place, value), line);
    const env = { HISTORY_KEPT: "13 months", WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };
    const { code, stderr } = await run("bash", ["-c", typed], { cwd: clone, env });
    expect(code, `${typed}\n${stderr}`).toBe(0);
  }
}

/** The live processes that work in a folder, including the database's. */
async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
  return pids.filter((_, at) => folders[at]?.startsWith(folder));
}

async function expectNobodyIn(folder: string) {
  await expect.poll(() => processesIn(folder), { timeout: 15_000 }).toEqual([]);
  expect(await postgresPid(path.join(folder, ".data"))).toBeUndefined();
}

async function getOfferingH2c(url: string, token: string): Promise<unknown> {
  const body = '{"user_group_id":"example_1"}';
  const headers = {
    Connection: "Upgrade, HTTP2-Settings",
    Upgrade: "h2c",
    "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
    Authorization: `Token ${token}`,
    "Content-Type": "application/json",
    "Content-Length": body.length,
  };
  const sent = request(`${url}/api/user`, { method: "GET", headers, agent: false }).end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return json(answer);
}
