import { once } from "node:events";
import { chmod, mkdir, readdir, readlink } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import path from "node:path";
import { json } from "node:stream/consumers";
import { listFiles, makeClone } from "../fixtures/checkout";
import { clientOf } from "../fixtures/client";
import { curlLine, expect, postgresPid, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";

const files = listFiles();

test.skip(process.platform !== "linux", "looks into /proc");
test.skip(!files, "this is no git checkout: there is nothing to clone");
test.setTimeout(240_000);

test("a fresh clone is built, started, used, developed in and stopped with npm alone, though only its owner can enter it", async ({
  start,
  folder,
}) => {
  const clone = path.join(folder, "clone");
  await mkdir(clone);
  await makeClone(files ?? [], clone);
  await chmod(folder, 0o700);
  const settings = { cwd: clone, patience: 200_000 };

  const first = await start({}, { ...settings, command: ["npm", "start"] });
  await expect.poll(() => curlLine(first.said())).toBeDefined();
  const pasted = await run("bash", ["-c", curlLine(first.said()) ?? ""]);
  const answer = JSON.parse(pasted.stdout);
  expect(answer).toMatchObject({ success: 1, new_user_group: true, user_group: { provided_id: "example_1" } });

  const arguments_ = ["run", "-s", "api-token", "--", "create", "--environment", "testing", "--name", "x"];
  const made = await run("npm", arguments_, { cwd: clone });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^uga_test_[0-9A-Za-z]{49}\n$/) });
  const token = made.stdout.trim();
  const found = { ...answer, new_user_group: false };
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
    const supervised = await start({}, { ...settings, command: ["npm", "run", script] });
    expect((await clientOf(supervised.url, token).get("example_1")).json).toEqual(found);
    // To npm alone, as a supervisor does it.
    supervised.kill("SIGTERM");
    await expectNobodyIn(clone);
  }
});

/** The live processes that work in a folder, the database's among them. */
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
