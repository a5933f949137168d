import { setTimeout as sleep } from "node:timers/promises";
import type { FeedEvent, UserGroupsClient } from "@/clients/typescript/src/client";
import { SCOPES } from "@/lib/authority/scopes";
import { createEnvironment } from "../fixtures/admin-client";
import { expect, newId } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { loseHistory } from "../fixtures/feed";
import { holding } from "../fixtures/hold";
import { withClients } from "../fixtures/typescript-client";

interface Fixtures {
  apiToken: string;
  /** a client with all scopes in a new environment */
  client: UserGroupsClient;
}

const test = withClients.extend<Fixtures>({
  apiToken: async ({ database, stage }, use) => {
    const environment = await createEnvironment(database);
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    await use(await insertApiToken(settings, { environment, scopes: SCOPES }));
  },
  client: ({ apiToken, clientOf }, use) => use(clientOf({ apiToken })),
});

// One worker, which builds and installs the package once.
test.describe.configure({ mode: "default" });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("a group gets another id, and the client's API token a new value", async ({ client, clientOf, errorOf }) => {
  const [id, to] = [newId(), newId()];
  const { user_group } = await client.getOrCreate({ user_group_id: id });
  const renamed = await client.merge({ user_group_id: id, new_user_group_id: to });
  expect(renamed.user_group).toMatchObject({ team_id: user_group.team_id, token: user_group.token, provided_id: to });
  expect(await errorOf(client.getOrCreate({ user_group_id: id }))).toMatchObject({ code: "renamed", status: 409 });
  const { api_token } = await client.replaceApiToken(3_600);
  const other = clientOf({ apiToken: api_token });
  const { viewer_token } = await other.mintViewerToken({ user_group_id: to, typ: "JWT" });
  expect(await other.viewer(viewer_token)).toMatchObject({ active: false });
  expect(await errorOf(client.replaceApiToken(3_600))).toMatchObject({ code: "conflict" });
});

test("merge and upsert change the named members, and a stale etag is refused", async ({ client, errorOf }) => {
  const id = newId();
  const created = await client.upsert({ user_group_id: id, name: "Acme", properties: { plan: "pro", seats: 1 } });
  expect(created).toMatchObject({ new_user_group: true, changed: true });
  const merged = await client.merge({ user_group_id: id, properties: { seats: null, region: "eu" } });
  expect(merged.user_group.properties).toEqual({ plan: "pro", region: "eu" });
  expect(await client.upsert({ user_group_id: id, properties: { region: "eu" } })).toMatchObject({ changed: false });
  for (const change of [
    () => client.update({ user_group_id: id, name: "Late" }, { ifMatch: created.etag }),
    () => client.merge({ user_group_id: id, name: "Late" }, { ifMatch: created.etag }),
    () => client.suspend(id, { ifMatch: created.etag }),
    () => client.delete({ user_group_id: id }, { ifMatch: created.etag }),
    () => client.replaceToken({ user_group_id: id }, { ifMatch: created.etag }),
  ]) {
    expect(await errorOf(change())).toMatchObject({ code: "stale", status: 412 });
  }
  const renamed = await client.update({ user_group_id: id, name: "In time" }, { ifMatch: merged.etag });
  expect(renamed.user_group.name).toBe("In time");
});

