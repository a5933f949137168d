import fc from "fast-check";
import { expect, test } from "vitest";
import { memberTexts } from "@/lib/json/exact-json";
import { compile } from "./check";
import { definitions } from "./schema";
import { PROPERTY_TYPES, type PropertyType } from "./value-types";

const properties = (members: object, more: object = {}) =>
  compile(definitions.parse({ properties: members, enforcement: "report", ...more }));
const mapping = (members: object) => compile(definitions.parse({ enforcement: "report", ...members }));

test.each<[PropertyType, string[], string[]]>([
  ["string", ['""', '"5"', '"\\u0000"'], ["5", "true", "[]", "{}"]],
  ["integer", ["5", "-0", "1.0", "1e2", "12345678901234567890", "1e400"], ["1.5", '"5"', "true", "1e-1"]],
  ["number", ["5", "0.10", "1e400", "-1.5E-7"], ['"5"', "true", "[1]"]],
  ["boolean", ["true", "false"], ["0", '"true"', "[true]"]],
  ["date", ['"2026-11-30"', '"2024-02-29"', '"\\u0032026-11-30"'], ['"2026-02-30"', '"2026-11-30T00:00:00Z"', "2026"]],
  ["object", ["{}", '{"a":[1]}'], ["[]", '"{}"', "1"]],
  ["any", ["{}", "[]", "0", '""', "false"], []],
  ["string[]", ["[]", '["a","]"]'], ['"a"', "[1]", '["a",null]', '["a",["b"]]', "{}"]],
  ["integer[]", ["[]", "[1,2.0]"], ["1", "[1,2.5]", '["1"]']],
  ["number[]", ["[1,0.10]"], ["[true]"]],
  ["boolean[]", ["[true,false]"], ["[0]"]],
  ["date[]", ['["2026-11-30"]'], ['["2026-11-31"]']],
])("%s accepts only its values", (type, right, wrong) => {
  const { propertiesFindings } = properties({ p: { type } });
  const kinds = (value: string) => propertiesFindings(`{"p":${value}}`).map(({ kind }) => kind);
  expect(right.flatMap(kinds)).toEqual([]);
  expect(wrong.map(kinds)).toEqual(wrong.map(() => ["wrong_type"]));
  expect(kinds("null")).toEqual([]);
});

test.each<[PropertyType, string, string]>([
  ["string", "5", 'must be a string: send "5" in quotes'],
  ["string", "{}", "must be a string"],
  ["integer", '"5"', "must be a whole number: send 5 without quotes"],
  ["integer", "1.5", "must be a whole number"],
  ["integer", '"1.5"', "must be a whole number"],
  ["number", '"abc"', "must be a number"],
  ["boolean", '"true"', "must be true or false: send true without quotes"],
  ["date", '"yesterday"', "must be a date, as in 2026-11-30"],
  ["string[]", '"a"', "must be a list of strings"],
  ["object", "[]", "must be a JSON object"],
])("explains the wrong value for %s: %s", (type, value, message) => {
  const [finding] = properties({ p: { type } }).propertiesFindings(`{"p":${value}}`);
  expect(finding).toEqual({ member: "properties", name: "p", kind: "wrong_type", message });
});

test("a required property must be present, unless it has a default", () => {
  const { propertiesFindings } = properties({
    plan: { type: "string", required: true },
    region: { type: "string", required: true, default: "eu" },
    note: { type: "string", default: null },
  });
  const missing = { member: "properties", name: "plan", kind: "missing", message: "is required" };
  expect([null, "{}", '{"plan":null}'].map((text) => propertiesFindings(text))).toEqual([
    [missing],
    [missing],
    [missing],
  ]);
  expect(propertiesFindings('{"plan":""}')).toEqual([]);
});

