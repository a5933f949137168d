import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SCOPES } from "@/lib/db/scopes";
import { lostWritesAnswer } from "@/lib/lost-writes/schema";
import { insertApiToken } from "../fixtures/api-token";
import { expectAccessible, expectNoSidewaysScrolling } from "../fixtures/browser";
import { childrenOf } from "../fixtures/children";
import { browserOf } from "../fixtures/cookie-client";
import { callerOf, detach, promote, test } from "../fixtures/failover";
import { makePostgres, type OwnPostgres, signal } from "../fixtures/own-postgres";
import { expect, query } from "../fixtures/own-service";
import { command } from "../fixtures/run";
import { freePort, type ServiceProcess } from "../fixtures/service-process";
import { forward } from "../fixtures/tcp-forwarder";

// A PostgreSQL with an asynchronous standby that no longer receives: what is acknowledged then, a failover loses.

const OWNER = { email: "owner@example.com", password: "correct horse battery" };
const SETTINGS = {
  SECRET_KEY: "8".repeat(64),
  METRICS_TOKEN: "metrics-token-of-this-test",
  ADMIN_EMAIL: OWNER.email,
  ADMIN_PASSWORD: OWNER.password,
};

test.skip(process.platform !== "linux", "needs Linux: reads /proc");

const listOf = (...ports: number[]) =>
  `postgresql://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/postgres`;

type Caller = ReturnType<typeof callerOf>;
/** [team_id, action] */
type Change = [number, string];

/** Makes a change of each kind, on groups of its own, and gives those that the history has. */
async function changeAll({ call }: Caller, prefix: string): Promise<Change[]> {
  const create = async (id: string) =>
    (await call("GET", "/api/user", { user_group_id: `${prefix}-${id}` })).user_group;
  const id = (name: string) => ({ user_group_id: `${prefix}-${name}` });
  const made: Change[] = [];
  const kinds: [name: string, action: string | undefined, work: (token: string) => Promise<unknown>][] = [
    ["got", undefined, () => call("GET", "/api/user", id("got"))],
    ["put", "updated", () => call("PUT", "/api/user", { ...id("put"), name: "Other" })],
    ["same", undefined, () => call("PUT", "/api/user", id("same"))],
    ["patch", "updated", () => call("PATCH", "/api/user", { ...id("patch"), properties: { a: 1 } })],
    ["upsert", "updated", () => call("POST", "/api/user/upsert", { ...id("upsert"), name: "Other" })],
    ["rotate", "token_rotated", (token) => call("POST", "/api/user", { current_token: token })],
    ["delete", "deleted", () => call("DELETE", "/api/user", id("delete"))],
    ["suspend", "suspended", () => call("POST", "/api/user-groups/suspend", id("suspend"))],
    ["resume", undefined, () => call("POST", "/api/user-groups/resume", id("resume"))],
    ["views", "views_ended", () => call("POST", "/api/user-groups/end-views", id("views"))],
  ];
  for (const [name, action, work] of kinds) {
    const { team_id, token } = await create(name);
    made.push([team_id, "user_group.created"]);
    await work(token);
    if (action) made.push([team_id, `user_group.${action}`]);
  }

  const restored = (await create("restore")).team_id;
  await call("DELETE", "/api/user", id("restore"));
  await call("POST", "/api/user-groups/restore", id("restore"));
  const purged = (await create("purge")).team_id;
  await call("DELETE", "/api/user", id("purge"));
  await call("POST", "/api/user-groups/purge", { team_id: purged });
  made.push(
    ...(["created", "deleted", "restored"].map((action) => [restored, `user_group.${action}`]) as Change[]),
    ...(["created", "deleted", "erased"].map((action) => [purged, `user_group.${action}`]) as Change[]),
  );

  const rows = ["one", "two", "one"].map((name, n) => ({ ...id(`batch-${name}`), name: `Name ${n}` }));
  const { results } = await call("POST", "/api/user-groups/batch", { mode: "upsert", user_groups: rows });
  for (const { team_id, outcome } of results) {
    made.push([team_id, outcome === "created" ? "user_group.created" : "user_group.updated"]);
  }
  return made;
}

/** What the database says was lost. */
async function reported({ url }: OwnPostgres): Promise<Change[]> {
  const rows = await query<{ changes: string }>(url, "SELECT changes FROM lost_writes ORDER BY id");
  const groups = rows.flatMap(({ changes }) => JSON.parse(changes) as { team_id: number; actions: string[] }[]);
  return groups.flatMap(({ team_id, actions }) => actions.map((action): Change => [team_id, action]));
}

const inOrder = (changes: Change[]) => changes.map((change) => change.join(" ")).toSorted();