test("a group is suspended, resumed, ended, deleted, restored and erased", async ({ client, errorOf }) => {
  const id = newId();
  const { user_group } = await client.getOrCreate({ user_group_id: id });
  const { token, team_id } = user_group;
  const suspended = await client.suspend(id, { reason: "Invoice 4711" });
  expect(suspended.user_group.state).toBe("suspended");
  expect(await client.viewer(token)).toEqual({ success: 1, active: false, reason: "suspended" });
  expect((await client.resume(id, { ifMatch: suspended.etag })).user_group.state).toBe("active");
  await client.merge({ user_group_id: id, access_ends_at: new Date(0).toISOString() });
  expect(await client.viewer(token)).toEqual({ success: 1, active: false, reason: "ended" });
  await client.merge({ user_group_id: id, access_ends_at: null });
  expect(await client.viewer(token)).toMatchObject({ active: true });

  expect(await client.delete({ user_group_id: id, current_token: token })).toEqual({ success: 1 });
  expect(await client.viewer(token)).toEqual({ success: 1, active: false });
  expect(await collect(client.iterateDeleted({ user_group_id: id }))).toMatchObject([{ team_id, is_id_taken: false }]);
  const again = await client.getOrCreate({ user_group_id: id });
  expect(await errorOf(client.restore({ user_group_id: id }))).toMatchObject({ code: "conflict" });
  expect((await client.restore({ user_group_id: id, replace: true })).user_group.team_id).toBe(team_id);
  expect(await client.viewer(token)).toMatchObject({ active: true });
  expect(await errorOf(client.purge(team_id))).toMatchObject({ code: "conflict" });
  expect(await client.purge(again.user_group.team_id)).toEqual({ success: 1 });
  expect((await client.deleted()).user_groups).toEqual([]);
});

test("a token is shown, replaced and traced", async ({ client }) => {
  const { user_group } = await client.getOrCreate({ user_group_id: newId() });
  const { team_id, token } = user_group;
  const shown = await client.token({ team_id }, { purpose: "copy" });
  expect(shown.user_group.token).toBe(token);
  const replaced = await client.replaceToken({ team_id }, { ifMatch: shown.etag });
  expect(await client.findByToken(`token=${replaced.user_group.token}`)).toMatchObject({ found: "current" });
  expect(await client.findByToken(token)).toMatchObject({ found: "rotated", user_group: { team_id } });
});

test("a token is rotated with an overlap, which is then ended", async ({ client, errorOf }) => {
  const user_group_id = newId();
  const { token } = (await client.getOrCreate({ user_group_id })).user_group;
  const rotated = await client.rotate(token, { overlapSeconds: 60 });
  const until = rotated.previous_token_valid_until;
  expect((await client.rotate(token, { overlapSeconds: 60 })).user_group).toEqual(rotated.user_group);
  expect(await client.viewer(token)).toMatchObject({ active: true, token_state: "previous", valid_until: until });
  expect(await client.findByToken(token)).toMatchObject({ found: "previous", valid_until: until });
  const listed = await client.list({ user_group_id: [user_group_id] });
  expect(listed.user_groups[0]?.previous_token?.valid_until).toBe(until);
  const second = client.replaceToken({ user_group_id }, { overlapSeconds: 60 });
  expect(await errorOf(second)).toMatchObject({ code: "overlap_running" });
  expect(await client.endOverlap(user_group_id)).toMatchObject({
    overlap_ended: true,
    user_group: { provided_id: user_group_id },
  });
  expect(await client.endOverlap(user_group_id)).toMatchObject({ overlap_ended: false });
  expect(await client.viewer(token)).toEqual({ success: 1, active: false });
  const batch = await client.batch({ mode: "rotate", overlap_seconds: 60, user_groups: [{ user_group_id }] });
  expect(batch.results).toMatchObject([{ outcome: "rotated" }]);
});

