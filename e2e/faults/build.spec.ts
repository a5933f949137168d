import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { listFiles, makeClone } from "../fixtures/checkout";
import { expect, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";

const HELP = ["doctor", "--help"];
const REFUSED = "The build is of another version, or has other packages. Run  npm ci && npm run build  first.\n";

test("the first start builds, a killed build is discarded, a build of other packages or versions is refused", async ({
  folder,
}) => {
  test.setTimeout(600_000);
  const files = listFiles();
  test.skip(files === undefined, "there is no git to list the files of the checkout");
  const clone = path.join(folder, "clone");
  await makeClone(files ?? [], clone);
  const stamp = path.join(clone, "dist/build.json");
  const home = path.join(folder, "home");
  await mkdir(home);
  const start = () => run("./user-groups", HELP, { cwd: clone, env: { HOME: home } });

  const killed = spawn("./user-groups", HELP, {
    ...{ cwd: clone, env: environmentWith({}), detached: true, stdio: ["ignore", "ignore", "pipe"] },
  });
  const ended = once(killed, "exit");
  await once(killed.stderr, "data");
  process.kill(-(killed.pid ?? 0), "SIGKILL");
  await ended;
  expect(existsSync(stamp)).toBe(false);

  const help = { code: 0, stdout: expect.stringContaining("Usage") };
  expect(await run("./user-groups", ["--help"], { cwd: clone })).toMatchObject({ ...help, stderr: "" });
  expect(await start()).toMatchObject({ ...help, stderr: expect.stringContaining("Building the pages") });
  expect(await start()).toMatchObject({ ...help, stderr: "" });
  // There Prisma would keep the signature by which its makers count installations.
  expect(existsSync(path.join(home, ".cache"))).toBe(false);

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
    ...{ code: 1, stderr: "The dependencies are not installed. Run  npm ci  first.\n" },
  });
});