/** Waits for the alarm, and returns how long it took. */
async function untilReported({ url }: ServiceProcess, writes: number): Promise<number> {
  const begin = performance.now();
  const detail = async () => {
    const answer = await fetch(`${url}/readyz`);
    return { answered: answer.status, ...((await answer.json()) as object) };
  };
  await expect.poll(detail, { intervals: [100] }).toMatchObject({ answered: 200, lost_writes: writes });
  return performance.now() - begin;
}

const LIMIT_MS = 5_000;

test("with several hosts, the changes that a failover lost are reported exactly, also of a worker that was killed", async ({
  start,
  pair,
}) => {
  const { primary, standby } = pair;
  const settings = { ...SETTINGS, DATABASE_URL: listOf(standby.port, primary.port), WORKERS: "2" };
  const service = await start(settings);
  const token = await insertApiToken({ ...settings, DATABASE_URL: primary.url }, { scopes: SCOPES });
  const caller = callerOf(service.url, token);
  await changeAll(caller, "kept");
  const { user_group: both } = await caller.call("GET", "/api/user", { user_group_id: "both" });
  await detach(pair);

  const lost = await changeAll(caller, "lost");
  await caller.call("PUT", "/api/user", { user_group_id: "both", name: "Lost" });
  lost.push([both.team_id, "user_group.updated"]);
  const workers = await childrenOf(service.pid, "worker");
  expect(workers).toHaveLength(2);
  // Once its heartbeat has handed on what it acknowledged.
  await sleep(700);
  signal(workers[0] ?? 0, "SIGKILL");
  await primary.kill();
  await promote(standby);
  // The same version as the lost one has: the history tells them apart.
  const again = async () => (await caller.send("PUT", "/api/user", { user_group_id: "both", name: "Kept" })).status;
  await expect.poll(again, { intervals: [50] }).toBe(200);

  expect(await untilReported(service, lost.length)).toBeLessThan(LIMIT_MS);
  expect(inOrder(await reported(standby))).toEqual(inOrder(lost));
  const metrics = await fetch(`${service.url}/metrics`, {
    headers: { authorization: `Bearer ${SETTINGS.METRICS_TOKEN}` },
  });
  expect(await metrics.text()).toMatch(new RegExp(`acknowledged_writes_lost_total\\{[^}]*\\} ${lost.length}\n`));
  // The log is written in pieces.
  const line = async () => {
    const lines = (await readFile(service.log, "utf8")).split("\n");
    const { team_ids = [], ...rest } = JSON.parse(
      lines.find((one) => one.includes("lost acknowledged changes")) ?? "{}",
    );
    return { ...rest, team_ids: team_ids.toSorted() };
  };
  await expect.poll(line).toMatchObject({
    level: expect.anything(),
    writes: lost.length,
    team_ids: [...new Set(lost.map(([teamId]) => teamId))].toSorted(),
  });
  const entries = await query<{ after: string; environment_id: number }>(
    standby.url,
    "SELECT environment_id, after FROM audit_entry WHERE action = 'user_groups.writes_lost'",
  );
  expect(entries).toHaveLength(1);
  expect(JSON.parse(entries[0]?.after ?? "{}")).toMatchObject({ writes: lost.length, changes_stopped: false });
});