test("iterators walk through everything, or exactly the named ids", async ({ client }) => {
  const ids = Array.from({ length: 230 }, (_, n) => `group ${String(n).padStart(3, "0")}/ü`);
  const made = await client.batch({
    mode: "create",
    user_groups: ids.map((user_group_id, n) => ({ user_group_id, properties: { even: n % 2 === 0 } })),
  });
  expect(made.results.map(({ outcome }) => outcome)).toEqual(ids.map(() => "created"));
  const all = await collect(client.iterate({ limit: 100 }));
  expect(all.map(({ provided_id }) => provided_id)).toEqual(ids);
  expect(all[0]).toMatchObject({ state: "active", access_ends_at: null, etag: made.results[0]?.etag });
  const long = Array.from({ length: 50 }, (_, n) => `${n} ${"ü".repeat(250)}`);
  const named = await collect(client.iterate({ user_group_id: [...ids, ...long, "nobody"] }));
  expect(named.map(({ provided_id }) => provided_id).sort()).toEqual(ids.toSorted());
  const numbered = await collect(client.iterate({ team_id: all.map(({ team_id }) => team_id) }));
  expect(numbered).toHaveLength(ids.length);
  expect(await collect(client.iterate({ user_group_id: [] }))).toEqual([]);
  for (const asked of [
    client.list({ user_group_id: [] }),
    client.usage({ team_id: [] }),
    client.usageByGroup({ team_id: [] }),
  ]) {
    await expect(asked).rejects.toThrow(TypeError);
  }
  const filter = ["even:is:true"];
  expect(await collect(client.iterate({ filter, limit: 50 }))).toHaveLength(115);
  expect(await client.list({ filter, limit: 1 })).toMatchObject({ total: 115, user_groups: [{}] });

  expect(await client.summary()).toMatchObject({ total: 230, states: { never_used: 230 }, sampled: 230 });

  const lines = await collect(client.export({ filter }));
  expect(lines.map((line) => JSON.parse(line).user_group_id)).toEqual(ids.filter((_, n) => n % 2 === 0));
  for await (const line of client.export()) {
    expect(JSON.parse(line).user_group_id).toBe(ids[0]);
    break;
  }
  const history = await collect(client.iterateHistory({ action: ["user_group.created"], limit: 100 }));
  expect(history.map(({ user_group }) => user_group?.provided_id)).toEqual(ids.toReversed());

  expect(await client.usage({ from: "2026-11-20", to: "2026-11-21" })).toMatchObject({ checks: 0, days: [{}, {}] });
  const team_id = all.slice(0, 3).map((group) => group.team_id);
  expect((await client.usageByGroup({ team_id })).user_groups.map((group) => group.team_id)).toEqual(team_id);
  expect(await client.usageByGroup({ limit: 5 })).toMatchObject({ user_groups: [], next_cursor: null });
});

test("an iterator of events resumes at its cursor, waits for more, and fails when its event is gone", {
  tag: "@release",
}, async ({ apiToken, client, clientOf, errorOf, way, database }) => {
  const { next_cursor: after } = await client.events({ after: "latest" });
  // Longer than the deadline, which starts when the service should have answered.
  expect(await client.events({ after, wait: 1 }, { deadline: 500 })).toMatchObject({ events: [], caught_up: true });
  const ids = [newId(), newId(), newId()];
  for (const user_group_id of ids) await client.getOrCreate({ user_group_id, properties: { plan: "pro" } });
  const query = { limit: 1, wait: 10, types: ["user_group.*"] };
  const first = client.iterateEvents({ ...query, after, include: "states" });
  for await (const { data } of first) {
    expect(data).toMatchObject({ provided_id: ids[0], before: null, after: { properties: { plan: "pro" } } });
    break;
  }
  // The second answer is lost and requested again.
  way.trouble({ kind: "cut before answer", pattern: /^GET \/api\/events/, nth: 2 });
  const rest = clientOf({ apiToken, baseUrl: way.url }).iterateEvents({ ...query, after: String(first.cursor) });
  const read: FeedEvent[] = [];
  for await (const event of rest) if (read.push(event) === 2) break;
  expect(read.map(({ data }) => data.provided_id)).toEqual(ids.slice(1));

  const following = client.iterateEvents({ wait: 10, after: String(rest.cursor) })[Symbol.asyncIterator]();
  const next = following.next();
  await client.update({ user_group_id: String(ids[2]), name: "Renamed" });
  expect((await next).value).toMatchObject({ type: "user_group.updated", data: { changed: ["name"] } });
  await following.return();
  const ending = client.iterateEvents({ after: String(rest.cursor) });
  expect(await collect(ending)).toHaveLength(1);
  expect(await collect(client.iterateEvents({ after: String(ending.cursor) }))).toEqual([]);

  await loseHistory(database, Number(read[1]?.data.team_id));
  expect(await errorOf(collect(client.iterateEvents({ after: String(ending.cursor) })))).toMatchObject({
    code: "cursor_gone",
    status: 410,
    message: expect.stringContaining("after=latest"),
  });
});

