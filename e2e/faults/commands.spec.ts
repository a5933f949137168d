import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expectHelp } from "../fixtures/commands";
import { expect, postgresPid, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";

const USER_GROUPS = path.resolve("user-groups");

test("each command explains itself and refuses an unknown option in one line", { tag: "@release" }, async ({
  folder,
}) => {
  await expectHelp(USER_GROUPS, folder);
});

test("an unknown command is refused, and the closest one suggested", async ({ folder }) => {
  for (const [args, stderr] of [
    [[], "Give a command. ./user-groups --help lists all.\n"],
    [["api-tokn"], 'There is no command "api-tokn". Did you mean api-token?\n'],
    [["user-groups"], 'There is no command "user-groups". Did you mean user-group-token?\n'],
    [["export"], "User groups are exported in the dashboard, or by GET /api/user-groups/export.\n"],
    [["toString"], 'There is no command "toString". ./user-groups --help lists all.\n'],
  ] as const) {
    expect(await run(USER_GROUPS, [...args], { cwd: folder })).toEqual({ code: 1, stdout: "", stderr });
  }
});

test("the program works through a symbolic link, and reads files from the caller's folder", {
  tag: "@release",
}, async ({ folder, createDatabase }) => {
  await symlink(USER_GROUPS, path.join(folder, "groups"));
  const env = { DATABASE_URL: await createDatabase(), SECRET_KEY: "c4".repeat(32), INIT_CWD: "/" };
  await writeFile(path.join(folder, "groups.csv"), "user_group_id,name\nimported,Imported\n");
  const imported = await run("./groups", ["import", "groups.csv"], { cwd: folder, env });
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining("1 created") });
  // Transactions of other tests hold the feed back.
  await expect(async () => {
    const printed = await run("./groups", ["events", "--cursor-file", "cursor"], { cwd: folder, env });
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('"imported"') });
  }).toPass();
  expect(await readFile(path.join(folder, "cursor"), "utf8")).toMatch(/^\[/);
});

test("a command that is interrupted, or loses its reader, stops the embedded database that it started", {
  tag: "@release",
}, async ({ dataDir }) => {
  const begin = (...args: string[]) => {
    const child = spawn(USER_GROUPS, args, { env: environmentWith({ DATA_DIR: dataDir }) });
    return { child, ended: once(child, "close"), stderr: text(child.stderr) };
  };
  const unread = begin("api-token", "list");
  unread.child.stdout.destroy();
  expect(await unread.ended).toEqual([1, null]);
  expect(await unread.stderr).toBe("write EPIPE.\n");
  expect(await postgresPid(dataDir)).toBeUndefined();

  // Its note says that no service was found.
  const unnoticed = begin("member", "invite", "ada@example.com", "--role", "owner");
  unnoticed.stderr.catch(() => undefined);
  unnoticed.child.stderr.destroy();
  expect(await unnoticed.ended).toEqual([0, null]);

  const interrupted = begin("api-token", "list");
  await expect.poll(() => postgresPid(dataDir), { intervals: [20] }).toBeDefined();
  interrupted.child.kill("SIGINT");
  expect(await interrupted.ended).toEqual([130, null]);
  expect(await interrupted.stderr).toBe("");
  expect(await postgresPid(dataDir)).toBeUndefined();

  // It opens the database in its own way.
  const migrating = begin("migrate");
  await expect.poll(() => postgresPid(dataDir), { intervals: [5] }).toBeDefined();
  migrating.child.kill("SIGINT");
  expect(await migrating.ended).toEqual([130, null]);
  expect(await postgresPid(dataDir)).toBeUndefined();
});
