import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { listFiles, makeClone } from "../fixtures/checkout";
import { expect, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";

// Only what every command is built from: the pages take too long to build so often.
const HELP = ["run.mjs", "doctor", "--help"];

test.beforeEach(async ({ folder }) => {
  const files = listFiles();
  test.skip(files === undefined, "there is no git to say which files are the checkout's");
  await makeClone(files ?? [], path.join(folder, "clone"));
});

const start = (folder: string) => run(process.execPath, HELP, { cwd: path.join(folder, "clone") });

async function expectSound(folder: string) {
  const { code, stdout, stderr } = await start(folder);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining("Usage") });
}

test("N10: two starts at once build one after the other, and both run", async ({ folder }) => {
  const both = await Promise.all([start(folder), start(folder)]);
  for (const { code, stdout, stderr } of both)
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining("Usage") });
  const said = both.map(({ stderr }) => stderr).join("");
  expect(said.match(/Building the database client/g)).toHaveLength(1);
  expect(said).toContain("Another start is building here");
});

test("N10: a start that is killed while it builds holds up nobody, and the next one builds all of it", async ({
  folder,
}) => {
  const clone = path.join(folder, "clone");
  const child = spawn(process.execPath, HELP, {
    cwd: clone,
    env: environmentWith({}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  await once(child.stderr, "data");
  child.kill("SIGKILL");
  await ended;
  expect(existsSync(path.join(clone, "node_modules/.cache/build.lock"))).toBe(true);
  await expectSound(folder);
  expect(existsSync(path.join(clone, "node_modules/.cache/build.lock"))).toBe(false);
});

test("N10: what is missing of a build, or cut short, is built again", async ({ folder }) => {
  await expectSound(folder);
  const dist = path.join(folder, "clone/dist");
  const chunk = (await readdir(dist)).find((name) => /^chunk-.*\.js$/.test(name)) ?? "";
  await rm(path.join(dist, chunk));
  await expectSound(folder);
  await truncate(path.join(dist, "doctor.js"), 100);
  await expectSound(folder);
  await rm(path.join(folder, "clone/prisma/generated/client.ts"));
  await expectSound(folder);
});

test("N10: a build that cannot be read is explained in one line, and built by the next start", async ({ folder }) => {
  await expectSound(folder);
  const file = path.join(folder, "clone/dist/doctor.js");
  await writeFile(file, Buffer.alloc((await stat(file)).size));
  const { code, stderr } = await start(folder);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^Cannot load the build in dist \(.*\)\. Run {2}npm ci && npm run build {2}and start again\.\n$/,
    ),
  });
  await expectSound(folder);
});

test("N10: packages of another version than the lock file's are noticed before anything is built", async ({
  folder,
}) => {
  const lock = path.join(folder, "clone/package-lock.json");
  const text = await readFile(lock, "utf8");
  const { version } = JSON.parse(text).packages["node_modules/zod"];
  await writeFile(
    lock,
    text.replace(
      `"node_modules/zod": {\n      "version": "${version}"`,
      '"node_modules/zod": {\n      "version": "99.0.0"',
    ),
  );
  const { code, stderr } = await start(folder);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "The installed dependencies do not match package-lock.json. Run  npm ci  first.\n",
  });
  await writeFile(lock, text);
  await expectSound(folder);
});