test("a change is checked only for members that it alters or removes", () => {
  const { propertiesFindings, mappingFindings } = compile(
    definitions.parse({
      properties: { plan: { type: "string", required: true }, seats: { type: "integer" }, size: { type: "object" } },
      unknown_properties: "refuse",
      schemas: { 40: { required: true }, 41: {} },
      data_sources: { 213: { schemas: ["40"] }, 214: {} },
      enforcement: "enforce",
    }),
  );
  const kinds = (was: string | null, text: string | null) =>
    propertiesFindings(text, was).map(({ kind, name }) => `${kind} ${name}`);
  const old = '{"seats":"5","note":1,"size":[1,{"a":2}]}';
  expect(kinds(null, null)).toEqual([]);
  expect(kinds(old, old)).toEqual([]);
  expect(kinds(old, '{"more":1,"seats":"6","note":1}')).toEqual(["wrong_type seats", "unknown_property more"]);
  // Another spelling is the same value, but another type is not.
  expect(kinds('{"plan":15e-1,"seats":"5"}', '{"plan":1.50,"seats":"\\u0035"}')).toEqual([]);
  expect(kinds('{"size":["é/",{"a":1.0,"b":[]}]}', '{"size":["\\u00e9\\/",{"b":[],"a":1}]}')).toEqual([]);
  expect(kinds('{"plan":"1"}', '{"plan":1}')).toEqual(["wrong_type plan"]);
  for (const other of ["[1]", "[1,2,3]", "[2,1]", '[1,"2"]', '{"0":1,"1":2}']) {
    expect(kinds('{"size":[1,2]}', `{"size":${other}}`)).toEqual(other[0] === "{" ? [] : ["wrong_type size"]);
  }
  expect(kinds('{"plan":"pro"}', "{}")).toEqual(["missing plan"]);
  expect(kinds('{"plan":"pro"}', null)).toEqual(["missing plan"]);
  expect(kinds('{"plan":"pro"}', '{"plan":null}')).toEqual(["missing plan"]);
  expect(kinds('{"plan":null}', '{"seats":1}')).toEqual([]);
  expect(kinds('{"plan":null}', '{"plan":1}')).toEqual(["wrong_type plan"]);
  const mapped = (was: string, text: string) => mappingFindings(text, was).map(({ kind, name }) => `${kind} ${name}`);
  expect(mapped('{"41":"213","42":"1"}', '{"42":"1","41":"213"}')).toEqual([]);
  expect(mapped('{"41":"213","42":"1"}', '{"42":"2","41":"9"}')).toEqual([
    "unknown_schema 42",
    "unknown_data_source 41",
  ]);
  expect(mapped('{"40":"213"}', '{"41":"213"}')).toEqual(["missing_schema 40", "data_source_of_other_schema 41"]);
});

test("an enum compares values, not spellings", () => {
  const { propertiesFindings } = properties({
    plan: { type: "string", enum: ["free", "pro"] },
    seats: { type: "number", enum: [1, 2.5] },
    regions: { type: "string[]", enum: ["eu", "us"] },
  });
  expect(propertiesFindings('{"plan":"\\u0070ro","seats":10e-1,"regions":["us","us"]}')).toEqual([]);
  expect(propertiesFindings('{"plan":"Pro","seats":1.00000000000000000001,"regions":["us","x"]}')).toEqual([
    { member: "properties", name: "plan", kind: "not_in_enum", message: "must be one of free, pro" },
    { member: "properties", name: "seats", kind: "not_in_enum", message: "must be one of 1, 2.5" },
    {
      member: "properties",
      name: "regions",
      kind: "not_in_enum",
      message: "must have only items that are one of eu, us",
    },
  ]);
});

test("a long enum is abbreviated", () => {
  const { propertiesFindings } = properties({
    n: { type: "integer", enum: Array.from({ length: 12 }, (_, index) => index) },
  });
  expect(propertiesFindings('{"n":12}')[0]?.message).toBe("must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more");
});

test("undefined properties are findings only if refused", () => {
  const defined = { plan: { type: "string" }, constructor: { type: "string" } };
  const text = '{"Plan":"x","__proto__":1,"":2,"gone":null,"constructor":"a","toString":3}';
  expect(properties(defined).propertiesFindings(text)).toEqual([]);
  const found = properties(defined, { unknown_properties: "refuse" }).propertiesFindings(text);
  expect(found.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    ": is not a defined property",
    "Plan: is not a defined property (did you mean plan?)",
    "__proto__: is not a defined property",
    "toString: is not a defined property",
  ]);
});

test("of thousands of unknown names the first ten are listed", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `k${index}`);
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
  const found = properties({}, { unknown_properties: "refuse" }).propertiesFindings(text);
  expect(found.map(({ name }) => name)).toEqual(names.toSorted().slice(0, 10));
  expect(found.at(-1)?.message).toBe("is not a defined property; nor are 4990 more");
});

