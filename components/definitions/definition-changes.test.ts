import { expect, test } from "vitest";
import { definitionParts } from "./definition-changes";

test("definitions are compared member by member; an added or removed one is shown whole", () => {
  const before =
    '{"properties":{"plan":{"type":"string","required":false,"default":1.0},"old":{"type":"date","required":false}},"schemas":{},"data_sources":{},"enforcement":"off"}';
  const after =
    '{"properties":{"plan":{"type":"string","required":true,"default":1.00},"new":{"type":"boolean","required":true,"default":false}},"schemas":{},"data_sources":{"2":{"name":null,"schemas":["4"]}},"enforcement":"report"}';
  const told = definitionParts(before, after).map(({ label, changes }) => [
    label,
    ...changes.map(({ key, before, after }) => `${key}: ${before} → ${after}`),
  ]);
  expect(told).toEqual([
    [
      "Properties",
      "plan: default: 1.0 → 1.00",
      "old: type date → undefined",
      "plan: required: undefined → true",
      "new: undefined → type boolean · required · default false",
    ],
    ["Data sources", '2: undefined → schemas ["4"]'],
    ["Settings", "enforcement: off → report"],
  ]);
  expect(definitionParts(after, after)).toEqual([]);
});