test("behind one address, changes stop in all instances until an owner allows them, and nothing is reported twice", async ({
  start,
  pair,
}) => {
  const { primary, standby, way, url } = pair;
  const settings = { ...SETTINGS, DATABASE_URL: url, ON_LOST_WRITES: "stop" };
  const [one, other] = [await start(settings), await start({ ...settings, WORKERS: "2" })];
  const token = await insertApiToken(settings, { scopes: SCOPES });
  const callers = [callerOf(one.url, token), callerOf(other.url, token)];
  await callers[0]?.call("GET", "/api/user", { user_group_id: "kept" });
  const owner = browserOf(other.url);
  await expect.poll(async () => (await owner.signIn(OWNER)).status).toBe(200);
  await detach(pair);
  const lost = await callers[0]?.call("GET", "/api/user", { user_group_id: "lost" });
  await primary.kill();
  await promote(standby);
  way.leadTo(standby.port);
  expect(await untilReported(one, 1)).toBeLessThan(LIMIT_MS);
  await untilReported(other, 1);
  expect(inOrder(await reported(standby))).toEqual([`${lost.user_group.team_id} user_group.created`]);

  const stopped = { status: 503, json: { success: 0, error: { code: "writes_stopped" } } };
  for (const { send, call } of callers) {
    const bodies: [string, string, object][] = [
      ["GET", "/api/user", { user_group_id: "new" }],
      ["PUT", "/api/user", { user_group_id: "kept", name: "Other" }],
      ["POST", "/api/user-groups/suspend", { user_group_id: "kept" }],
      ["DELETE", "/api/user", { user_group_id: "kept" }],
    ];
    for (const [method, where, body] of bodies) expect(await send(method, where, body)).toMatchObject(stopped);
    const { user_group } = await call("GET", "/api/user", { user_group_id: "kept" });
    expect(await send("POST", "/api/user", { current_token: user_group.token })).toMatchObject(stopped);
    const batch = await send("POST", "/api/user-groups/batch", {
      mode: "upsert",
      user_groups: [{ user_group_id: "x" }],
    });
    expect(JSON.stringify(batch.json)).toContain("writes_stopped");
    expect((await call("POST", "/api/viewer", { token: user_group.token })).active).toBe(true);
  }

  const { json } = await owner.get("/api/admin/lost-writes");
  expect(lostWritesAnswer.parse(json).losses).toEqual([
    {
      id: expect.any(Number),
      found_at: expect.any(String),
      host: expect.stringContaining("127.0.0.1:"),
      writes: 1,
      unchecked: 0,
      stops: true,
      groups: [
        {
          environment: "testing",
          team_id: lost.user_group.team_id,
          user_group_id: "lost",
          actions: ["user_group.created"],
        },
      ],
    },
  ]);
  expect((await owner.post("/api/admin/lost-writes/accept", { ids: [json.losses[0].id] })).status).toBe(200);
  for (const [n, { call }] of callers.entries()) {
    await call("GET", "/api/user", { user_group_id: `after-${n}` });
    await call("PUT", "/api/user", { user_group_id: "kept", name: `After ${n}` });
  }
  expect(await (await fetch(`${one.url}/readyz`)).json()).toEqual({ status: "ready" });
  expect((await owner.post("/api/admin/lost-writes/accept", { ids: [json.losses[0].id] })).status).toBe(404);
  const [{ by } = { by: "" }] = await query<{ by: string }>(
    standby.url,
    "SELECT actor_type || ' ' || action AS by FROM audit_entry WHERE action LIKE 'user_groups.loss%'",
  );
  expect(by).toBe("member user_groups.loss_accepted");

  // The next one loses nothing: a restart is looked at like a failover.
  await standby.kill();
  await standby.start();
  await expect.poll(async () => (await fetch(`${one.url}/readyz`)).status).toBe(200);
  await sleep(4_000);
  expect(await (await fetch(`${one.url}/readyz`)).json()).toEqual({ status: "ready" });
});

test("a loss is reported however long the outage was", async ({ start, pair }) => {
  const { primary, standby, way, url } = pair;
  const service = await start({ ...SETTINGS, DATABASE_URL: url });
  const caller = callerOf(service.url, await insertApiToken({ ...SETTINGS, DATABASE_URL: url }));
  await caller.call("GET", "/api/user", { user_group_id: "kept" });
  await detach(pair);
  const { user_group } = await caller.call("GET", "/api/user", { user_group_id: "lost" });
  await primary.kill();
  // Longer than changes are kept while the primary answers.
  await sleep(65_000);
  await promote(standby);
  way.leadTo(standby.port);
  expect(await untilReported(service, 1)).toBeLessThan(LIMIT_MS);
  expect(inOrder(await reported(standby))).toEqual([`${user_group.team_id} user_group.created`]);
});

test("the command line changes nothing either, lists losses and allows changes", async ({ start, pair }) => {
  const { primary, standby, way, url } = pair;
  const settings = { ...SETTINGS, DATABASE_URL: url, ON_LOST_WRITES: "stop" };
  const service = await start(settings);
  const caller = callerOf(service.url, await insertApiToken(settings, { scopes: SCOPES }));
  expect(await command(["lost-writes", "list"], settings)).toMatchObject({
    code: 0,
    stdout: "Nothing has been lost.\n",
  });
  for (const id of ["kept", "deleted"]) await caller.call("GET", "/api/user", { user_group_id: id });
  await caller.call("DELETE", "/api/user", { user_group_id: "deleted" });
  const keptDeleted = async () => (await query(standby.url, "SELECT FROM deleted_group")).length;
  await detach(pair);
  await caller.call("GET", "/api/user", { user_group_id: "lost" });
  await primary.kill();
  await promote(standby);
  way.leadTo(standby.port);
  await untilReported(service, 1);
  const listed = await command(["lost-writes", "list"], settings);
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/testing +\d+ +lost +created/) });
  expect((await caller.send("GET", "/api/user", { user_group_id: "new" })).status).toBe(503);
  const rotate = () => command(["user-group-token", "rotate", "kept"], settings);
  expect(await rotate()).toMatchObject({ code: 1, stderr: expect.stringContaining("acknowledged changes") });
  await query(standby.url, "UPDATE deleted_group SET deleted_at = now() - interval '1 year'");
  // Once more than the purge's interval.
  await sleep(35_000);
  expect(await keptDeleted()).toBe(1);
  expect(await command(["lost-writes", "accept"], settings)).toMatchObject({ code: 0 });
  await caller.call("GET", "/api/user", { user_group_id: "new" });
  expect(await rotate()).toMatchObject({ code: 0 });
  await expect.poll(keptDeleted, { timeout: 40_000 }).toBe(0);
});

