import { batchAnswer } from "@/lib/groups/batch-schema";
import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";

const MOST = 65_536;
const send = (body: string) => call("POST", "/api/user-groups/batch", { body });
const rest = '"mode":"upsert","dry_run":true';
const list = `"user_groups":[{"user_group_id":"${newId()}"}]`;
const members = (count: number) => Array.from({ length: count }, (_, n) => `"${n.toString(36)}":1`).join(",");

const HEAVY: [what: string, body: string][] = [
  ["unknown members before the list", `{${rest},${members(340_000)},${list}}`],
  ["unknown members after the list", `{${rest},${list},${members(340_000)}}`],
  ["white space before the list", `{${rest},${" ".repeat(4_000_000)}${list}}`],
  ["white space after the list", `{${rest},${list}}${"\n".repeat(4_000_000)}`],
  ["a name of escapes", `{${rest},"${'\\"'.repeat(2_000_000)}":1,${list}}`],
  ["an array", `{${rest},"x":[${"1,".repeat(2_000_000)}1],${list}}`],
  ["an object in place of the list", `{${rest},"user_groups":{${members(340_000)}}}`],
  ["a second list", `{${rest},${list},"user_groups":[${"1,".repeat(2_000_000)}1]}`],
  ["one byte too many", `{${rest},${list}${" ".repeat(MOST - rest.length - '{,"user_groups":[]}'.length + 1)}}`],
];

for (const [what, body] of HEAVY) {
  test(`${what}: refused above 64 KiB outside the list of a batch`, async () => {
    const answer = await send(body);
    expectError(answer, 422, "invalid_fields");
    expect(answer.json.error.message).toContain("at most 64 KiB outside the list user_groups");
  });
}

test("exactly 64 KiB outside the list are accepted, and the list itself is not counted", async () => {
  const padded = `{${rest},${list}${" ".repeat(MOST - rest.length - '{,"user_groups":[]}'.length)}}`;
  const wide = `{${rest},"user_groups":[${" ".repeat(3_000_000)}{"user_group_id":"${newId()}"}]}`;
  for (const body of [padded, wide]) {
    const answer = await send(body);
    expect(answer.status, answer.text).toBe(200);
    expect(batchAnswer.parse(answer.json).results).toMatchObject([{ outcome: "created" }]);
  }
});

test("an unclosed list of 4 MiB is refused as such", async () => {
  const answer = await send(`{${rest},"user_groups":[${"1,".repeat(2_000_000)}1`);
  expectError(answer, 400, "invalid_json");
  expect(answer.json.error.message).toContain("the array is not closed with ]");
});

test("of thousands of unknown fields the first are named and the others counted", async () => {
  const { provided_id } = await createGroup();
  const unknown = members(25_000);
  for (const [method, path] of [
    ["PATCH", "/api/user"],
    ["POST", "/api/user/upsert"],
  ] as const) {
    const answer = await call(method, path, { body: `{"user_group_id":"${provided_id}",${unknown}}` });
    expectError(answer, 422, "invalid_fields");
    const { issues } = answer.json.error;
    expect(issues).toHaveLength(10);
    expect(issues.at(-1).message).toMatch(/^is not a known field.*; nor are 24990 more$/);
  }
});
