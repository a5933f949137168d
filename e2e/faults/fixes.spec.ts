import { browserOf } from "../fixtures/cookie-client";
import { apply, dryRun, read, settled } from "../fixtures/jobs";
import { expect, OWNER, query, withOwner as test } from "../fixtures/own-service";

/** Enough groups to leave time for an interruption. */
const GROUPS = 6_000;

/** Calls from the owner's dashboard. */
async function clientOf(url: string) {
  const browser = browserOf(url);
  expect((await browser.signIn(OWNER)).status).toBe(200);
  return { send: (method: string, path: string, body?: unknown) => browser.send(method, path, body as object) };
}

type Client = Awaited<ReturnType<typeof clientOf>>;

const FINDING = "plan:missing";

/** Groups without a plan, and a definition that requires one. */
async function prepare(client: Client) {
  const definitions = { properties: { plan: { type: "string", required: true } }, enforcement: "report" };
  expect((await client.send("PUT", "/api/definitions", definitions)).status).toBe(200);
  const line = (n: number) => `{"user_group_id":"id-${n}","name":"Name","properties":{"n":${n}.0,"m":[1e2]}}\n`;
  const { id } = await dryRun(client, Array.from({ length: GROUPS }, (_, n) => line(n + 1)).join(""), "groups.jsonl");
  expect(await apply(client, id)).toMatchObject({ done: { created: GROUPS } });
}

/** The number of groups of each kind, and of their changes in the history. */
async function countsIn(url: string) {
  const [counts] = await query<{ original: number; fixed: number; other: number; recorded: number }>(
    url,
    `SELECT count(*) FILTER (WHERE properties = was)::int AS original,
       count(*) FILTER (WHERE properties = left(was, -1) || ',"plan":"free"}')::int AS fixed,
       count(*) FILTER (WHERE properties NOT IN (was, left(was, -1) || ',"plan":"free"}'))::int AS other,
       (SELECT count(*)::int FROM audit_entry WHERE action = 'user_group.updated') AS recorded
     FROM user_group, LATERAL (SELECT '{"n":' || substr(provided_id, 4) || '.0,"m":[1e2]}' AS was) AS before`,
  );
  return counts;
}

async function begin(client: Client, path: string, body: object): Promise<number> {
  const begun = await client.send("POST", path, body);
  expect(begun.status, begun.text).toBe(200);
  return begun.json.job.id;
}

test("after kill -9 while a fix is checked, applied or undone, another instance finishes it, each group once", {
  tag: "@release",
}, async ({ start, settings }) => {
  test.slow();
  const { DATABASE_URL } = settings;
  let service = await start(settings);
  let client = await clientOf(service.url);
  await prepare(client);
  const dieWhen = async (id: number, isMidway: (job: Awaited<ReturnType<typeof read>>) => boolean) => {
    await expect.poll(async () => isMidway(await read(client, id)), { intervals: [10] }).toBe(true);
    service.killGroup("SIGKILL");
    await service.exited;
    service = await start(settings);
    client = await clientOf(service.url);
  };
  const id = await begin(client, "/api/definitions/fixes", { finding: FINDING, set: "free" });
  await dieWhen(id, ({ planned }) => planned.change > 0);
  expect(await settled(client, id)).toMatchObject({ state: "checked", planned: { change: GROUPS, same: 0, error: 0 } });
  expect(await countsIn(DATABASE_URL)).toEqual({ original: GROUPS, fixed: 0, other: 0, recorded: 0 });

  expect((await client.send("POST", `/api/jobs/${id}/apply`, {})).status).toBe(200);
  await dieWhen(id, ({ done }) => done.changed > 0);
  expect(await settled(client, id)).toMatchObject({ state: "done", done: { changed: GROUPS, skipped: 0 } });
  expect(await countsIn(DATABASE_URL)).toEqual({ original: 0, fixed: GROUPS, other: 0, recorded: GROUPS });

  const undoing = await begin(client, `/api/jobs/${id}/undo`, {});
  await dieWhen(undoing, ({ planned }) => planned.change > 0);
  expect(await settled(client, undoing)).toMatchObject({ state: "checked", planned: { change: GROUPS, error: 0 } });
  expect((await client.send("POST", `/api/jobs/${undoing}/apply`, {})).status).toBe(200);
  await dieWhen(undoing, ({ done }) => done.changed > 0);
  expect(await settled(client, undoing)).toMatchObject({ state: "done", done: { changed: GROUPS, skipped: 0 } });
  expect(await countsIn(DATABASE_URL)).toEqual({ original: GROUPS, fixed: 0, other: 0, recorded: 2 * GROUPS });
});

test("changes by programs while a fix is checked and applied are never lost", { tag: "@release" }, async ({
  start,
  settings,
}) => {
  test.slow();
  const { DATABASE_URL } = settings;
  const service = await start(settings);
  const client = await clientOf(service.url);
  await prepare(client);
  const changed = new Set<number>();
  let isOver = false;
  const writer = async (step: number) => {
    for (let n = step; !isOver && n <= GROUPS; n += 37) {
      const body = { user_group_id: `id-${n}`, properties: { theirs: n } };
      const { status, text } = await client.send("PATCH", "/api/user", body);
      expect(status, text).toBe(200);
      changed.add(n);
    }
  };
  const writers = [1, 2, 3, 4].map(writer);
  const id = await begin(client, "/api/definitions/fixes", { finding: FINDING, set: "free" });
  await settled(client, id);
  expect((await client.send("POST", `/api/jobs/${id}/apply`, {})).status).toBe(200);
  const { done } = await settled(client, id);
  isOver = true;
  await Promise.all(writers);
  expect(changed.size).toBeGreaterThan(50);
  const rows = await query<{ n: number; properties: string }>(
    DATABASE_URL,
    "SELECT substr(provided_id, 4)::int AS n, properties FROM user_group ORDER BY 1",
  );
  const lost = rows.filter(({ n, properties }) => {
    const was = `"n":${n}.0,"m":[1e2]`;
    const theirs = `,"theirs":${n}`;
    const allowed = changed.has(n)
      ? [`{${was}${theirs}}`, `{${was},"plan":"free"${theirs}}`, `{${was}${theirs},"plan":"free"}`]
      : [`{${was},"plan":"free"}`];
    return !allowed.includes(properties);
  });
  expect(lost).toEqual([]);
  expect(done.changed + done.skipped).toBe(GROUPS);
  expect(rows.filter(({ properties }) => properties.includes('"plan"'))).toHaveLength(done.changed);
});