test("a batch returns each group's outcome, and repeating it with its key does nothing", async ({ client }) => {
  const [one, two] = [newId(), newId()];
  const request = {
    mode: "upsert" as const,
    user_groups: [{ user_group_id: one }, { user_group_id: two, name: "x".repeat(256) }],
  };
  expect(await client.batch({ ...request, dry_run: true })).toMatchObject({ results: [{ outcome: "created" }, {}] });
  expect((await client.list()).total).toBe(0);
  const idempotencyKey = newId("key");
  const first = await client.batch(request, { idempotencyKey });
  expect(first.results).toMatchObject([
    { outcome: "created", user_group_id: one },
    { outcome: "error", error: { code: "invalid_fields", issues: [{ path: ["user_groups", 1, "name"] }] } },
  ]);
  expect(await client.batch(request, { idempotencyKey })).toEqual(first);
});

test("a batch is retried with its key until a locked group is done, and finished rows are not repeated", async ({
  client,
  stage,
  database,
}) => {
  const user_groups = Array.from({ length: 60 }, (_, n) => ({ user_group_id: newId(`batch-${n}`), name: "Done" }));
  const held = String(user_groups[3]?.user_group_id);
  await client.upsert({ user_group_id: held, name: "Before" });
  const lock = await holding(stage.databaseUrl, held);
  const batch = client.batch({ mode: "upsert", user_groups });
  // The service's first answer comes within two seconds and lists this group as unavailable.
  await sleep(2_500);
  await lock.release();
  const { results } = await batch;
  expect(results.map(({ outcome }) => outcome)).toEqual(user_groups.map((_, n) => (n === 3 ? "changed" : "created")));
  const ids = user_groups.map(({ user_group_id }) => user_group_id);
  const entries = await database.query(
    `SELECT action FROM audit_entry JOIN user_group USING (team_id) WHERE provided_id = ANY ($1) AND provided_id <> $2`,
    [ids, held],
  );
  expect(entries.map(({ action }) => action)).toEqual(Array.from({ length: 59 }, () => "user_group.created"));
});

test("a batch whose groups stay unavailable finally returns that", { tag: "@release" }, async ({ client, stage }) => {
  const user_groups = Array.from({ length: 60 }, (_, n) => ({ user_group_id: newId(`batch-${n}`), name: "Done" }));
  const held = String(user_groups[3]?.user_group_id);
  await client.upsert({ user_group_id: held });
  const lock = await holding(stage.databaseUrl, held);
  const { results } = await client.batch({ mode: "upsert", user_groups }, { retries: 1 });
  await lock.release();
  expect(results[3]).toMatchObject({ user_group_id: held, outcome: "error", error: { code: "unavailable" } });
  expect(results.filter(({ outcome }) => outcome === "created").length).toBeGreaterThan(0);
});

