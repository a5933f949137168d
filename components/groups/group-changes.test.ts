import { expect, test } from "vitest";
import { isCollision } from "@/lib/json/merge-members";
import { writeJson } from "@/lib/json/raw-json";
import {
  changesOf,
  collisionKey,
  type GroupTexts,
  hasChanges,
  mergeGroup,
  requestFor,
  unsavedChanges,
} from "./group-changes";

const base: GroupTexts = { name: "Acme", mapping: '{"40":"213"}', properties: '{"plan":"free","seats":1.10}' };
const merge = (mine: Partial<GroupTexts>, theirs: Partial<GroupTexts>, kept: "mine" | "theirs" = "mine") => {
  const versions = { base, mine: { ...base, ...mine }, theirs: { ...base, ...theirs } };
  const collisions = changesOf(versions).filter(isCollision);
  const choices = new Map(collisions.map((change) => [collisionKey(change), kept]));
  return { keys: collisions.map(({ key }) => key), merged: mergeGroup(versions, choices) };
};

test("changes of different members collide nowhere and are all kept", () => {
  const { keys, merged } = merge(
    { name: "Acme AG", properties: '{"plan":"pro","seats":1.10}' },
    { mapping: '{"40":"214"}', properties: '{"plan":"free","seats":2,"region":"eu"}' },
  );
  expect(keys).toEqual([]);
  expect(merged).toEqual({
    name: "Acme AG",
    mapping: '{"40":"214"}',
    properties: '{"plan":"pro","seats":2,"region":"eu"}',
  });
});

test("members that both changed follow the choice, and identical changes do not collide", () => {
  const mine = { name: "Mine", mapping: "{}", properties: '{"plan":"pro","seats":2}' };
  const theirs = { name: "Theirs", mapping: '{"40":"214"}', properties: '{"seats":2}' };
  expect(merge(mine, theirs)).toEqual({ keys: ["name", "plan", "40"], merged: mine });
  expect(merge(mine, theirs, "theirs")).toEqual({ keys: ["name", "plan", "40"], merged: theirs });
});

test("a request has only the changed members, or whole fields where a merge patch cannot express them", () => {
  const request = (wanted: Partial<GroupTexts>) => {
    const { method, fields } = requestFor(base, { ...base, ...wanted });
    return [method, writeJson(fields)];
  };
  expect(request({ properties: '{"seats":1.10,"a":1}', mapping: '{"40":"1"}' })).toEqual([
    "PATCH",
    '{"properties":{"a":1,"plan":null},"mapping":{"40":"1"}}',
  ]);
  expect(request({ properties: "null" })).toEqual(["PATCH", '{"properties":null}']);
  expect(request({ properties: '{"plan":null,"seats":1.10}' })).toEqual([
    "PUT",
    '{"properties":{"plan":null,"seats":1.10}}',
  ]);
});

test("a lost answer counts as saved whatever others have changed since", () => {
  const mine = { ...base, properties: '{"plan":"pro","seats":1.10}' };
  expect(hasChanges({ base, mine, theirs: { ...mine, mapping: "{}" } })).toBe(true);
  expect(hasChanges({ base, mine, theirs: { ...base, mapping: "{}" } })).toBe(false);
  const none = { ...base, properties: "null" };
  const empty = { ...base, properties: "{}" };
  expect(hasChanges({ base: none, mine: empty, theirs: none })).toBe(false);
});

test("names each unsaved change with its values", () => {
  const changes = (texts: Partial<GroupTexts>) => unsavedChanges(base, { ...base, ...texts });
  expect(changes({ properties: '{"plan":"pro","seats":1.1,"new":[1]}' })).toEqual([
    { label: "plan", before: "free", after: "pro" },
    { label: "seats", before: "1.10", after: "1.1" },
    { label: "new", before: undefined, after: "[1]" },
  ]);
  expect(changes({ name: "Acme AG", mapping: "{}" })).toEqual([
    { label: "name", before: "Acme", after: "Acme AG" },
    { label: "schema 40", before: "213", after: undefined },
  ]);
  expect(changes({ mapping: '{"40":213}' })).toEqual([{ label: "schema 40", before: '"213"', after: "213" }]);
  expect(changes({ properties: '{"seats":1.10,"plan":"free"}' })).toEqual([
    { label: "properties", before: undefined, after: undefined },
  ]);
});
