import { type AdminClient, adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { type Database, expect, test } from "../fixtures/api";
import { apply, dryRun, rowsOf } from "../fixtures/jobs";

const DEFINITIONS = {
  properties: { plan: { type: "string", required: true, enum: ["free", "pro"] }, seats: { type: "integer" } },
};

/** An admin of a new environment with one group, `known`. */
async function place(database: Database): Promise<AdminClient> {
  const client = await adminElsewhere(database);
  await makeGroup(client, "known", { properties: { plan: "pro" } });
  return client;
}

async function define(client: AdminClient, settings: object) {
  const answer = await client.send("PUT", "/api/definitions", { ...DEFINITIONS, ...settings });
  expect(answer.status, answer.text).toBe(200);
}

const ROWS = [
  { user_group_id: "known", properties: { plan: "gold", seats: "5" } },
  { user_group_id: "new", name: "New" },
  { user_group_id: "fine", properties: { plan: "free" } },
];
const FILE = ROWS.map((row) => JSON.stringify(row)).join("\n");
const NOT_IN_ENUM = { path: ["properties", "plan"], message: "must be one of free, pro" };
const NO_NUMBER = {
  path: ["properties", "seats"],
  message: "must be a whole number: send 5 without quotes",
};
const REQUIRED = { path: ["properties", "plan"], message: "is required" };

test("with report, the dry run of an import has the definitions' findings as warnings, and applies the rows", async ({
  database,
}) => {
  const client = await place(database);
  const rows = async (id: number) =>
    (await rowsOf(client, id)).map(({ outcome, issues, warnings }) => [outcome, issues, warnings]);
  const off = await dryRun(client, FILE, "groups.jsonl");
  expect((await client.send("GET", `/api/jobs/${off.id}/rows`)).text).not.toContain("warnings");

  await define(client, { enforcement: "report" });
  const { id } = await dryRun(client, FILE, "groups.jsonl");
  const warnings = [[NOT_IN_ENUM, NO_NUMBER], [REQUIRED], undefined];
  expect(await rows(id)).toEqual([
    ["change", [], warnings[0]],
    ["create", [], warnings[1]],
    ["create", [], warnings[2]],
  ]);
  expect((await client.send("GET", `/api/jobs/${id}/failed`)).text.trim().split("\r\n")).toHaveLength(1);
  expect(await apply(client, id)).toMatchObject({ done: { created: 2, changed: 1, skipped: 0 } });
  expect(await rows(id)).toEqual([
    ["changed", [], warnings[0]],
    ["created", [], warnings[1]],
    ["created", [], warnings[2]],
  ]);
});

test("with only changes enforced, a creation has warnings and a change errors", async ({ database }) => {
  const client = await place(database);
  await define(client, { enforcement: "enforce", creations: "report" });
  const { id } = await dryRun(client, FILE, "groups.jsonl");
  expect(await rowsOf(client, id)).toMatchObject([
    { outcome: "error", issues: [NOT_IN_ENUM, NO_NUMBER] },
    { outcome: "create", issues: [], warnings: [REQUIRED] },
    { outcome: "create", issues: [] },
  ]);
});

test("with report, the dry run of a batch has the definitions' findings, and the batch itself answers as usual", async ({
  database,
}) => {
  const client = await place(database);
  const batch = async (dry_run: boolean) => {
    const answer = await client.send("POST", "/api/user-groups/batch", { mode: "upsert", dry_run, user_groups: ROWS });
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };
  const off = await batch(true);
  expect(off.text).toMatch(
    /^{"success":1,"results":\[{"user_group_id":"known","outcome":"changed","team_id":\d+},{"user_group_id":"new","outcome":"created"},{"user_group_id":"fine","outcome":"created"}\]}\n$/,
  );
  await define(client, { enforcement: "report" });
  const at = (index: number, { path, message }: typeof REQUIRED) => ({
    path: ["user_groups", index, ...path],
    message,
  });
  expect((await batch(true)).json.results).toEqual([
    { ...JSON.parse(off.text).results[0], warnings: [at(0, NOT_IN_ENUM), at(0, NO_NUMBER)] },
    { user_group_id: "new", outcome: "created", warnings: [at(1, REQUIRED)] },
    { user_group_id: "fine", outcome: "created" },
  ]);
  const done = await batch(false);
  expect(done.json.results).toMatchObject([{ outcome: "changed" }, { outcome: "created" }, { outcome: "created" }]);
  expect(done.text).not.toContain("warnings");
});