test("a file is sent in pieces, checked, applied and cancelled", { tag: "@release" }, async ({ client, errorOf }) => {
  await client.getOrCreate({ user_group_id: "gone" });
  const lines = Array.from({ length: 3_000 }, (_, n) =>
    JSON.stringify({ user_group_id: `imported ${n}`, name: `Ünïcode ${n}`, properties: { text: "x".repeat(40) } }),
  );
  const file = `${[...lines, '{"user_group_id":""}'].join("\n")}\n`;
  expect(file.length).toBeGreaterThan(200_000);
  const about = { file_name: "customers.jsonl", mode: "sync" as const };
  const few = await client.jobs.upload(file, { ...about, max_deletions: 0 });
  expect(few.job).toMatchObject({ state: "checked", planned: { create: 3_000, delete: 1, error: 1 } });
  const { id } = few.job;
  expect(await errorOf(client.jobs.apply(id))).toMatchObject({ code: "too_many_deletions" });
  expect(await client.jobs.failed(id)).toContain("must not be empty");
  expect(await client.jobs.cancel(id)).toMatchObject({ job: { state: "cancelled" } });

  const { job: checked } = await client.jobs.upload(new TextEncoder().encode(`${lines.join("\n")}\n`), {
    ...about,
    max_deletions: "100%",
  });
  await client.jobs.apply(checked.id);
  const { job: ended } = await client.jobs.wait(checked.id);
  expect(ended).toMatchObject({ state: "done", done: { created: 3_000, deleted: 1 } });
  expect((await client.list()).total).toBe(3_000);
  const rows = await collect(client.jobs.iterateRows(checked.id));
  expect(rows).toHaveLength(3_001);
  expect(rows.at(-1)).toMatchObject({ line: null, outcome: "deleted", provided_id: "gone" });
  expect((await client.jobs.list()).jobs.map(({ state }) => state)).toEqual(["done", "cancelled"]);

  const change = await client.jobs.upload('{"user_group_id":"imported 1","name":"New"}', { file_name: "one.jsonl" });
  await client.jobs.apply(change.job.id);
  expect(await client.jobs.wait(change.job.id)).toMatchObject({ job: { done: { changed: 1 } } });
  const { job: begun } = await client.jobs.undo(change.job.id);
  expect(await client.jobs.wait(begun.id)).toMatchObject({
    job: { state: "checked", undoes: change.job.id, planned: { change: 1, error: 0 } },
  });
  expect(await errorOf(client.jobs.undo(begun.id))).toMatchObject({ code: "conflict" });
  const { job: fixing } = await client.fixFinding({ finding: "plan:missing", set: { a: [1, null] } });
  expect(await client.jobs.wait(fixing.id)).toMatchObject({
    job: { state: "checked", name: "Set plan", kind: "change" },
  });
});

test("definitions are read, set and refused when stale, and viewers see their effect", async ({ client, errorOf }) => {
  const before = await client.definitions();
  expect(before).toMatchObject({ version: 0, definitions: { properties: {}, enforcement: "off" } });
  const { user_group } = await client.getOrCreate({ user_group_id: "a", properties: { plan: "none" } });
  const plan = { type: "string" as const, enum: ["free", "pro"] };
  const defined = await client.setDefinitions(
    { properties: { plan, region: { type: "string", default: "eu" } }, enforcement: "enforce" },
    { ifMatch: before.etag },
  );
  expect(defined).toMatchObject({ version: 1, definitions: { properties: { plan }, unknown_properties: "allow" } });
  expect(await client.definitions()).toEqual(defined);
  expect(await errorOf(client.setDefinitions({}, { ifMatch: before.etag }))).toMatchObject({
    code: "stale",
    status: 412,
  });
  expect(await errorOf(client.merge({ user_group_id: "a", properties: { plan: "odd" } }))).toMatchObject({
    code: "invalid_fields",
    issues: [{ path: ["properties", "plan"] }],
  });
  expect(await client.viewer(user_group.token)).toMatchObject({
    active: true,
    variables: { plan: "none", region: "eu" },
    issues: [{ path: ["properties", "plan"], kind: "not_in_enum" }],
  });
  expect(await client.viewer(user_group.token, { strict: true })).toMatchObject({
    active: false,
    reason: "incomplete",
  });
  const again = await client.setDefinitions(
    { ...defined.definitions, enforcement: "report" },
    { ifMatch: defined.etag },
  );
  expect(again.definitions).toEqual({ ...defined.definitions, enforcement: "report" });
});

