import { appendFile, copyFile, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { SCOPES } from "@/lib/db/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { callerOf, detach, promote, test } from "../fixtures/failover";
import { expect, query } from "../fixtures/own-service";
import { command } from "../fixtures/run";

// ENDED_TOKENS_FILE: what ended before a failover or an older backup stays ended.

test.skip(process.platform !== "linux", "needs Linux: reads /proc");

const SECRET_KEY = "9".repeat(64);

type Caller = ReturnType<typeof callerOf>;

const create = async ({ call }: Caller, user_group_id: string) =>
  (await call("GET", "/api/user", { user_group_id })).user_group as { token: string; team_id: number };
const rotate = async ({ call }: Caller, current_token: string, overlap_seconds?: number) =>
  (await call("POST", "/api/user", { current_token, ...(overlap_seconds && { overlap_seconds }) })).user_group
    .token as string;
/** What a renderer learns of a token. */
const view = async ({ call }: Caller, token: string) => {
  const { active, token_state } = await call("POST", "/api/viewer", { token });
  return active ? (token_state ?? "current") : "ended";
};

test("tokens that ended before a failover stay ended, and no other token ends", async ({ start, pair, folder }) => {
  const { primary, standby, way, url } = pair;
  const file = path.join(folder, "ended-tokens");
  const settings = { DATABASE_URL: url, SECRET_KEY, ENDED_TOKENS_FILE: file, WORKERS: "2" };
  const service = await start(settings);
  const caller = callerOf(service.url, await insertApiToken(settings, { scopes: SCOPES }));
  const [rotated, deleted, overlapping, restored, early, kept] = await Promise.all(
    ["rotated", "deleted", "overlapping", "restored", "early", "kept"].map((id) => create(caller, id)),
  );
  const [again, leaked, both, paused] = await Promise.all(
    ["again", "leaked", "both", "paused"].map((id) => create(caller, id)),
  );
  const successor = await rotate(caller, early?.token ?? "", 3_600);
  await caller.call("DELETE", "/api/user", { user_group_id: "kept" });
  await caller.call("POST", "/api/user-groups/restore", { user_group_id: "kept" });
  await caller.call("DELETE", "/api/user", { user_group_id: "again" });
  await caller.call("POST", "/api/user-groups/restore", { user_group_id: "again" });
  for (const group of [both, paused]) await rotate(caller, group?.token ?? "", 3_600);
  await detach(pair);

  await rotate(caller, again?.token ?? "");
  // Without an overlap, the one that began before ends too.
  await rotate(caller, await rotate(caller, leaked?.token ?? "", 3_600));
  await caller.call("DELETE", "/api/user", { user_group_id: "both" });
  await caller.call("DELETE", "/api/user", { user_group_id: "paused" });
  await caller.call("POST", "/api/user-groups/restore", { user_group_id: "paused" });
  const lost = await rotate(caller, rotated?.token ?? "");
  await caller.call("DELETE", "/api/user", { user_group_id: "deleted" });
  await rotate(caller, overlapping?.token ?? "", 3_600);
  await caller.call("DELETE", "/api/user", { user_group_id: "restored" });
  await caller.call("POST", "/api/user-groups/restore", { user_group_id: "restored" });
  await caller.call("POST", "/api/user/end-overlap", { user_group_id: "early" });
  // As of a process that died while it wrote.
  await appendFile(file, "abcdefgh");
  await create(caller, "later");
  await primary.kill();
  await promote(standby);
  way.leadTo(standby.port);

  const states = async () => {
    const tokens = { rotated, deleted, overlapping, restored, early, kept, again, leaked, both, paused };
    const found = Object.entries(tokens).map(async ([name, group]) => [name, await view(caller, group?.token ?? "")]);
    return Object.fromEntries(await Promise.all(found)) as Record<string, string>;
  };
  const answers = async () => (await caller.send("POST", "/api/viewer", { token: "" })).status;
  await expect.poll(answers).not.toBe(503);
  await expect
    .poll(() => states().catch(() => ({})))
    .toEqual({
      ...{ rotated: "ended", deleted: "ended", early: "ended" },
      ...{ overlapping: "previous", restored: "current", kept: "current" },
      ...{ again: "ended", leaked: "ended", both: "ended", paused: "previous" },
    });
  expect(await view(caller, lost)).toBe("ended");
  expect(await view(caller, successor)).toBe("current");
  const entries = await query<{ action: string; provided_id: string }>(
    standby.url,
    `SELECT action, provided_id FROM audit_entry a JOIN user_group g USING (team_id)
     WHERE actor_name LIKE 'service, %' ORDER BY provided_id`,
  );
  expect(entries).toEqual([
    { action: "user_group.token_rotated", provided_id: "again" },
    { action: "user_group.token_rotated", provided_id: "both" },
    { action: "user_group.token_rotated", provided_id: "deleted" },
    { action: "user_group.overlap_ended", provided_id: "early" },
    { action: "user_group.token_rotated", provided_id: "leaked" },
    { action: "user_group.token_rotated", provided_id: "overlapping" },
    { action: "user_group.token_rotated", provided_id: "rotated" },
  ]);
  expect(await readFile(file, "latin1")).not.toContain("ugt_");
});

test("tokens stay ended in an older backup, of rotations in two processes and on the command line", async ({
  start,
  createDatabase,
  folder,
}) => {
  const file = path.join(folder, "ended-tokens");
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, ENDED_TOKENS_FILE: file, WORKERS: "2" };
  const first = await start(settings);
  const apiToken = await insertApiToken(settings, { scopes: SCOPES });
  const caller = callerOf(first.url, apiToken);
  const ids = Array.from({ length: 40 }, (_, n) => `group-${n}`);
  const before = await Promise.all(ids.map(async (id) => (await create(caller, id)).token));
  const untouched = await create(caller, "untouched");
  const byCommand = await create(caller, "command");
  await first.stop();
  const backup = new URL(settings.DATABASE_URL);
  backup.pathname += "_backup";
  const maintenance = new URL("/postgres", settings.DATABASE_URL).href;
  const name = new URL(settings.DATABASE_URL).pathname.slice(1);
  await query(maintenance, `CREATE DATABASE ${name}_backup TEMPLATE ${name}`);

  const second = await start(settings);
  const again = callerOf(second.url, apiToken);
  await Promise.all(before.map((token) => rotate(again, token)));
  expect(await command(["user-group-token", "rotate", "command"], settings)).toMatchObject({ code: 0 });
  await second.stop();
  expect((await readFile(file, "latin1")).match(/^[\w-]{43} 0 \d+$/gm)).toHaveLength(41);

  const third = await start({ ...settings, DATABASE_URL: backup.href });
  const restored = callerOf(third.url, apiToken);
  for (const token of [...before, byCommand.token]) expect(await view(restored, token)).toBe("ended");
  expect(await view(restored, untouched.token)).toBe("current");
  // Each group has one of its own again.
  const { token } = await create(restored, "group-0");
  expect(await view(restored, token)).toBe("current");
  await third.stop();
  await query(maintenance, `DROP DATABASE ${name}_backup WITH (FORCE)`);
});

