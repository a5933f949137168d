import { expect, test } from "vitest";
import { z } from "zod";
import type { Call } from "@/lib/endpoint/call";
import { listsOf, readInput } from "@/lib/endpoint/input";
import { AppError } from "@/lib/errors";

const schema = z.strictObject({ user_group_id: z.array(z.string()).optional(), limit: z.string().optional() });

function issuesOf(query: string): unknown {
  const call = { method: "GET", query, parameters: {}, headers: {} } as unknown as Call;
  try {
    return readInput(call, new Uint8Array(), { schema, bodyOnGet: false, lists: listsOf(schema) });
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
