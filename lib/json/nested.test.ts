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