test("no value or name makes a message long or splits a character", () => {
  const long = "x".repeat(50_000);
  const { propertiesFindings } = properties(
    { plan: { type: "string", enum: [long, "free"] } },
    { unknown_properties: "refuse" },
  );
  const [plan, unknown] = propertiesFindings(JSON.stringify({ plan: "pro", [`${"y".repeat(99)}😀`]: 1 }));
  expect(plan?.message).toBe(`must be one of ${"x".repeat(40)}…, free`);
  expect(unknown?.name).toBe("y".repeat(99));
});

test("of thousands of data sources for other schemas the first ten are listed", () => {
  const { mappingFindings } = mapping({ data_sources: { a: { schemas: ["z".repeat(255)] } } });
  const names = Array.from({ length: 5_000 }, (_, index) => `s${index}`);
  const found = mappingFindings(JSON.stringify(Object.fromEntries(names.map((name) => [name, "a"]))));
  expect(found.map(({ name }) => name)).toEqual(names.toSorted().slice(0, 10));
  const message = `must not be data source a, which is for schema ${"z".repeat(40)}…`;
  expect([found[0]?.message, found.at(-1)?.message]).toEqual([message, `${message}; likewise 4990 more`]);
});

const SOURCES = {
  schemas: { 40: { name: "Orders", required: true }, 134: {} },
  data_sources: { 213: { schemas: ["40"] }, 386: { schemas: ["134"] }, 500: {} },
};

test.each([
  ['{"40":"213","134":386}', []],
  ['{"40":213,"134":500}', []],
  ["{}", ["40 missing_schema: is required"]],
  ['{"40":null}', ["40 missing_schema: is required"]],
  ['{"40":"213","7":"213"}', ["7 unknown_schema: is not a defined schema"]],
  ['{"40":"214"}', ["40 unknown_data_source: is not mapped to a defined data source"]],
  ['{"40":213.0}', ["40 unknown_data_source: is not mapped to a defined data source"]],
  ['{"40":["213"]}', ["40 unknown_data_source: is not mapped to a defined data source"]],
  ['{"40":"386"}', ["40 data_source_of_other_schema: must not be data source 386, which is for schema 134"]],
])("the mapping %s", (text, expected) => {
  const found = mapping(SOURCES).mappingFindings(text);
  expect(found.every(({ member }) => member === "mapping")).toBe(true);
  expect(found.map(({ name, kind, message }) => `${name} ${kind}: ${message}`)).toEqual(expected);
});

test("without schemas or data sources a mapping may contain any", () => {
  const kinds = (defined: object, text: string) =>
    mapping(defined)
      .mappingFindings(text)
      .map(({ kind }) => kind);
  expect(kinds({}, '{"7":"x"}')).toEqual([]);
  expect(kinds({ schemas: { 40: {} } }, '{"40":"x"}')).toEqual([]);
  expect(kinds({ data_sources: { 213: {} } }, '{"7":"213","8":"x"}')).toEqual(["unknown_data_source"]);
});

test("defaults fill in for nulls and for what a group lacks, exactly", () => {
  const { variables } = properties({
    seats: { type: "number", default: 5 },
    plan: { type: "string", default: "free" },
    note: { type: "string" },
  });
  expect(variables('{"10":1.50,"plan":null,"2":1e400}').text).toBe('{"10":1.50,"plan":"free","2":1e400,"seats":5}');
  expect(variables('{"note":null,"seats":1,"plan":"x"}').text).toBe('{"note":null,"seats":1,"plan":"x"}');
  expect(variables(null).text).toBe('{"seats":5,"plan":"free"}');
});

