import assert from "node:assert/strict";
import { PRESETS, type Scope } from "@/lib/authority/scopes";
import type { Response } from "../fixtures/api";
import { at, type Group, handOver, type Model, nameOf, type Real, record, type Sender, TOKENS } from "./model";
import type { Fields } from "./model-vocabulary";
import { assertRefused, assertTaken } from "./refusal";

// The effects of changes on the model, and how answers refer to it.

/** Whether the caller lacks the permission, which the answer then says. */
export function refuses({ revoked }: Model, sender: Sender, answer: Response, scope: Scope): boolean {
  if (revoked.has(nameOf(sender))) assertRefused(answer, 401, "unauthorized");
  else if (!mayDo(sender, scope)) assert.ok(assertRefused(answer, 403, "forbidden").text.includes(scope));
  else return false;
  return true;
}

export function mayDo({ caller }: Sender, scope: Scope): boolean {
  return caller === "owner" || (PRESETS[TOKENS[caller]] as readonly Scope[]).includes(scope);
}

/** Creates the answer's group in the model. */
export function create(
  model: Model,
  real: Real,
  sender: Sender,
  answer: Response,
  { id, name = id, mapping = "{}", properties = null }: Fields & { id: string },
): Group {
  const { team_id: teamId, token } = assertTaken(answer).json.user_group;
  const group: Group = { teamId, id, name, mapping, properties, token, version: 1, state: "active" };
  at(model.places, sender.place).groups.set(id, group);
  model.tokens.push(token);
  record(model, real, sender, answer, { action: "user_group.created", teamId, before: null, after: group });
  return group;
}

/** Whether a change has something to record. */
export function differs(wanted: Group, was: Group): boolean {
  return wanted.name !== was.name || wanted.mapping !== was.mapping || wanted.properties !== was.properties;
}

/** Applies the differing fields to the model as a change with a new version. */
export function change(model: Model, real: Real, sender: Sender, answer: Response, wanted: Group) {
  const { groups } = at(model.places, sender.place);
  const was = groups.get(wanted.id);
  assert.ok(was);
  const changed = differs(wanted, was);
  if (!changed) {
    handOver(model, real, sender, answer);
    return { group: was, changed };
  }
  const group = { ...wanted, version: was.version + 1 };
  groups.set(group.id, group);
  const { teamId } = group;
  record(model, real, sender, answer, { action: "user_group.updated", teamId, before: was, after: group });
  return { group, changed };
}

/** Moves a group to the model's deleted ones. */
export function moveAway(model: Model, real: Real, sender: Sender, answer: Response, group: Group) {
  const { groups, deleted } = at(model.places, sender.place);
  groups.delete(group.id);
  deleted.set(group.teamId, group);
  const { teamId } = group;
  record(model, real, sender, answer, { action: "user_group.deleted", teamId, before: group, after: null });
}

/** Moves a deleted group back. */
export function moveBack(model: Model, real: Real, sender: Sender, answer: Response, was: Group): Group {
  const { groups, deleted } = at(model.places, sender.place);
  const group = { ...was, version: was.version + 1 };
  groups.set(group.id, group);
  deleted.delete(group.teamId);
  const { teamId } = group;
  record(model, real, sender, answer, { action: "user_group.restored", teamId, before: null, after: group });
  return group;
}

/** The fields after a merge patch in this vocabulary. */
export function merged(was: Pick<Group, "mapping" | "properties">, { name, mapping, properties }: Fields): Fields {
  const fields: Fields = {};
  if (name !== undefined) fields.name = name;
  if (mapping !== undefined) fields.mapping = mergedText(was.mapping, mapping);
  if (properties !== undefined) {
    fields.properties = properties === null ? null : mergedText(was.properties ?? "{}", properties);
  }
  return fields;
}

/** Merges flat objects as text: values are numbers, strings, or null, which removes. */
function mergedText(target: string, patch: string): string {
  const members = membersOf(target);
  for (const [name, value] of membersOf(patch)) {
    if (value === "null") members.delete(name);
    else members.set(name, value);
  }
  return `{${[...members].map(([name, value]) => `"${name}":${value}`).join(",")}}`;
}

function membersOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/"(\w+)":([^,}]+)/g)].map(([, name = "", value = ""]) => [name, value]));
}

/** Compares an answer with the group, byte for byte. */
export function assertGroup(
  answer: Response,
  { teamId, token, name, id, version }: Group,
  before: string,
  after: string,
): Response {
  const named = `"token":"${token}","name":${JSON.stringify(name)},"provided_id":${JSON.stringify(id)}`;
  const text = `{"success":1,${before}"user_group":{"team_id":${teamId},${named}${after}}}\n`;
  assert.deepEqual(
    { text: assertTaken(answer).text, etag: answer.headers.etag },
    { text, etag: `"${teamId}-${version}"` },
  );
  return answer;
}

export function propertiesOf({ properties }: Group): string {
  return `,"properties":${properties}`;
}

export function tagOf({ tags }: Real, { place }: Sender): string {
  return `,"api_environment_tag":"${tags[place]}"`;
}