test("owners see what was lost and allow changes in the dashboard, and Activity tells both", async ({
  start,
  pair,
  page,
}) => {
  const { primary, standby, way, url } = pair;
  const settings = { ...SETTINGS, DATABASE_URL: url, ON_LOST_WRITES: "stop" };
  const service = await start(settings);
  const caller = callerOf(service.url, await insertApiToken(settings, { scopes: SCOPES }));
  const { user_group: kept } = await caller.call("GET", "/api/user", { user_group_id: "kept" });
  await page.goto(`${service.url}/sign-in`);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/(testing|production)\//);
  await detach(pair);
  await caller.call("GET", "/api/user", { user_group_id: "lost" });
  await caller.call("PUT", "/api/user", { user_group_id: "kept", name: "Lost" });
  await primary.kill();
  await promote(standby);
  way.leadTo(standby.port);
  await untilReported(service, 2);

  await page.goto(`${service.url}/testing/groups`);
  const banner = page.getByRole("region", { name: "Lost changes" });
  await expect(banner).toContainText("A database failover lost 2 confirmed changes. Changes are stopped");
  await expect(banner.getByRole("listitem")).toHaveText(["lost: created in testing", "kept: updated in testing"]);
  await expect(banner.getByRole("link", { name: "kept" })).toHaveAttribute("href", `/testing/groups/${kept.team_id}`);
  expect((await caller.send("GET", "/api/user", { user_group_id: "new" })).status).toBe(503);
  await expectAccessible(page);
  await expectNoSidewaysScrolling(page);
  await banner.getByRole("button", { name: "Allow changes…" }).click();
  const question = page.getByRole("dialog", { name: "Allow changes again?" });
  await expectAccessible(page);
  await question.getByRole("button", { name: "Allow changes" }).click();
  await expect(banner).toHaveCount(0);
  // The processes of the API hear of it a moment later.
  await expect.poll(async () => (await caller.send("GET", "/api/user", { user_group_id: "new" })).status).toBe(200);

  await page.goto(`${service.url}/testing/activity`);
  await expect(page.getByRole("listitem").filter({ hasText: "service lost 2 acknowledged changes" })).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "accepted the loss of 2 changes" })).toBeVisible();
});

test("a frozen leader that takes its place back is noticed, and so is what the cluster loses with it", async ({
  start,
  folder,
  pair,
}) => {
  const { primary, standby, programs } = pair;
  const port = await freePort();
  const way = forward(port, standby.port);
  await way.open();
  const settings = { ...SETTINGS, DATABASE_URL: listOf(primary.port, port) };
  const service = await start(settings);
  const caller = callerOf(service.url, await insertApiToken({ ...settings, DATABASE_URL: primary.url }));
  await caller.call("GET", "/api/user", { user_group_id: "kept" });
  await detach(pair);
  const first = await caller.call("GET", "/api/user", { user_group_id: "lost on the leader" });

  for (const pid of await primary.processes()) signal(pid, "SIGSTOP");
  await promote(standby);
  expect(await untilReported(service, 1)).toBeLessThan(LIMIT_MS);
  expect(inOrder(await reported(standby))).toEqual([`${first.user_group.team_id} user_group.created`]);

  // It wakes with healthy connections, and gets none of ours as long as the other is there.
  for (const pid of await primary.processes()) signal(pid, "SIGCONT");
  await sleep(2_000);
  const second = await caller.call("GET", "/api/user", { user_group_id: "lost on the other" });
  expect(await query(primary.url, "SELECT FROM user_group WHERE provided_id = 'lost on the other'")).toEqual([]);

  // Patroni 3.0.2 let it lead again, and made the other its standby.
  const follower = await makePostgres(path.join(folder, "follower"), { programs, primary });
  way.leadTo(follower.port);
  await standby.kill();
  await expect.poll(() => reported(primary).then(inOrder)).toEqual([`${second.user_group.team_id} user_group.created`]);
  expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ lost_writes: 1 });
  await caller.call("GET", "/api/user", { user_group_id: "goes on" });
  await follower.kill();
  await way.cut();
});
