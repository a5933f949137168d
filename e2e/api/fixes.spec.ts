import { jobAnswer } from "@/lib/jobs/schema";
import { type AdminClient, adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { type Database, expect, expectError, test } from "../fixtures/api";
import { apply, rowsOf, settled } from "../fixtures/jobs";

async function place(database: Database, definitions?: object): Promise<AdminClient> {
  const client = await adminElsewhere(database);
  if (definitions) await define(client, definitions);
  return client;
}

async function define(client: AdminClient, definitions: object) {
  const answer = await client.send("PUT", "/api/definitions", { enforcement: "report", ...definitions });
  expect(answer.status, answer.text).toBe(200);
}

const PLAN = { type: "string", required: true, enum: ["free", "pro"] };

/** Creates a group with exactly these stored members. */
async function exactly(client: AdminClient, id: string, members: { mapping?: string; properties?: string }) {
  const { mapping = "{}", properties = "null" } = members;
  const body = `{"user_group_id":${JSON.stringify(id)},"mapping":${mapping},"properties":${properties}}`;
  const answer = await client.send("GET", "/api/user", body);
  expect(answer.status, answer.text).toBe(200);
}

/** The members of an environment's groups, byte for byte. */
async function stored(database: Database, { environment }: AdminClient, member: "mapping" | "properties") {
  const rows = await database.query(
    `SELECT provided_id, ${member} AS text FROM user_group g JOIN environment e ON e.id = environment_id
     WHERE slug = $1 ORDER BY team_id`,
    [environment],
  );
  return Object.fromEntries(rows.map(({ provided_id, text }) => [provided_id, text]));
}

/** The dry run of a fix. */
async function fix(client: AdminClient, body: object) {
  const begun = await client.send("POST", "/api/definitions/fixes", body);
  expect(begun.status, begun.text).toBe(200);
  const { job } = jobAnswer.parse(begun.json);
  expect(job).toMatchObject({ state: "checking", kind: "change", undoes: null });
  return settled(client, job.id);
}

/** Outcomes and messages by id. */
async function outcomes(client: AdminClient, id: number) {
  const rows = await rowsOf(client, id);
  return Object.fromEntries(
    rows.map((row) => [row.provided_id, [row.outcome, ...row.issues.map((one) => one.message)]]),
  );
}

test("a fix sets a missing property and keeps other members' bytes, and an undo restores the exact original", async ({
  database,
}) => {
  const client = await place(database, { properties: { plan: PLAN } });
  const odd = '{"z":1.50,"\\u0062":[9007199254740991,1e2],"plan":null,"a":"\\u2028","10":{"plan":1}}';
  await exactly(client, "none", {});
  await exactly(client, "empty", { properties: "{}" });
  await exactly(client, "odd", { mapping: '{"40":1.0}', properties: odd });
  await exactly(client, "has", { properties: '{"plan":"pro"}' });
  await exactly(client, "gone", {});
  const before = await stored(database, client, "properties");
  expect((await client.user("DELETE", { user_group_id: "gone" })).status).toBe(200);
  const finding = "plan:missing";

  const checked = await fix(client, { finding, set: "free" });
  expect(checked).toMatchObject({
    state: "checked",
    name: "Set plan",
    read: 1,
    by: client.member.name,
    planned: { create: 0, change: 3, same: 0, delete: 0, restore: 0, error: 0 },
  });
  const rows = await rowsOf(client, checked.id);
  expect(rows.map(({ line, outcome, provided_id }) => [line, outcome, provided_id])).toEqual([
    [1, "change", "none"],
    [2, "change", "empty"],
    [3, "change", "odd"],
  ]);
  const fixed = odd.replace('"plan":null', '"plan":"free"');
  expect(rows[2]).toMatchObject({ before: { properties: odd }, after: { properties: fixed, mapping: '{"40":1.0}' } });
  const { gone, ...left } = before;
  expect(await stored(database, client, "properties")).toEqual(left);

  expect(await apply(client, checked.id)).toMatchObject({ state: "done", done: { changed: 3, skipped: 0 } });
  const after = { ...left, none: '{"plan":"free"}', empty: '{"plan":"free"}', odd: fixed };
  expect(await stored(database, client, "properties")).toEqual(after);
  expect(await stored(database, client, "mapping")).toMatchObject({ odd: '{"40":1.0}' });
  const { json } = await client.groups("/history", { limit: 4 });
  expect(json.entries.map(({ action }: { action: string }) => action)).toEqual([
    ...Array(3).fill("user_group.updated"),
    "user_group.deleted",
  ]);
  expect(await fix(client, { finding, set: "pro" })).toMatchObject({ planned: { change: 0, same: 0 } });

  const undo = await client.send("POST", `/api/jobs/${checked.id}/undo`, {});
  await settled(client, undo.json.job.id);
  expect(await apply(client, undo.json.job.id)).toMatchObject({ done: { changed: 3, skipped: 0 } });
  expect(await stored(database, client, "properties")).toEqual(left);
});

test("a rename keeps the value in place and overwrites nothing", async ({ database }) => {
  const client = await place(database, { properties: { plan: PLAN } });
  await exactly(client, "a", { properties: '{"x":1.0,"Plan":{"deep":[1.50]},"y":null}' });
  await exactly(client, "both", { properties: '{"Plan":"pro","plan":"free"}' });
  await exactly(client, "null", { properties: '{"plan":null,"Plan":"pro"}' });
  await exactly(client, "spelt", { properties: '{"\\u0050lan":"pro"}' });
  await exactly(client, "without", { properties: '{"y":1}' });
  const checked = await fix(client, { finding: "Plan:unknown_property", rename_to: "plan" });
  expect(checked.name).toBe("Rename Plan to plan");
  const kept = ["error", "is not renamed: the group already has plan"];
  expect(await outcomes(client, checked.id)).toEqual({
    a: ["change"],
    both: kept,
    null: kept,
    spelt: ["change"],
  });
  const [row] = await rowsOf(client, checked.id);
  expect(row?.warnings).toEqual([
    { path: ["properties", "plan"], message: expect.stringContaining("must be a string") },
  ]);
  const both = (await client.groups("", { search: "both" })).json.user_groups[0];
  expect((await rowsOf(client, checked.id, { outcome: "error" }))[0]).toMatchObject({ team_id: both.team_id });
  await apply(client, checked.id);
  expect(await stored(database, client, "properties")).toEqual({
    a: '{"x":1.0,"plan":{"deep":[1.50]},"y":null}',
    both: '{"Plan":"pro","plan":"free"}',
    null: '{"plan":null,"Plan":"pro"}',
    spelt: '{"plan":"pro"}',
    without: '{"y":1}',
  });
});

test("members with names that no job may be sent are fixed as well", async ({ database }) => {
  const client = await place(database, { properties: { plan: PLAN }, unknown_properties: "refuse" });
  const long = "x".repeat(300);
  await exactly(client, "odd", { properties: `{"":1,"__proto__":2,"${long}":3,"plan":"pro"}` });
  const fixes: [name: string, change: object][] = [
    ['""', { remove: true }],
    ["__proto__", { rename_to: "proto" }],
    [long, { rename_to: "short" }],
  ];
  for (const [name, change] of fixes) {
    const checked = await fix(client, { finding: `${name}:unknown_property`, ...change });
    expect(checked).toMatchObject({ state: "checked", problem: null, planned: { change: 1, error: 0 } });
    expect(await apply(client, checked.id)).toMatchObject({ done: { changed: 1 } });
  }
  expect(await stored(database, client, "properties")).toEqual({ odd: '{"proto":2,"short":3,"plan":"pro"}' });
});

test("only values of the wrong type are replaced or removed", { tag: "@release" }, async ({ database }) => {
  const client = await place(database, {
    properties: { plan: PLAN, seats: { type: "integer" } },
    unknown_properties: "refuse",
  });
  await exactly(client, "text", { properties: '{"seats":"5","plan":"pro"}' });
  await exactly(client, "fine", { properties: '{"plan":"pro","seats":5}' });
  await exactly(client, "deep", { properties: '{"plan":"pro","seats":{"n":5,"m":{"x":1}}}' });
  const seats = "seats:wrong_type";
  const set = await fix(client, { finding: seats, set: 10 });
  expect(await outcomes(client, set.id)).toEqual({ text: ["change"], deep: ["change"] });
  expect((await rowsOf(client, set.id)).map(({ after }) => after?.properties)).toEqual([
    '{"seats":10,"plan":"pro"}',
    '{"plan":"pro","seats":10}',
  ]);
  const removed = await fix(client, { finding: seats, remove: true });
  expect(removed).toMatchObject({ name: "Remove seats", planned: { change: 2, same: 0 } });
  await apply(client, removed.id);
  const plan = "plan:not_in_enum";
  expect(await fix(client, { finding: plan, remove: true })).toMatchObject({ planned: { change: 0, same: 0 } });
  expect(await stored(database, client, "properties")).toEqual({
    text: '{"plan":"pro"}',
    fine: '{"plan":"pro","seats":5}',
    deep: '{"plan":"pro"}',
  });
  // Defined members are not removed.
  const unknown = "seats:unknown_property";
  expect(await fix(client, { finding: unknown, remove: true })).toMatchObject({ planned: { change: 0, same: 0 } });
});

test("a fix of a mapping adds a missing schema, changes a data source, or removes an undefined schema", {
  tag: "@release",
}, async ({ database }) => {
  const client = await place(database, {
    schemas: { 40: { required: true }, 41: {} },
    data_sources: { 7: { schemas: ["40"] }, 8: { schemas: ["41"] } },
  });
  await exactly(client, "lacks", { mapping: '{"41":"8"}' });
  await exactly(client, "unknown", { mapping: '{"40":"99","41":"8"}' });
  await exactly(client, "crossed", { mapping: '{"40":"8"}' });
  await exactly(client, "old", { mapping: '{"13":"1","40":"7"}' });
  const steps = [
    ["missing_schema", "40", { set: "7" }, "Set schema 40"],
    ["unknown_data_source", "40", { set: "7" }, "Set schema 40"],
    ["data_source_of_other_schema", "40", { set: "7" }, "Set schema 40"],
    ["unknown_schema", "13", { remove: true }, "Remove schema 13"],
  ] as const;
  for (const [kind, name, change, title] of steps) {
    const finding = `${name}:${kind}`;
    const checked = await fix(client, { finding, ...change });
    expect(checked, finding).toMatchObject({ name: title, planned: { change: 1, same: 0, error: 0 } });
    expect(await apply(client, checked.id)).toMatchObject({ done: { changed: 1 } });
  }
  expect(await stored(database, client, "mapping")).toEqual({
    lacks: '{"41":"8","40":"7"}',
    unknown: '{"40":"7","41":"8"}',
    crossed: '{"40":"7"}',
    old: '{"40":"7"}',
  });
});

test("rows that enforced definitions refuse, or that grow too large, are errors; groups changed since are skipped", async ({
  database,
}) => {
  const properties = { plan: PLAN, region: { type: "string", required: true } };
  const client = await place(database, { properties });
  await exactly(client, "fixable", { properties: '{"region":"eu"}' });
  await exactly(client, "lacks more", { properties: "{}" });
  await exactly(client, "theirs", { properties: '{"region":"us"}' });
  await exactly(client, "full", { properties: JSON.stringify({ region: "x".repeat(65_512) }) });
  await define(client, { properties, enforcement: "enforce" });
  const finding = "plan:missing";
  expect(await fix(client, { finding, set: "gold" })).toMatchObject({ planned: { change: 0, error: 4 } });
  const checked = await fix(client, { finding, set: "pro" });
  expect(await outcomes(client, checked.id)).toEqual({
    fixable: ["change"],
    "lacks more": ["change"],
    theirs: ["change"],
    full: ["error", "would have more than 64 KiB after this merge"],
  });
  const put = { user_group_id: "theirs", properties: { region: "us", plan: "free" } };
  expect((await client.user("PUT", put)).status).toBe(200);
  expect(await apply(client, checked.id)).toMatchObject({ done: { changed: 2, skipped: 1 } });
  expect(await stored(database, client, "properties")).toMatchObject({
    fixable: '{"region":"eu","plan":"pro"}',
    "lacks more": '{"plan":"pro"}',
    theirs: '{"region":"us","plan":"free"}',
  });
  const failed = await client.send("GET", `/api/jobs/${checked.id}/failed`);
  expect(failed.text).toContain("4,full,error,properties,would have more than 64 KiB after this merge");
});

test("an invalid fix is refused with a reason, and a cancelled one changes nothing", async ({ database }) => {
  const client = await place(database, { properties: { plan: PLAN } });
  await makeGroup(client, "a", {});
  const refusals: [body: object, path: string[], message: unknown][] = [
    [{ set: 1 }, ["finding"], "must be a string"],
    [{ finding: "nonsense", set: 1 }, ["finding"], "must be the filter of a finding, such as plan:missing"],
    [{ finding: "unused", remove: true }, ["finding"], "cannot be fixed for many groups"],
    [{ finding: "unknown_property", remove: true }, ["finding"], "cannot be fixed for many groups"],
    [{ finding: "plan:missing" }, [], "must have set"],
    [{ finding: "plan:wrong_type", set: 1, remove: true }, [], "must have either set or remove"],
    [{ finding: "plan:missing", remove: true }, ["remove"], "is not for missing: use set"],
    [{ finding: "Plan:unknown_property", set: 1 }, ["set"], "is not for unknown_property: use rename_to or remove"],
    [{ finding: "plan:missing", set: null }, ["set"], "must not be null"],
    [{ finding: "40:missing_schema", set: 7 }, ["set"], "must be the id of a data source"],
    [{ finding: "Plan:unknown_property", remove: false }, ["remove"], "must be true"],
    [{ finding: "Plan:unknown_property", rename_to: "Plan" }, ["rename_to"], "must be another name"],
    [{ finding: "Plan:unknown_property", rename_to: "" }, ["rename_to"], "must not be empty"],
    [{ finding: "Plan:unknown_property", rename_to: "a\u202E" }, ["rename_to"], expect.any(String)],
  ];
  for (const [body, path, message] of refusals) {
    const answer = await client.send("POST", "/api/definitions/fixes", body);
    expectError(answer, 422, "invalid_fields");
    expect(answer.json.error.issues, answer.text).toContainEqual({ path, message });
  }
  const odd = await fix(client, { finding: "a\u202Eb:unknown_property", remove: true });
  expect(odd.name).toBe("Remove a name with control characters");
  const { id, planned } = await fix(client, { finding: "plan:missing", set: "pro" });
  expect(planned.change).toBe(1);
  expect((await client.send("POST", `/api/jobs/${id}/cancel`, {})).json.job.state).toBe("cancelled");
  expectError(await client.send("POST", `/api/jobs/${id}/apply`, {}), 409, "conflict");
  expect(await stored(database, client, "properties")).toEqual({ a: null });
});
