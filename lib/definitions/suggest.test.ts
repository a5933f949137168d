import fc from "fast-check";
import { expect, test } from "vitest";
import { compile } from "@/lib/definitions/check";
import { definitions, NO_DEFINITIONS } from "@/lib/definitions/schema";
import { type Sample, suggestDefinitions, survey } from "@/lib/definitions/suggest";
import { readStoredMembers } from "@/lib/json/json";
import { writeJson } from "@/lib/json/raw-json";

const group = (properties: object | null, mapping: object = {}): Sample => ({
  properties: properties && JSON.stringify(properties),
  mapping: JSON.stringify(mapping),
});
const suggest = async (samples: Sample[], current = {}) =>
  suggestDefinitions(await survey(samples), definitions.parse(readStoredMembers(JSON.stringify(current))));

test("suggested types are the narrowest that fit, and properties of all groups are required", async () => {
  const { properties } = await suggest([
    group({ plan: "pro", seats: 3, rate: 1, since: "2026-11-26", tags: ["a"], none: [], mixed: 1, note: "" }),
    group({ plan: "free", seats: 4, rate: 0.5, since: "2026-01-01", tags: [], none: [], mixed: "x", gone: null }),
  ]);
  const types = Object.entries(properties).map(([name, { type, required }]) => [name, type, required]);
  expect(types).toEqual([
    ["mixed", "any", true],
    ["none", "string[]", true],
    ["note", "string", false],
    ["plan", "string", true],
    ["rate", "number", true],
    ["seats", "integer", true],
    ["since", "date", true],
    ["tags", "string[]", true],
  ]);
});

test("a few strings shared by many groups become the allowed values", async () => {
  const many = Array.from({ length: 12 }, (_, n) => group({ plan: n % 2 ? "pro" : "free", name: `Name ${n}` }));
  const { plan, name } = (await suggest(many)).properties;
  expect(plan?.enum?.map(({ text }) => text)).toEqual(['"free"', '"pro"']);
  expect(name?.enum).toBeNull();
});

test("a name that looks misspelled is not suggested, as defining it would hide it", async () => {
  const groups = Array.from({ length: 30 }, () => group({ plan: "pro" }));
  const { properties } = await suggest([...groups, group({ plann: "pro", seats: 3 })]);
  expect(Object.keys(properties)).toEqual(["plan", "seats"]);
});

test("schemas and data sources come from the mappings", async () => {
  const mappings = [
    { 40: "213", 41: 7 },
    { 40: "214", 42: null },
  ];
  const { schemas, data_sources } = await suggest(mappings.map((one) => group(null, one)));
  expect(schemas).toEqual({ 40: { name: null, required: true }, 41: { name: null, required: false } });
  const of = (...ids: string[]) => ({ name: null, provided_id: null, schemas: ids });
  expect(data_sources).toEqual({ 7: of("41"), 213: of("40"), 214: of("40") });
});

test("a data source that mappings name by the caller's own id is not suggested again", async () => {
  const current = { data_sources: { 213: { provided_id: "orders-eu" } } };
  const { data_sources } = await suggest([group(null, { 40: "orders-eu", 41: "214" })], current);
  expect(Object.keys(data_sources)).toEqual(["213", "214"]);
});

test("existing definitions are kept", async () => {
  const current = { properties: { plan: { type: "any", description: "ours" } }, enforcement: "report" };
  const suggested = await suggest([group({ plan: "pro", seats: 3 })], current);
  expect(suggested).toMatchObject({
    properties: { plan: { type: "any", description: "ours" }, seats: { type: "integer" } },
    enforcement: "report",
  });
});

test("of too many properties the most frequent are suggested", async () => {
  const groups = Array.from({ length: 900 }, (_, n) => group({ [`only${n}`]: 1, [`shared${n % 300}`]: 1 }));
  const { properties } = await suggest(groups, { properties: { plan: { type: "any" } } });
  const names = Object.keys(properties);
  expect(names).toHaveLength(300);
  expect(names.filter((name) => name.startsWith("shared"))).toHaveLength(299);
});

test("with too many data sources or schemas none is suggested, as groups with the others would have a problem", async () => {
  const { schemas, data_sources } = await suggest(
    Array.from({ length: 1_001 }, (_, n) => group(null, { 40: `own ${n}` })),
  );
  expect([Object.keys(schemas), data_sources]).toEqual([["40"], {}]);
  const wide = Object.fromEntries(Array.from({ length: 301 }, (_, n) => [n, "213"]));
  expect((await suggest([group(null, wide)])).schemas).toEqual({});
});

test("a suggestion leaves room in the definitions, and includes every schema its data sources name", async () => {
  const property = (n: number) => [`p${n}`, { type: "string", description: "x".repeat(400) }];
  const current = {
    properties: Object.fromEntries(Array.from({ length: 299 }, (_, n) => property(n))),
    data_sources: { 213: { schemas: ["7"] } },
  };
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${"é".repeat(100)}${n}`, "a"]));
  const suggested = await suggest([group(wide, { 40: "213" })], current);
  const document = definitions.parse(readStoredMembers(writeJson(suggested)));
  expect(Object.keys(document.properties)).toHaveLength(300);
  expect(Object.keys(document.schemas)).toEqual(["7", "40"]);
});

const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("2026-11-26", [], ["2026-02-30"], 1, 1.5));
const name = fc.oneof(fc.constantFrom("a", "b", "__proto__", ""), fc.string({ maxLength: 4 }));
const samples = fc.array(
  fc.record({ properties: fc.option(fc.dictionary(name, value)), mapping: fc.dictionary(name, value) }),
  { maxLength: 8 },
);

test("a suggestion is valid, and its source groups satisfy it", async () => {
  await fc.assert(
    fc.asyncProperty(samples, async (given) => {
      const groups = given.map(({ properties, mapping }) => group(properties, mapping));
      const suggested = { ...suggestDefinitions(await survey(groups), NO_DEFINITIONS), enforcement: "report" };
      const document = definitions.parse(readStoredMembers(writeJson(suggested)));
      const checker = compile(document);
      for (const { properties } of groups) expect(checker.propertiesFindings(properties)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