test("a group that another instance restored keeps its token, also once its history is dropped", async ({
  start,
  createDatabase,
  folder,
}) => {
  const file = path.join(folder, "ended-tokens");
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, ENDED_TOKENS_FILE: file };
  const [first, second] = [await start(settings), await start({ ...settings, ENDED_TOKENS_FILE: `${file}-2` })];
  const apiToken = await insertApiToken(settings, { scopes: SCOPES });
  const [caller, other] = [callerOf(first.url, apiToken), callerOf(second.url, apiToken)];
  const group = await create(caller, "group");
  const successor = await rotate(caller, group.token, 3_600);
  await caller.call("DELETE", "/api/user", { user_group_id: "group" });
  await other.call("POST", "/api/user-groups/restore", { user_group_id: "group" });
  await first.stop();
  const expectKept = async () => {
    const restarted = await start(settings);
    const again = callerOf(restarted.url, apiToken);
    expect([await view(again, group.token), await view(again, successor)]).toEqual(["previous", "current"]);
    await restarted.stop();
  };
  await expectKept();

  // As if a hundred days had passed.
  const aged = (await readFile(file, "latin1")).replaceAll(/\d{13}$/gm, (at) => String(Number(at) - 100 * 86_400_000));
  await writeFile(file, aged);
  await query(
    settings.DATABASE_URL,
    "SET session_replication_role = replica; DELETE FROM audit_entry WHERE team_id > 0",
  );
  await expectKept();
});

test("while the file cannot be written no token ends, and a wrong one is said at the start", async ({
  start,
  createDatabase,
  folder,
}) => {
  const file = path.join(folder, "ended-tokens");
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, ENDED_TOKENS_FILE: file };
  const wrong = await start({ ...settings, ENDED_TOKENS_FILE: folder }, { until: "spawned" });
  expect(await wrong.exited).toBe(1);
  expect(wrong.said()).toContain("ENDED_TOKENS_FILE cannot be written");

  const service = await start(settings);
  const caller = callerOf(service.url, await insertApiToken(settings, { scopes: SCOPES }));
  const [first, second] = [await create(caller, "first"), await create(caller, "second")];
  await copyFile(file, `${file}.kept`);
  await rm(file);
  await symlink("/dev/full", file);
  const refused = (message: string) => ({ status: 503, json: { error: { code: "unavailable", message } } });
  const rotating = { current_token: first.token };
  expect(await caller.send("POST", "/api/user", rotating)).toMatchObject(
    refused("The change was made, but ENDED_TOKENS_FILE cannot be written. Try again shortly."),
  );
  const nothing = refused("Nothing was changed: ENDED_TOKENS_FILE cannot be written. Try again shortly.");
  expect(await caller.send("POST", "/api/user", { current_token: second.token })).toMatchObject(nothing);
  expect(await caller.send("DELETE", "/api/user", { user_group_id: "second" })).toMatchObject(nothing);
  expect(await view(caller, second.token)).toBe("current");
  await caller.call("PUT", "/api/user", { user_group_id: "second", name: "Other" });

  await rm(file);
  await copyFile(`${file}.kept`, file);
  await rotate(caller, second.token);
  // With the one that could not be recorded at the time.
  expect((await readFile(file, "latin1")).match(/^[\w-]{43} 0 \d+$/gm)).toHaveLength(2);
});