const name = fc.constantFrom("a", "b", "plan", "10", "2", "__proto__x", "constructor", "é");
const scalar = fc.oneof(
  fc.constantFrom("1", "1.0", "1e400", "12345678901234567890", '"x"', '"1"', '"2026-11-30"', "true", '""'),
  fc.constantFrom("0.10", "1.5", '"\\u0078"', '"2026-02-30"', "false"),
);
const value = fc.oneof(
  scalar,
  fc.constantFrom("null", "{}", '{"b":1.0}'),
  fc.array(scalar, { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
);
const members = fc.uniqueArray(fc.tuple(name, value), { selector: ([one]) => one });
const textOf = (own: [string, string][]) => `{${own.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;

const ITEMS: Record<string, unknown[]> = {
  string: ["x", "", "1"],
  integer: [1, 2],
  number: [1, 0.1, 1.5],
  boolean: [true],
  date: ["2026-11-30"],
  any: ["x", 1, true],
};
const property = fc
  .record({
    type: fc.constantFrom(...PROPERTY_TYPES),
    required: fc.boolean(),
    hasDefault: fc.boolean(),
    hasEnum: fc.boolean(),
  })
  .map(({ type, required, hasDefault, hasEnum }) => {
    const items = ITEMS[type.replace("[]", "")];
    const first = type === "object" ? { b: 1 } : type.endsWith("[]") ? items?.slice(0, 1) : items?.[0];
    return { type, required, default: hasDefault ? first : null, enum: hasEnum && items ? items : null };
  });
const document = fc.record({
  properties: fc.dictionary(name, property),
  unknown_properties: fc.constantFrom("allow", "refuse"),
  schemas: fc.dictionary(name, fc.record({ required: fc.boolean() })),
  data_sources: fc.dictionary(fc.constantFrom("x", "1", "true"), fc.constant({})),
});

test("with enforcement off, definitions find nothing and set no defaults, for any document and group", () => {
  fc.assert(
    fc.property(document, members, (defined, own) => {
      const checker = compile(definitions.parse({ ...defined, enforcement: "off" }));
      const text = textOf(own);
      expect([...checker.propertiesFindings(text), ...checker.propertiesFindings(null)]).toEqual([]);
      expect(checker.mappingFindings(text)).toEqual([]);
      expect(checker.variables(text).text).toBe(text);
      expect(checker.variables(null).text).toBe("{}");
    }),
  );
});

test("report and enforce find the same, repeatedly and in any order", () => {
  fc.assert(
    fc.property(document, fc.array(members, { minLength: 1, maxLength: 5 }), (defined, groups) => {
      const report = compile(definitions.parse({ ...defined, enforcement: "report" }));
      const enforce = compile(definitions.parse({ ...defined, enforcement: "enforce", creations: "enforce" }));
      const find = ({ propertiesFindings, mappingFindings }: typeof report, own: [string, string][]) => [
        ...propertiesFindings(textOf(own)),
        ...mappingFindings(textOf(own)),
      ];
      const first = groups.map((own) => find(report, own));
      const reversed = groups.toReversed().map((own) => find(enforce, own.toReversed()));
      expect(reversed.toReversed()).toEqual(first);
      expect(groups.map((own) => find(report, own))).toEqual(first);
    }),
  );
});

test("a default takes effect only where a group has no value", () => {
  fc.assert(
    fc.property(document, members, (defined, own) => {
      const parsed = definitions.parse({ ...defined, enforcement: "enforce" });
      const { variables, propertiesFindings } = compile(parsed);
      const text = textOf(own);
      const stored = new Map<string, string>(own.filter(([, one]) => one !== "null"));
      const shown = new Map(memberTexts(variables(text).text));
      for (const key of new Set([...own.map(([name]) => name), ...Object.keys(parsed.properties)])) {
        const isThere = own.some(([name]) => name === key);
        const wanted = stored.get(key) ?? parsed.properties[key]?.default?.text ?? (isThere ? "null" : undefined);
        expect(shown.get(key)).toBe(wanted);
      }
      const complete = variables(text);
      expect(variables(complete.text).text).toBe(complete.text);
      expect(propertiesFindings(complete.text)).toEqual(propertiesFindings(text));
    }),
  );
});

test("a group with only default values has no problem", () => {
  fc.assert(
    fc.property(document, (defined) => {
      const { variables, propertiesFindings } = compile(definitions.parse({ ...defined, enforcement: "report" }));
      const kinds = propertiesFindings(variables(null).text).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind !== "missing")).toEqual([]);
    }),
  );
});

test("a mapping may name a data source by the caller's own id for it", () => {
  const { mappingFindings } = mapping({
    schemas: { 40: {}, 41: {} },
    data_sources: { 213: { provided_id: "orders-eu", schemas: ["40"] }, 214: { provided_id: "213" } },
  });
  expect(mappingFindings('{"40":"orders-eu"}')).toEqual([]);
  expect(mappingFindings('{"40":"213","41":"214"}')).toEqual([]);
  // An id comes before another's own id.
  expect(mappingFindings('{"40":"214","41":"213"}').map(({ kind }) => kind)).toEqual(["data_source_of_other_schema"]);
  expect(mappingFindings('{"41":"orders-eu"}')).toMatchObject([
    {
      kind: "data_source_of_other_schema",
      name: "41",
      message: "must not be data source orders-eu, which is for schema 40",
    },
  ]);
});
