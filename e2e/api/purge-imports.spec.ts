import { adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { type Database, expect, test } from "../fixtures/api";
import { apply, dryRun, read, rowsOf, settled } from "../fixtures/jobs";

const SECRET = "secret-of-this-customer";
const line = (id: string, fields: object = {}) => `${JSON.stringify({ user_group_id: id, ...fields })}\n`;

type Place = Awaited<ReturnType<typeof adminElsewhere>>;

async function remove(client: Place, user_group_id: string) {
  expect((await client.user("DELETE", { user_group_id })).status).toBe(200);
}

async function purge(client: Place, team_id: number) {
  const answer = await client.act("purge", { team_id });
  expect(answer.status, answer.text).toBe(200);
}

const contents = (database: Database, id: number) =>
  database.query("SELECT * FROM job_row WHERE job_id = $1 ORDER BY line", [id]);

/** Interrupts an import's check between storing its rows and looking for groups to delete. */
async function unswept(database: Database, id: number) {
  await database.query("DELETE FROM job_row WHERE job_id = $1 AND outcome = 'delete'", [id]);
  await database.query(
    `UPDATE job SET state = 'checking', swept = 0, existing = 0, deletes = 0,
       leased_by = gen_random_uuid(), leased_until = now() + interval '1 minute' WHERE id = $1`,
    [id],
  );
}

test("an erasure during the check of a sync leaves the living group with that id alone", async ({ database }) => {
  const client = await adminElsewhere(database, "owner");
  const [first, second] = [await makeGroup(client, "a"), await makeGroup(client, "b")];
  await remove(client, "a");
  await makeGroup(client, "a", { name: "Living" });
  // Each row of the file is stored with its id, as a planned change or an error.
  const file = line("a", { name: SECRET, properties: 1 }) + line("b", { name: SECRET }) + line("z");
  const { id } = await dryRun(client, file, "x.jsonl", { mode: "sync", max_deletions: "100%" });
  await unswept(database, id);
  await remove(client, "b");
  await makeGroup(client, "b", { name: "Living" });
  await purge(client, first.teamId);
  await purge(client, second.teamId);
  const rows = await contents(database, id);
  expect(rows.map(({ provided_id }) => provided_id)).toEqual(["a", "b", "z"]);
  expect(JSON.stringify(rows.slice(0, 2))).not.toContain(SECRET);
  // The resumed check finds the file fully read.
  await database.query("UPDATE job SET leased_by = NULL, leased_until = NULL WHERE id = $1", [id]);
  await expect.poll(async () => (await read(client, id)).state).not.toBe("checking");
  const checked = await settled(client, id);
  expect(checked.planned.delete).toBe(0);
  expect((await apply(client, id)).done).toMatchObject({ deleted: 0, restored: 0, skipped: 1 });
  const { json } = await client.groups("", { sort: "user_group_id" });
  expect(json.user_groups.map(({ name }: { name: string }) => name)).toEqual(["Living", "Living", "z"]);
});

test("rows with a former id are erased with the group", async ({ database }) => {
  const client = await adminElsewhere(database, "owner");
  const group = await makeGroup(client, "a");
  const ended = await dryRun(client, line("a", { name: SECRET }), "x.jsonl");
  await apply(client, ended.id);
  const open = await dryRun(client, line("a", { name: `${SECRET} 2` }), "x.jsonl");
  expect((await client.user("PATCH", { user_group_id: "a", new_user_group_id: "b" })).status).toBe(200);
  await remove(client, "b");
  await purge(client, group.teamId);
  expect(await contents(database, ended.id)).toEqual([]);
  expect(JSON.stringify(await contents(database, open.id))).not.toContain(SECRET);
  expect(await database.query("SELECT FROM reserved_id WHERE team_id = $1", [group.teamId])).toEqual([]);
});

test("a row of an open import keeps only its id", async ({ database }) => {
  const client = await adminElsewhere(database, "owner");
  const group = await makeGroup(client, "a", { name: SECRET, properties: { SECRET } });
  const change = await dryRun(client, line("a", { name: `${SECRET} 2` }), "x.jsonl");
  const sync = await dryRun(client, line("b"), "x.jsonl", { mode: "sync", max_deletions: "100%" });
  await remove(client, "a");
  await purge(client, group.teamId);
  for (const [{ id }, outcome] of [
    [change, "change"],
    [sync, "delete"],
  ] as const) {
    const rows = await rowsOf(client, id, { outcome });
    expect(rows).toMatchObject([{ outcome, provided_id: "a", before: null, after: null }]);
    expect(JSON.stringify(await contents(database, id))).not.toContain(SECRET);
    expect((await apply(client, id)).done).toMatchObject({ skipped: 1, changed: 0, deleted: 0 });
  }
});

test("a cancelled or finished import keeps no content of an erased group", async ({ database }) => {
  const client = await adminElsewhere(database, "owner");
  const create = await dryRun(client, line("a", { name: SECRET }) + line("other"), "x.jsonl");
  expect((await client.send("POST", `/api/jobs/${create.id}/cancel`, {})).status).toBe(200);
  const created = await dryRun(client, line("a", { name: SECRET }), "x.jsonl");
  expect((await apply(client, created.id)).done.created).toBe(1);
  const [group] = (await client.groups("", { user_group_id: "a" })).json.user_groups;
  await remove(client, "a");
  await purge(client, group.team_id);
  expect((await contents(database, create.id)).map(({ provided_id }) => provided_id)).toEqual(["other"]);
  expect(await contents(database, created.id)).toEqual([]);
});

test("an ended job keeps nothing of what it set or filtered by", async ({ database }) => {
  const client = await adminElsewhere(database, "owner");
  const { teamId } = await makeGroup(client, "a", { properties: { secret: SECRET } });
  const begin = async (change: object) => {
    const { json, text } = await client.send("POST", "/api/jobs", { kind: "change", apply: true, ...change });
    expect(json?.success, text).toBe(1);
    expect(await settled(client, json.job.id)).toMatchObject({ state: "done", done: { changed: 1 } });
  };
  await begin({ mode: "merge", properties: { other: SECRET }, user_group_ids: ["a"] });
  await begin({ mode: "suspend", reason: SECRET, where: { filter: [`secret:is:"${SECRET}"`] } });
  await remove(client, "a");
  await purge(client, teamId);
  const jobs = await database.query(
    "SELECT * FROM job WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)",
    [client.environment],
  );
  expect(jobs).toHaveLength(2);
  expect(JSON.stringify(jobs)).not.toContain(SECRET);
});
