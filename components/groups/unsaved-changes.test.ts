import { expect, test } from "vitest";
import { unsavedChanges } from "./unsaved-changes";

const saved = { name: "Acme", mapping: '{"40":"213"}', properties: '{"plan":"free","seats":1.10}' };
const changes = (fields: Partial<typeof saved>) => unsavedChanges(saved, { ...saved, ...fields });

test("names each changed property with its values", () => {
  expect(changes({ properties: '{"plan":"pro","seats":1.1,"new":[1]}' })).toEqual([
    { label: "plan", before: "free", after: "pro" },
    { label: "seats", before: "1.10", after: "1.1" },
    { label: "new", before: undefined, after: "[1]" },
  ]);
  expect(changes({ name: "Acme AG", mapping: "{}" })).toEqual([
    { label: "name", before: "Acme", after: "Acme AG" },
    { label: "schema 40", before: "213", after: undefined },
  ]);
});

test("counts a field with only its spelling changed, or not yet valid JSON", () => {
  expect(changes({ mapping: '{ "40": "213" }' })).toEqual([{ label: "mapping", before: undefined, after: undefined }]);
  expect(changes({ properties: "{" })).not.toEqual([]);
});

test("distinguishes empty properties from none", () => {
  const none = { ...saved, properties: "null" };
  expect(unsavedChanges(none, { ...none, properties: "{}" })).toEqual([
    { label: "properties", before: undefined, after: "{}" },
  ]);
});
