import { expect, test } from "vitest";
import { checkFields } from "@/lib/json/fields";
import { readStoredMembers } from "@/lib/json/json";
import { isObject, writeJson } from "@/lib/json/raw-json";
import { definitions, definitionsAnswer } from "./schema";

/** Parses a body as in a request, but allows numbers that requests may not contain. */
function parse(text: string) {
  const members = readStoredMembers(text);
  if (!isObject(members)) throw new Error("a body is an object");
  return checkFields(members, definitions);
}

const property = (members: string) => `{"properties":{"p":${members}}}`;
const firstIssue = (text: string) => {
  const { path, message } = parse(text).issues?.[0] ?? { path: [], message: "none" };
  return `${path.join(".")} ${message}`;
};

test("an empty document is off and allows everything", () => {
  expect(parse("{}").value).toEqual({
    properties: {},
    unknown_properties: "allow",
    schemas: {},
    data_sources: {},
    enforcement: "off",
    creations: "report",
  });
});

test("numbers in defaults and enums are returned byte for byte, and an answer can be sent back", () => {
  const text = `{"properties":{
    "big":{"type":"integer","default":12345678901234567890,"enum":[1e400,12345678901234567890]},
    "rate":{"type":"number","default":0.10,"enum":[0.10,1.0]},
    "seats":{"type":"integer[]","default":[1.0,2e0],"enum":[1,2]},
    "theme":{"type":"object","default":{"10":1.50,"b":[{"2":0.10,"1":"\\u0061"}]}},
    "note":{"type":"any","default":"\\u0061"}}}`;
  const { value } = parse(text);
  if (!value) throw new Error("it is valid");
  const { big, rate, seats, theme, note } = value.properties;
  expect([big, rate, seats, theme, note].map((one) => one?.default?.text)).toEqual([
    "12345678901234567890",
    "0.10",
    "[1.0,2e0]",
    '{"10":1.50,"b":[{"2":0.10,"1":"\\u0061"}]}',
    '"\\u0061"',
  ]);
  expect(writeJson(big?.enum)).toBe("[1e400,12345678901234567890]");
  const written = writeJson(value);
  expect(writeJson(parse(written).value)).toBe(written);
});

test("a plain object is also accepted, and matches the described answer", () => {
  const given = { properties: { plan: { type: "string", default: "free", enum: ["free", "pro"] } } };
  const written = writeJson(definitions.parse(given));
  expect(written).toBe(writeJson(parse(JSON.stringify(given)).value));
  const answer = { success: 1, version: 1, definitions: JSON.parse(written) };
  expect(definitionsAnswer.parse(answer)).toEqual(answer);
});

test.each([
  ['{"enforcment":"off"}', "enforcment is not a known field (did you mean enforcement?)"],
  ['{"enforcement":"on"}', "enforcement must be off, report or enforce"],
  ['{"unknown_properties":null}', "unknown_properties must be allow or refuse"],
  ['{"creations":"off"}', "creations must be report or enforce"],
  ['{"properties":[]}', "properties must be an object of properties"],
  ['{"properties":"x"}', "properties must be an object of properties"],
  ['{"properties":{"__proto__":{"type":"any"}}}', "properties must not have a member __proto__"],
  ['{"properties":{"":{"type":"any"}}}', "properties. must not be empty"],
  [`{"properties":{"a\u202Eb":{"type":"any"}}}`, /must not contain control characters/],
  [property('"string"'), 'properties.p must be an object, such as {"type":"string"}'],
  [property("{}"), "properties.p.type is required"],
  [property('{"type":"text"}'), /^properties\.p\.type must be one of string, integer, number/],
  [property('{"type":"any","requird":true}'), "properties.p.requird is not a known field (did you mean required?)"],
  [property('{"type":"any","required":1}'), "properties.p.required must be true or false"],
  [property('{"type":"any","description":1}'), "properties.p.description must be a string"],
  [property('{"type":"any","description":"a\\tb"}'), /^properties\.p\.description must not contain control characters/],
  [property('{"type":"string","default":5}'), 'properties.p.default must be a string: send "5" in quotes'],
  [property('{"type":"integer","default":1.5}'), "properties.p.default must be a whole number"],
  [property('{"type":"number","default":"1.5"}'), "properties.p.default must be a number: send 1.5 without quotes"],
  [property('{"type":"date","default":"2026-02-30"}'), "properties.p.default must be a date, as in 2026-11-30"],
  [property('{"type":"boolean[]","default":[true,null]}'), "properties.p.default must be a list of true and false"],
  [property('{"type":"string","enum":["a"],"default":"b"}'), "properties.p.default must be one of a"],
  [property('{"type":"string[]","enum":["a"],"default":["a","b"]}'), /must have only items that are one of a$/],
  [property('{"type":"string","enum":["a",1]}'), 'properties.p.enum.1 must be a string: send "1" in quotes'],
  [property('{"type":"any","enum":["a",{}]}'), "properties.p.enum.1 must be a string, a number, true or false"],
  [property('{"type":"any","enum":[null]}'), "properties.p.enum.0 must be a string, a number, true or false"],
  [property('{"type":"number","enum":[1,1.0]}'), "properties.p.enum.1 is already in the list"],
  [property('{"type":"string","enum":[]}'), "properties.p.enum must have at least one value; null allows any"],
  [property('{"type":"string","enum":"a"}'), "properties.p.enum must be a list of values, or null for any value"],
  [property('{"type":"object","enum":["a"]}'), "properties.p.enum must be null: an object has no enum"],
  ['{"schemas":{"40":{"name":""}}}', "schemas.40.name must not be empty"],
  ['{"schemas":{"40":null}}', "schemas.40 must be an object with name and required"],
  ['{"data_sources":{"213":{"schemas":[40]}}}', "data_sources.213.schemas.0 must be a string"],
  ['{"schemas":{"40":{}},"data_sources":{"213":{"schemas":["41"]}}}', "data_sources.213.schemas.0 is not in schemas"],
])("refuses %s", (text, message) => {
  expect(firstIssue(text)).toMatch(message instanceof RegExp ? message : new RegExp(`^${escaped(message)}$`));
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

test("a description may have several lines", () => {
  const { value } = parse(property('{"type":"any","description":"One.\\nTwo."}'));
  expect(value?.properties.p?.description).toBe("One.\nTwo.");
});

const many = (count: number, member: string) =>
  `{${Array.from({ length: count }, (_, index) => `"n${index}":${member}`).join(",")}}`;

test.each([
  ["properties", 500, '{"type":"any"}'],
  ["schemas", 500, "{}"],
  ["data_sources", 2_000, "{}"],
])("limits %s to %i", (name, most, member) => {
  expect(parse(`{"${name}":${many(most, member)}}`).issues).toBeUndefined();
  expect(firstIssue(`{"${name}":${many(most + 1, member)}}`)).toBe(`${name} must have at most ${most} members`);
});

test("limits an enum to 100 values, and a document to 256 KiB", () => {
  const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => index));
  expect(parse(property(`{"type":"integer","enum":${numbers(100)}}`)).issues).toBeUndefined();
  expect(firstIssue(property(`{"type":"integer","enum":${numbers(101)}}`))).toBe(
    "properties.p.enum must have at most 100 values",
  );
  const large = (bytes: number) => property(`{"type":"any","default":"${"x".repeat(bytes)}"}`);
  expect(parse(large(261_000)).issues).toBeUndefined();
  expect(firstIssue(large(262_000))).toBe(" must have at most 256 KiB with all members written out");
});
