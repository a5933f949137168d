import { expect, test } from "vitest";
import type { ActivityState } from "@/lib/audit/queries";
import { changedParts } from "./changes";

const group = (fields: { name?: string; mapping?: string; properties?: string | null } = {}): ActivityState => ({
  kind: "group",
  providedId: "acme-1",
  name: "Acme",
  mapping: "{}",
  properties: null,
  ...fields,
});
const other = (fields: Record<string, unknown>): ActivityState => ({ kind: "other", fields });

test("lists added, removed and changed keys in text order", () => {
  const before = group({ properties: '{"z":1,"plan":"free","old":[1, 2]}' });
  const after = group({ name: "Acme GmbH", properties: '{"z":1,"plan":"pro","seats":10}' });
  expect(changedParts(before, after)).toEqual([
    { label: "Name", changes: [{ key: undefined, before: "Acme", after: "Acme GmbH" }], isOrderOnly: false },
    {
      label: "Properties",
      changes: [
        { key: "plan", before: '"free"', after: '"pro"' },
        { key: "old", before: "[1, 2]", after: undefined },
        { key: "seats", before: undefined, after: "10" },
      ],
      isOrderOnly: false,
    },
  ]);
});

test("a different spelling of a number is a change, and both spellings are kept", () => {
  const [part] = changedParts(group({ mapping: '{"40":1.10}' }), group({ mapping: '{"40":1.1}' }));
  expect(part?.changes).toEqual([{ key: "40", before: "1.10", after: "1.1" }]);
});

test("keys such as __proto__ and constructor are compared like any others", () => {
  const [part] = changedParts(
    group({ mapping: '{"__proto__":"1"}' }),
    group({ mapping: '{"constructor":"1","":"2"}' }),
  );
  expect(part?.changes.map(({ key }) => key)).toEqual(["__proto__", "constructor", ""]);
});

test("reports a change of order only", () => {
  const [part, ...rest] = changedParts(group({ mapping: '{"a":1,"b":2}' }), group({ mapping: '{"b":2,"a":1}' }));
  expect(part).toEqual({ label: "Mapping", changes: [], isOrderOnly: true });
  expect(rest).toEqual([]);
});

test("null and empty properties differ; equal parts are omitted", () => {
  expect(changedParts(group(), group({ properties: "{}" }))).toEqual([
    { label: "Properties", changes: [{ key: undefined, before: undefined, after: "{}" }], isOrderOnly: false },
  ]);
  expect(changedParts(group(), group())).toEqual([]);
});

test("a creation adds every part, and a deletion removes it", () => {
  const state = group({ mapping: '{"40":"213"}' });
  const added = changedParts(null, state).map(({ changes }) => changes);
  expect(added).toEqual([
    [{ key: undefined, before: undefined, after: "Acme" }],
    [{ key: "40", before: undefined, after: '"213"' }],
  ]);
  expect(changedParts(state, null).flatMap(({ changes }) => changes.map(({ after }) => after))).toEqual([
    undefined,
    undefined,
  ]);
});

test("other subjects are compared field by field", () => {
  expect(changedParts(other({ id: 7, expires_at: null }), other({ id: 8, expires_at: "soon" }))).toEqual([
    {
      label: "Fields",
      changes: [
        { key: "id", before: "7", after: "8" },
        { key: "expires at", before: undefined, after: "soon" },
      ],
      isOrderOnly: false,
    },
  ]);
  const settings = (audience: string) => other({ allowed_origins: null, settings: { audience, templates: {} } });
  expect(changedParts(settings("a"), settings("b")).map(({ changes }) => changes)).toEqual([
    [{ key: "audience", before: "a", after: "b" }],
  ]);
  expect(changedParts(other({ role: "viewer" }), other({ role: "admin" })).map(({ changes }) => changes)).toEqual([
    [{ key: "role", before: "Reader", after: "Admin" }],
  ]);
  expect(changedParts(null, null)).toEqual([]);
});
