import { expect, test } from "vitest";
import { z } from "zod";
import { checkFields } from "@/lib/json/fields";
import { parseMembers } from "@/lib/json/json";
import { nested } from "@/lib/json/nested";

const schema = z.strictObject({ claims: nested(z.record(z.string(), z.json())) });
const check = (text: string) => checkFields(parseMembers(text) as object, schema);

// zod's records drop the member, although the answer would report it as stored.
test.each([
  ['{"__proto__":1}', ["claims"]],
  ['{"a":{"b":[0,{"__proto__":{}}]}}', ["claims", "a", "b", 1]],
  ['{"a":1,"\\u005f_proto__":1}', ["claims"]],
])("%s is refused with its path", (claims, path) => {
  const { issues } = check(`{"claims":${claims}}`);
  expect(issues).toEqual([{ path, message: "must not have a member __proto__" }]);
});

test("other names are kept at every level", () => {
  const claims = { constructor: { toString: ["__proto__"] }, "": null };
  expect(check(JSON.stringify({ claims }))).toEqual({ value: { claims } });
});

test.each(["[1,2,3]", '{"a":1,"b":2,"c":3}'])("of %s, more than allowed, no member is looked at", (text) => {
  const numbers = z.array(z.string()).or(z.record(z.string(), z.string()));
  const few = z.strictObject({ list: nested(numbers, { count: 2, message: "must have at most 2" }) });
  const { issues } = checkFields(parseMembers(`{"list":${text}}`) as object, few);
  expect(issues).toEqual([{ path: ["list"], message: "must have at most 2" }]);
});
