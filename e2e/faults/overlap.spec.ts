import path from "node:path";
import { request } from "undici";
import { SCOPES } from "@/lib/authority/scopes";
import { examine } from "@/lib/doctor/examine";
import { insertApiToken } from "../fixtures/api-token";
import { keepDoing } from "../fixtures/client";
import { makeClock } from "../fixtures/drill-places";
import { makePostgres, type OwnPostgres } from "../fixtures/own-postgres";
import { test as base, expect, query } from "../fixtures/own-service";
import { command } from "../fixtures/run";

const CALLERS = 64;
const HOUR = 3_600;

interface Fixtures {
  /** starts a new PostgreSQL with these variables */
  makeDatabase: (variables: Record<string, string>) => Promise<OwnPostgres>;
}

const test = base.extend<Fixtures>({
  makeDatabase: async ({ folder }, use) => {
    const made: OwnPostgres[] = [];
    await use(async (variables) => {
      const postgres = await makePostgres(path.join(folder, "postgres"), { variables });
      made.push(postgres);
      return postgres;
    });
    for (const postgres of made) await postgres.kill();
  },
});

test.describe.configure({ retries: 0 });

/** Calls one service with one API token. */
function callerOf(url: string, apiToken: string) {
  const call = async (method: "GET" | "POST", where: string, body: object) => {
    const answer = await request(url + where, {
      method,
      headers: { authorization: `Token ${apiToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      reset: true,
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return { status: answer.statusCode, json: (await answer.body.json()) as any };
  };
  return {
    call,
    get: async (user_group_id: string) =>
      String((await call("GET", "/api/user", { user_group_id })).json.user_group.token),
    rotate: (current_token: string, overlap_seconds?: number) =>
      call("POST", "/api/user", { current_token, overlap_seconds }),
    view: async (token: string) => (await call("POST", "/api/viewer", { token })).json,
  };
}

test("the database's clock ends an overlap to the millisecond, regardless of an instance's clock", async ({
  start,
  makeDatabase,
  folder,
}) => {
  const clock = await makeClock(folder);
  test.skip(!clock, "libfaketime is not installed");
  if (!clock) return;
  const postgres = await makeDatabase(clock.variables);
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY: "5e".repeat(32) };
  // Its own clock is the machine's; the database's is frozen a day later.
  const service = await start(settings);
  const apiToken = await insertApiToken(settings, { scopes: SCOPES });
  const { get, rotate, view } = callerOf(service.url, apiToken);
  const token = await get("clock");
  const begin = Math.ceil(Date.now() / 1_000) * 1_000 + 86_400_000;
  await clock.freeze(new Date(begin));
  const rotated = await rotate(token, 60);
  const end = begin + 60_000;
  expect(rotated.json).toMatchObject({ previous_token_valid_until: new Date(end).toISOString() });
  const successor = rotated.json.user_group.token;
  const previous = { active: true, token_state: "previous", valid_until: new Date(end).toISOString() };
  for (const [offset, isOver] of [
    [-30_000, false],
    [-1, false],
    [0, true],
    [1, true],
    [-1, false],
    [60_000, true],
  ] as const) {
    await clock.freeze(new Date(end + offset));
    expect(await view(token), `${offset} ms`).toEqual(
      isOver ? { success: 1, active: false } : expect.objectContaining(previous),
    );
    const { status, json } = await rotate(token, 60);
    expect([status, json.user_group?.token], `${offset} ms`).toEqual(isOver ? [404, undefined] : [200, successor]);
    expect(await view(successor)).toMatchObject({ active: true });
  }
  const findClock = async () =>
    (await examine(new URL(service.url), apiToken)).find(({ name }) => name === "clock")?.says;
  await expect.poll(findClock).toMatch(/differs from the local one by 0 s, and its database's by 86\d{3} s/);
});

test("after kill -9 during rotations of one token with an overlap, the old token still leads to one successor", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: "6e".repeat(32) };
  const apiToken = await insertApiToken(settings, { scopes: SCOPES });
  for (const [round, delay] of [0, 5, 12, 25].entries()) {
    const service = await start(settings);
    const { get, rotate, view } = callerOf(service.url, apiToken);
    const token = await get(`killed-${round}`);
    const answers = Array.from({ length: CALLERS }, () => rotate(token, HOUR).catch(() => undefined));
    setTimeout(() => service.kill("SIGKILL"), delay);
    const told = (await Promise.all(answers)).flatMap((answer) => (answer?.status === 200 ? [answer.json] : []));
    await service.exited;

    const next = await start(settings);
    const after = callerOf(next.url, apiToken);
    const again = await after.rotate(token, HOUR);
    expect(again.status, JSON.stringify(again.json)).toBe(200);
    expect(new Set([...told, again.json].map(({ user_group }) => user_group.token)).size).toBe(1);
    expect(await after.view(token)).toMatchObject({ token_state: "previous" });
    expect(await after.view(again.json.user_group.token)).toMatchObject({ active: true });
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      settings.DATABASE_URL,
      "SELECT count(*)::int FROM audit_entry JOIN user_group USING (team_id) WHERE provided_id = $1 AND action = 'user_group.token_rotated'",
      [`killed-${round}`],
    );
    expect(count).toBe(1);
    await next.stop();
    expect(await view(token).catch(() => "gone")).toBe("gone");
  }
});

test("previous tokens are deleted some time after their overlap ends", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  test.setTimeout(120_000);
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: "7e".repeat(32) };
  const service = await start(settings);
  const { get, rotate } = callerOf(service.url, await insertApiToken(settings, { scopes: SCOPES }));
  for (const [id, seconds] of [
    ["over", 1],
    ["running", HOUR],
  ] as const)
    expect((await rotate(await get(id), seconds)).status).toBe(200);
  const left = () => query(settings.DATABASE_URL, "SELECT provided_id FROM previous_token ORDER BY 1");
  expect(await left()).toHaveLength(2);
  await expect.poll(left, { timeout: 90_000 }).toEqual([{ provided_id: "running" }]);
});

/** Creates groups in batches, each with an overlap; returns their first tokens. */
async function makeOverlaps({ call, get }: ReturnType<typeof callerOf>, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `rekeyed-${n}`);
  const inBatches = async (more: object) => {
    for (let from = 0; from < count; from += 100) {
      const user_groups = ids.slice(from, from + 100).map((user_group_id) => ({ user_group_id }));
      const { status, json } = await call("POST", "/api/user-groups/batch", { ...more, user_groups });
      expect(status, JSON.stringify(json)).toBe(200);
      const failed = json.results.filter(({ outcome }: { outcome: string }) => outcome === "error");
      expect(failed.slice(0, 3)).toEqual([]);
    }
  };
  await inBatches({ mode: "create" });
  const tokens: string[] = [];
  await inLanes(ids.length, async (n) => {
    tokens[n] = await get(ids[n] ?? "");
  });
  await inBatches({ mode: "rotate", overlap_seconds: 24 * HOUR });
  return tokens;
}

/** Does this for each number below `count`, in sixteen lanes. */
async function inLanes(count: number, work: (n: number) => Promise<unknown>) {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

for (const count of [300, 10_000]) {
  test(`a rekey during ${count} overlaps moves all previous tokens to the new key, and refuses none`, {
    tag: "@release",
  }, async ({ start, createDatabase }) => {
    test.setTimeout(count > 1_000 ? 900_000 : 120_000);
    const DATABASE_URL = await createDatabase();
    const [oldKey, key] = ["8e", "9e"].map((pair) => pair.repeat(32)) as [string, string];
    const before = await start({ DATABASE_URL, SECRET_KEY: oldKey });
    const apiToken = await insertApiToken({ DATABASE_URL, SECRET_KEY: oldKey }, { scopes: SCOPES });
    const tokens = await makeOverlaps(callerOf(before.url, apiToken), count);
    await before.stop();

    const settings = { DATABASE_URL, SECRET_KEY: key, PREVIOUS_SECRET_KEY: oldKey };
    const during = callerOf((await start(settings)).url, apiToken);
    const successors = new Map<string, string>();
    const seen = new Map<string, number>();
    const load = keepDoing(4, async (lane, n) => {
      const token = tokens[(n * 4 + lane) % count] ?? "";
      const viewed = await during.view(token);
      expect(viewed).toMatchObject({ active: true, token_state: "previous" });
      seen.set(token, (seen.get(token) ?? 0) + 1);
      // Some are rotated again meanwhile, which moves a token to this table.
      if (n % 5 > 0) return;
      const { json } = await during.rotate(token, HOUR);
      successors.set(token, json.user_group.token);
      expect((await during.rotate(json.user_group.token, HOUR)).json.error?.code).toBe("overlap_running");
    });
    const fresh = keepDoing(1, async (_, n) => {
      const token = await during.get(`fresh-${n}`);
      const { json } = await during.rotate(token, HOUR);
      successors.set(token, json.user_group.token);
    });
    const rekey = await command(["rekey"], settings);
    await Promise.all([load.stop(), fresh.stop()]);
    expect(rekey).toMatchObject({ code: 0, stderr: "" });
    expect(Number(/(\d+) previous tokens/.exec(rekey.stdout)?.[1])).toBeGreaterThanOrEqual(count);
    expect(seen.size).toBeGreaterThan(0);

    const after = callerOf((await start({ DATABASE_URL, SECRET_KEY: key })).url, apiToken);
    const all = [...new Set([...tokens, ...successors.keys()])];
    await inLanes(all.length, async (n) => {
      expect(await after.view(all[n] ?? "")).toMatchObject({ active: true, token_state: "previous" });
    });
    for (const [token, successor] of [...successors].slice(0, 200)) {
      expect((await after.rotate(token, HOUR)).json.user_group.token).toBe(successor);
    }
  });
}
