import { jobRows } from "@/lib/jobs/schema";
import { adminElsewhere } from "../fixtures/admin-client";
import { expect, expectError, test } from "../fixtures/api";
import { holdingLock } from "../fixtures/hold";
import { dryRun } from "../fixtures/jobs";

const MiB = 1_048_576;
const MAX_OPEN = 10;

test("a page of rows ends at 4 MiB, and the pages show every row once", async ({ database }) => {
  const client = await adminElsewhere(database);
  const filler = "x".repeat(60_000);
  const ids = Array.from({ length: 90 }, (_, n) => `id-${n}`);
  const file = ids.map(
    (user_group_id) => `${JSON.stringify({ user_group_id, mapping: { filler }, properties: { filler } })}\n`,
  );
  const { id } = await dryRun(client, file.join(""), "x.jsonl");
  const seen: (string | null)[] = [];
  let pages = 0;
  for (let after: number | null = 0; after !== null; pages++) {
    const answer = await client.send("GET", `/api/jobs/${id}/rows?limit=100&after=${after}`);
    expect(answer.status, answer.text.slice(0, 200)).toBe(200);
    expect(answer.text.length).toBeLessThan(4.1 * MiB);
    const page = jobRows.parse(answer.json);
    expect(page.rows.length).toBeGreaterThan(0);
    seen.push(...page.rows.map(({ provided_id }) => provided_id));
    after = page.next;
  }
  expect(seen).toEqual(ids);
  expect(pages).toBe(3);
});

test("of two imports that start concurrently only one is the tenth", async ({ database, stage }) => {
  const client = await adminElsewhere(database);
  const begin = () => client.send("POST", "/api/jobs", { kind: "import", file_name: "x.jsonl", bytes: 1 });
  for (let n = 1; n < MAX_OPEN; n++) expect((await begin()).status).toBe(200);
  // Holds both starts at their last check, that of the author.
  const held = "SELECT pg_backend_pid() AS pid, pg_advisory_xact_lock(hashtext('member'), hashtext($1))";
  const lock = await holdingLock(stage.databaseUrl, held, client.member.id);
  const both = [begin(), begin()];
  await lock.waited(2);
  await lock.release();
  const answers = (await Promise.all(both)).toSorted((one, other) => one.status - other.status);
  expect(answers[0]?.status, answers[0]?.text).toBe(200);
  for (const answer of answers.slice(1)) expectError(answer, 409, "conflict");
  expect((await client.send("GET", "/api/jobs")).json.jobs).toHaveLength(MAX_OPEN);
});

test("errors for import fields use our wording", async ({ database }) => {
  const client = await adminElsewhere(database);
  const [few, whole] = ['must be a number of user groups, or a percentage as in "5%"', "must be a whole number"];
  const file = { kind: "import", file_name: "x.jsonl", bytes: 1, mode: "sync" };
  const BODIES: [body: object, path: string, message: string][] = [
    [{ ...file, max_deletions: 2 ** 31 }, "max_deletions", few],
    [{ ...file, max_deletions: 1.5 }, "max_deletions", few],
    [{ ...file, max_deletions: -1 }, "max_deletions", few],
    [{ ...file, max_deletions: null }, "max_deletions", few],
    ...["\u202E", "\u2066", "\u0007", "\uFDD0"].map((odd): [object, string, string] => [
      { ...file, file_name: `a${odd}lsj.exe` },
      "file_name",
      odd === "\uFDD0" ? "" : "must not contain control characters, bidirectional ones included, or noncharacters",
    ]),
  ];
  for (const [body, path, message] of BODIES) {
    const answer = await client.send("POST", "/api/jobs", body);
    if (message === "") {
      expectError(answer, 400, "invalid_json");
      continue;
    }
    expectError(answer, 422, "invalid_fields");
    expect(answer.json.error.issues).toEqual([{ path: [path], message }]);
  }
  const OUTCOMES = "create, change, delete, restore, same, error, created, changed, deleted, restored, skipped";
  const QUERIES: [query: string, path: string, message: string][] = [
    ["limit=1e2", "limit", whole],
    ["limit=0x10", "limit", whole],
    ["limit=", "limit", whole],
    ["limit=0", "limit", "must be from 1 to 100"],
    ["limit=101", "limit", "must be from 1 to 100"],
    ["after=1e2", "after", whole],
    ["outcome=none", "outcome", `must be one of ${OUTCOMES}`],
  ];
  const created = await client.send("POST", "/api/jobs", { kind: "import", file_name: "Liste — März.jsonl", bytes: 1 });
  for (const [query, path, message] of QUERIES) {
    const answer = await client.send("GET", `/api/jobs/${created.json.job.id}/rows?${query}`);
    expectError(answer, 422, "invalid_fields");
    expect(answer.json.error.issues).toEqual([{ path: [path], message }]);
  }
});