test("a webhook is created, changed, tested, replayed and deleted", async ({ client, errorOf }) => {
  const { webhooks } = client;
  const created = await webhooks.create({ url: "https://127.0.0.1:1/hook", types: ["environment.deleted"] });
  const { id } = created.webhook;
  expect(created.secret).toMatch(/^whsec_/);
  expect((await webhooks.list()).webhooks).toMatchObject([{ id, url: created.webhook.url }]);
  const changed = await webhooks.update(id, { description: "billing", from: "now" });
  expect(changed.webhook).toMatchObject({ description: "billing", types: ["environment.deleted"], enabled: true });
  const rotated = await webhooks.rotateSecret(id);
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(created.secret);
  const sent: string[] = [];
  for (let n = 0; n < 3; n++) sent.push((await webhooks.test(id)).delivery.id);
  await expect.poll(async () => (await webhooks.list()).webhooks[0]?.health.waiting, { timeout: 20_000 }).toBe(0);
  const failed = await collect(webhooks.iterateDeliveries(id, { state: "failed", limit: 2 }));
  expect(failed.map((delivery) => delivery.id)).toEqual(sent.toReversed());
  expect(failed[0]).toMatchObject({ type: "webhook.test", attempts: [{ status: null, error: "connect" }] });
  expect((await webhooks.deliveries(id, { state: "delivered" })).deliveries).toEqual([]);
  expect(await webhooks.replay(id, { delivery_id: String(sent[0]) })).toEqual({ success: 1, deliveries: 1 });
  expect(await webhooks.replay(id, { since: "2026-11-20T08:00:00Z" })).toEqual({ success: 1, deliveries: null });
  expect((await webhooks.update(id, { enabled: false })).webhook.disabled_reason).toBe("asked");
  expect(await errorOf(webhooks.test(id))).toMatchObject({ code: "conflict" });
  expect(await webhooks.delete(id)).toEqual({ success: 1 });
  expect(await errorOf(webhooks.delete(id))).toMatchObject({ code: "not_found", status: 404 });
});

test("calls unsafe to repeat are sent once when their answer is lost", async ({
  apiToken,
  client,
  clientOf,
  errorOf,
  way,
}) => {
  const troubled = clientOf({ apiToken, baseUrl: way.url });
  const { etag } = await client.getOrCreate({ user_group_id: "a" });
  const { user_group } = await client.getOrCreate({ user_group_id: "b" });
  await client.getOrCreate({ user_group_id: "c" });
  // The second request loses its answer; a third would get one.
  const lose = (pattern: RegExp) => way.trouble({ kind: "cut before answer", pattern, nth: 2 });
  lose(/^PUT /);
  await troubled.update({ user_group_id: "c", name: "First" });
  const conditional = troubled.update({ user_group_id: "a", name: "New" }, { ifMatch: etag });
  expect(await errorOf(conditional)).toMatchObject({ code: "unreachable" });
  lose(/^PATCH /);
  await troubled.merge({ user_group_id: "c", name: "Second" });
  const rename = troubled.merge({ user_group_id: "a", new_user_group_id: "renamed" });
  expect(await errorOf(rename)).toMatchObject({ code: "unreachable" });
  lose(/^DELETE /);
  await troubled.delete({ user_group_id: "c" });
  expect(await errorOf(troubled.delete({ user_group_id: "b" }))).toMatchObject({ code: "unreachable" });
  const { webhook } = await client.webhooks.create({ url: "https://127.0.0.1:1/hook", types: ["environment.deleted"] });
  lose(/^POST .*rotate-secret/);
  await troubled.webhooks.rotateSecret(webhook.id);
  expect(await errorOf(troubled.webhooks.rotateSecret(webhook.id))).toMatchObject({ code: "unreachable" });
  const found = await collect(client.iterate({ user_group_id: ["a", "b", "renamed"] }));
  expect(found).toMatchObject([{ provided_id: "renamed", name: "New" }]);
  expect(await client.viewer(user_group.token)).toMatchObject({ active: false });
});

test("an interrupted export is an error, and so is a forbidden one", async ({ client, clientOf, errorOf, stage }) => {
  await client.batch({ mode: "create", user_groups: [{ user_group_id: "a" }, { user_group_id: "b" }] });
  expect(await errorOf(collect(clientOf({ apiToken: stage.tokens.readOnly }).export()))).toMatchObject({ status: 403 });
  const truncated = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"user_group_id":"a"}\n{"user_gr'));
      controller.close();
    },
  });
  // A proxy that closes the connection cleanly in the middle.
  const fetch = async () => new Response(truncated);
  const lines = clientOf({ fetch }).export();
  expect(await lines.next()).toEqual({ done: false, value: '{"user_group_id":"a"}' });
  expect(await errorOf(lines.next())).toMatchObject({ code: "unreachable" });
});

