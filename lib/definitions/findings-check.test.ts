import { expect, test } from "vitest";
import { compile } from "./check";
import { ChunkFindings } from "./findings-check";
import { findingId, readFindingId } from "./findings-schema";
import { nearNames } from "./near-names";
import { definitions } from "./schema";

const checksOf = (document: object) => ({
  ...compile(definitions.parse({ enforcement: "report", ...document })),
  likeOf: nearNames(Object.keys((document as { properties?: object }).properties ?? {}), new Map()),
});
const idsOf = (findings: ChunkFindings) =>
  Object.fromEntries(findings.found.map((finding) => [findingId(finding), finding.teamIds]));
const group = (team_id: number, properties: object | null, mapping = {}) => ({
  team_id,
  mapping: JSON.stringify(mapping),
  properties: properties && JSON.stringify(properties),
});

test("groups are listed by what is found in them", () => {
  const findings = new ChunkFindings(
    checksOf({ properties: { plan: { type: "string", required: true } }, schemas: { 40: { required: true } } }),
  );
  findings.check(group(1, null, { 41: "1" }));
  findings.check(group(2, { plan: 1, Plan: "pro" }, { 40: "1" }));
  findings.check(group(3, { plan: "pro", Plan: null }, { 40: "1" }));
  expect(idsOf(findings)).toEqual({
    "missing.properties.plan": [1],
    "missing_schema.mapping.40": [1],
    "unknown_schema.mapping.41": [1],
    "wrong_type.properties.plan": [2],
    "near_duplicate.properties.Plan": [2],
  });
  expect(findings.found.find(({ kind }) => kind === "near_duplicate")?.resembles).toBe("plan");
});

test("what was found earlier is kept for the groups that have not changed, in order", () => {
  const checks = checksOf({ properties: { plan: { type: "string", required: true } } });
  const earlier = new ChunkFindings(checks);
  for (const id of [1, 5, 9]) earlier.check(group(id, null));
  const merged = new ChunkFindings(checks);
  for (const finding of earlier.found) merged.keep(finding, (id) => id !== 5);
  merged.check(group(3, null));
  merged.check(group(5, { plan: "pro" }));
  expect(idsOf(merged)).toEqual({ "missing.properties.plan": [1, 3, 9] });
});

test("names beyond a number have one finding in common, in which each group is once", () => {
  const checks = checksOf({ unknown_properties: "refuse" });
  const findings = new ChunkFindings(checks);
  for (let id = 1; id <= 300; id++) findings.check(group(id, { [`a${id}`]: 1, [`b${id}`]: 1 }));
  expect(findings.found).toHaveLength(201);
  expect(idsOf(findings).unknown_property).toEqual(Array.from({ length: 200 }, (_, n) => 101 + n));
  const again = new ChunkFindings(checks);
  for (const finding of findings.found) again.keep(finding, () => true);
  expect(again.found).toEqual(findings.found);
});

test("names are cut, never in the middle of a character", () => {
  const findings = new ChunkFindings(checksOf({ unknown_properties: "refuse" }));
  findings.check(group(1, { [`${"a".repeat(99)}😀`]: 1 }));
  expect(findings.found[0]?.name).toBe("a".repeat(99));
});

test.each([
  "unused",
  "same_name",
  "unknown_property",
  "missing.properties.plan",
  "missing.properties.a.b.c",
  "unknown_schema.mapping.40",
  "near_duplicate.properties.",
  "missing.properties.two\nlines",
])("%s is the id of a finding", (id) => {
  const key = readFindingId(id);
  expect(key && findingId(key)).toBe(id);
});

test.each([
  "",
  "plan",
  "missing",
  "missing.plan",
  "missing.mapping.40",
  "unused.properties.plan",
  "unknown_schema.properties.a",
])("%j is not", (id) => expect(readFindingId(id)).toBeUndefined());
