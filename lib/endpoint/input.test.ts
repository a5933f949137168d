import { expect, test } from "vitest";
import { z } from "zod";
import type { Call } from "@/lib/endpoint/call";
import { listsOf, readInput } from "@/lib/endpoint/input";
import { AppError } from "@/lib/errors";

const schema = z.strictObject({ user_group_id: z.array(z.string()).optional(), limit: z.string().optional() });

function readQuery(query: string): unknown {
  const call = { method: "GET", query, parameters: {}, headers: {} } as unknown as Call;
  return readInput(call, new Uint8Array(), { schema, bodyOnGet: false, lists: listsOf(schema) });
}

function issuesOf(query: string): unknown {
  try {
    return readQuery(query);
  } catch (error) {
    if (error instanceof AppError) return error.issues;
    throw error;
  }
}

const UNKNOWN = "is not a known field. The fields are user_group_id, limit";
const BRACKETS = "must be sent without brackets, once for each value: user_group_id=…&user_group_id=…";

test.each([
  ["a repeated list", "user_group_id=a&user_group_id=b", { user_group_id: ["a", "b"] }],
  ["a repeated field", "limit=1&limit=2", [{ path: ["limit"], message: "appears more than once in the query" }]],
  ["a repeated unknown field", "colour=a&colour=b", [{ path: ["colour"], message: UNKNOWN }]],
  ["PHP's brackets", "user_group_id[]=a&user_group_id[]=b", [{ path: ["user_group_id[]"], message: BRACKETS }]],
  ["encoded brackets", "user_group_id%5B0%5D=a", [{ path: ["user_group_id[0]"], message: BRACKETS }]],
])("a query with %s", (_, query, expected) => {
  expect(issuesOf(query)).toEqual(expected);
});

test.each([
  ["a value that I-JSON forbids", "limit=%EF%BF%BE"],
  ["a name that I-JSON forbids", "%EF%BF%BE=1"],
])("a query with %s is refused", (_, query) => {
  expect(() => readQuery(query)).toThrow("Invalid query: U+FFFE is a noncharacter");
});

test.each([
  ["null", [{ path: [], message: "the body must be a JSON object" }]],
  ["[]", [{ path: [], message: "the body must be a JSON object" }]],
  ['{"limit":"5"}', { limit: "5" }],
])("a body of %s", (body, expected) => {
  const headers = { "content-type": "application/json" };
  const call = { method: "PUT", query: undefined, parameters: {}, headers } as unknown as Call;
  const read = () => readInput(call, Buffer.from(body), { schema, bodyOnGet: false });
  if (Array.isArray(expected)) expect(read).toThrow(expect.objectContaining({ issues: expected }));
  else expect(read()).toEqual(expected);
});