test("an export may be silent for longer than its deadline", async ({ clientOf }) => {
  const searching = new ReadableStream({
    async start(controller) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      controller.enqueue(new TextEncoder().encode('{"user_group_id":"a"}\n'));
      controller.close();
    },
  });
  const lines = clientOf({ fetch: async () => new Response(searching), deadline: 400 }).export();
  expect(await lines.next()).toEqual({ done: false, value: '{"user_group_id":"a"}' });
});

test("an upload that fails leaves no open job", async ({ client, clientOf, apiToken, errorOf }) => {
  const refusing = clientOf({
    apiToken,
    fetch: (input, init) =>
      init?.method === "PUT" ? Promise.resolve(Response.json({}, { status: 500 })) : fetch(input, init),
  });
  await errorOf(refusing.jobs.upload('{"user_group_id":"a"}', { file_name: "broken.jsonl" }));
  expect((await client.jobs.list()).jobs[0]).toMatchObject({ name: "broken.jsonl", state: "cancelled" });
});

test("a list of ids with an undefined one is refused, as it would find every group", async ({ client }) => {
  const unknown = [undefined] as unknown as string[];
  await expect(client.list({ user_group_id: unknown })).rejects.toThrow(/contains undefined/);
});

test("a custom fetch sends the requests", async ({ clientOf }) => {
  const sent: string[] = [];
  const client = clientOf({
    fetch: (input, init) => {
      sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
      return fetch(input, init);
    },
  });
  await client.getOrCreate({ user_group_id: newId() });
  expect(sent).toEqual(["POST /api/user/get-or-create"]);
});

test("viewer tokens are minted, identified and ended, and settings and origins are set", async ({
  client,
  errorOf,
}) => {
  const { user_group } = await client.getOrCreate({ user_group_id: newId(), properties: { plan: "pro" } });
  const id = { user_group_id: user_group.provided_id };
  const { settings } = await client.setViewerSettings({ visible: { properties: ["plan"] } });
  expect((await client.viewerSettings()).settings).toEqual(settings);
  const { viewer_token, expires_at } = await client.mintViewerToken({ ...id, viewer: "u", expires_in: 120 });
  expect(new Date(expires_at).getTime() - Date.now()).toBeGreaterThan(60_000);
  expect(await client.viewer(viewer_token)).toMatchObject({
    active: true,
    viewer_token: { viewer: "u", variables: { plan: "pro" }, preview: false },
  });
  const origins = ["https://app.example.com"];
  expect(await client.setAllowedOrigins(id.user_group_id, origins)).toMatchObject({ effective_origins: origins });
  expect(await client.allowedOrigins(id.user_group_id)).toMatchObject({ allowed_origins: origins });
  expect(await client.viewer(user_group.token)).toMatchObject({ active: true, allowed_origins: origins });
  const { next_since } = await client.revocations();
  const ended = await client.endViews(id.user_group_id);
  expect(await collect(client.iterateRevocations(next_since))).toContainEqual({ team_id: ended.team_id, gen: 2 });
  const blocked = await client.endViewer({
    ...id,
    viewer_id: "u",
    blocked_until: new Date(Date.now() + 60_000).toISOString(),
  });
  const { team_id, viewer_key, before } = blocked;
  expect(await collect(client.iterateRevocations(next_since))).toContainEqual({ team_id, viewer_key, before });
  expect(await errorOf(client.mintViewerToken({ ...id, viewer: { id: "u" } }))).toMatchObject({ code: "viewer_ended" });
  expect(await client.viewer(viewer_token)).toEqual({ success: 1, active: false, reason: "revoked" });
  await client.suspend(id.user_group_id);
  expect(await errorOf(client.mintViewerToken({ token: user_group.token }))).toMatchObject({ code: "not_active" });
});
