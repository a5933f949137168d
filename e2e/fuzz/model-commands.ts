import assert from "node:assert/strict";
import fc from "fast-check";
import type { Response } from "../fixtures/api";
import type { Tally } from "./extent";
import { at, type Group, handOver, type Model, nameOf, type Real, record, send } from "./model";
import { batch } from "./model-batch";
import {
  assertGroup,
  change,
  create,
  mayDo,
  merged,
  moveAway,
  moveBack,
  propertiesOf,
  refuses,
  tagOf,
} from "./model-changes";
import {
  admin,
  bodyOf,
  CALLERS,
  elsewhere,
  type Fields,
  fields,
  id,
  one,
  patch,
  sender,
  tag,
} from "./model-vocabulary";
import { assertRefused, assertTaken } from "./refusal";

/** One step: calls the service, compares the answer with the model, and applies the step to the model. */
type Step = (model: Model, real: Real) => Promise<Response>;

const NOBODY = 2_147_483_647;

const getOrCreate = fc.record({ sender, id, fields }).map(
  ({ sender, id, fields }): Step =>
    async (model, real) => {
      const { groups } = at(model.places, sender.place);
      const answer = await send(real, sender, "GET", "/api/user", bodyOf(id, fields));
      const found = groups.get(id);
      if (refuses(model, sender, answer, "tokens:read")) return answer;
      if (found) {
        handOver(model, real, sender, answer);
        return assertGroup(answer, found, `"new_user_group":false,`, propertiesOf(found));
      }
      if (!mayDo(sender, "groups:create")) return assertRefused(answer, 404, "unknown_user_group");
      const group = create(model, real, sender, answer, { id, ...fields });
      return assertGroup(answer, group, `"new_user_group":true,`, propertiesOf(group));
    },
);

/** Changes a group, whose fields are then `next`. */
const writes = (method: "PUT" | "PATCH", values: fc.Arbitrary<Fields>, next: (was: Group, values: Fields) => Fields) =>
  fc.record({ sender, id, values, tag }).map(
    ({ sender, id, values, tag }): Step =>
      async (model, real) => {
        const was = at(model.places, sender.place).groups.get(id);
        const answer = await send(real, sender, method, "/api/user", bodyOf(id, values), tagged(was, tag));
        if (refuses(model, sender, answer, "groups:write")) return answer;
        if (!was) return assertRefused(answer, 404, "unknown_user_group");
        if (tag === "stale") return assertRefused(answer, 412, "stale");
        const { group } = change(model, real, sender, answer, { ...was, ...next(was, values) });
        return assertGroup(answer, group, "", `${propertiesOf(group)}${tagOf(real, sender)}`);
      },
  );

const update = writes("PUT", fields, (_, fields) => fields);
const merge = writes("PATCH", patch, merged);

const upsert = fc.record({ sender, id, patch }).map(
  ({ sender, id, patch }): Step =>
    async (model, real) => {
      const was = at(model.places, sender.place).groups.get(id);
      const answer = await send(real, sender, "POST", "/api/user/upsert", bodyOf(id, patch));
      if (refuses(model, sender, answer, "groups:write")) return answer;
      if (!was) {
        const group = create(model, real, sender, answer, {
          id,
          ...merged({ mapping: "{}", properties: null }, patch),
        });
        return assertGroup(answer, group, `"new_user_group":true,"changed":true,`, propertiesOf(group));
      }
      const { group, changed } = change(model, real, sender, answer, { ...was, ...merged(was, patch) });
      return assertGroup(answer, group, `"new_user_group":false,"changed":${changed},`, propertiesOf(group));
    },
);

const setState = fc.record({ sender, id, verb: fc.constantFrom("suspend", "resume") }).map(
  ({ sender, id, verb }): Step =>
    async (model, real) => {
      const { groups } = at(model.places, sender.place);
      const was = groups.get(id);
      const answer = await send(real, sender, "POST", `/api/user-groups/${verb}`, { user_group_id: id });
      if (refuses(model, sender, answer, "groups:write")) return answer;
      if (!was) return assertRefused(answer, 404, "unknown_user_group");
      const state = verb === "suspend" ? "suspended" : "active";
      const group: Group = { ...was, state };
      if (was.state !== state) {
        group.version++;
        groups.set(id, group);
        const action = verb === "suspend" ? "user_group.suspended" : "user_group.resumed";
        const { teamId } = was;
        record(model, real, sender, answer, { action, teamId, before: { state: was.state }, after: { state } });
      }
      const { user_group } = assertTaken(answer).json;
      assert.deepEqual({ team_id: user_group.team_id, state: user_group.state }, { team_id: was.teamId, state });
      assert.equal(answer.headers.etag, `"${was.teamId}-${group.version}"`);
      return answer;
    },
);

const view = fc.record({ sender, elsewhere, id, old: fc.option(fc.nat(), { freq: 3 }) }).map(
  ({ sender, elsewhere, id, old }): Step =>
    async (model, real) => {
      const current = at(model.places, sender.place ^ elsewhere).groups.get(id)?.token;
      const token = (old === null ? current : model.tokens[old % model.tokens.length]) ?? "ugt_nobody";
      const answer = await send(real, sender, "POST", "/api/viewer", { token });
      if (refuses(model, sender, answer, "viewers:ask")) return answer;
      const group = [...at(model.places, sender.place).groups.values()].find((one) => one.token === token);
      if (group?.state === "active") {
        const named = `"provided_id":${JSON.stringify(group.id)},"name":${JSON.stringify(group.name)}`;
        const texts = `${named},"mapping":${group.mapping}${propertiesOf(group)}${tagOf(real, sender)}`;
        const text = `{"success":1,"active":true,"user_group":{"team_id":${group.teamId},${texts}}}\n`;
        assert.equal(assertTaken(answer).text, text);
      } else {
        assert.deepEqual(answer.json, { success: 1, active: false, ...(group && { reason: group.state }) });
      }
      return answer;
    },
);

const rotate = fc
  .record({
    sender,
    elsewhere,
    id,
    /** a different token of the group, chosen from all past ones */
    old: fc.option(fc.nat(), { freq: 3 }),
    key: fc.option(fc.constantFrom("one", "two"), { freq: 2 }),
  })
  .map(
    ({ sender, elsewhere, id, old, key }): Step =>
      async (model, real) => {
        const { groups } = at(model.places, sender.place);
        const current = at(model.places, sender.place ^ elsewhere).groups.get(id)?.token;
        const sent = (old === null ? current : model.tokens[old % model.tokens.length]) ?? "ugt_nobody";
        const headers = key === null ? {} : { "idempotency-key": `${real.run} ${key}` };
        const answer = await send(real, sender, "POST", "/api/user", { current_token: sent }, headers);
        if (refuses(model, sender, answer, "tokens:rotate")) return answer;
        const memory = `${nameOf(sender)}, ${key}`;
        const remembered = key === null ? undefined : model.remembered.get(memory);
        if (remembered && remembered.sent !== sent) return assertRefused(answer, 409, "idempotency_conflict");
        if (remembered) {
          assert.equal(assertTaken(answer).text, remembered.text);
          handOver(model, real, sender, answer);
          return answer;
        }
        const was = [...groups.values()].find(({ token }) => token === sent);
        if (!was) return assertRefused(answer, 404, "unknown_token");
        assertTaken(answer);
        const changed = { ...was, token: answer.json.user_group.token, version: was.version + 1 };
        groups.set(was.id, changed);
        model.tokens.push(changed.token);
        if (key !== null) model.remembered.set(memory, { sent, text: answer.text });
        const { teamId } = was;
        record(model, real, sender, answer, {
          action: "user_group.token_rotated",
          teamId,
          before: was,
          after: changed,
        });
        return assertGroup(answer, changed, "", tagOf(real, sender));
      },
  );

const deletion = fc
  .record({ sender, elsewhere, id, by: fc.constantFrom("id", "token", "both", "another's token"), tag })
  .map(
    ({ sender, elsewhere, id, by, tag }): Step =>
      async (model, real) => {
        const { groups } = at(model.places, sender.place);
        const was = groups.get(id);
        const other = [...at(model.places, sender.place ^ elsewhere).groups.values()].find((one) => one.id !== id);
        const token = (by === "another's token" ? other : was)?.token ?? "ugt_nobody";
        const body = { ...(by !== "token" && { user_group_id: id }), ...(by !== "id" && { current_token: token }) };
        const answer = await send(real, sender, "DELETE", "/api/user", body, tagged(was, tag));
        if (refuses(model, sender, answer, "groups:delete")) return answer;
        const disagrees = by === "another's token" && (was ?? (elsewhere === 0 ? other : undefined));
        if (disagrees) return assertRefused(answer, 422, "invalid_fields");
        if (!was) return assertRefused(answer, 404, by === "token" ? "unknown_token" : "unknown_user_group");
        if (tag === "stale") return assertRefused(answer, 412, "stale");
        assert.deepEqual(assertTaken(answer).json, { success: 1 });
        moveAway(model, real, sender, answer, was);
        return answer;
      },
  );

const restoration = fc
  .record({ sender, elsewhere, id, which: fc.option(fc.constantFrom(0, 1), { freq: 2 }), replace: fc.boolean() })
  .map(
    ({ sender, elsewhere, id, which, replace }): Step =>
      async (model, real) => {
        const { groups, deleted } = at(model.places, sender.place);
        const kept = [...deleted.values()].filter((group) => group.id === id).reverse();
        const known = [...at(model.places, sender.place ^ elsewhere).deleted.keys()].reverse();
        const teamId = which === null ? undefined : (known[which] ?? NOBODY);
        const answer = await send(real, sender, "POST", "/api/user-groups/restore", {
          user_group_id: id,
          replace,
          ...(teamId !== undefined && { team_id: teamId }),
        });
        if (refuses(model, sender, answer, "groups:delete")) return answer;
        const was = teamId === undefined ? kept[0] : kept.find((group) => group.teamId === teamId);
        if (!was) return assertRefused(answer, 404, "unknown_user_group");
        const living = groups.get(id);
        if (living && !replace) return assertRefused(answer, 409, "conflict");
        if (living) moveAway(model, real, sender, answer, living);
        const group = moveBack(model, real, sender, answer, was);
        assert.equal(assertTaken(answer).headers.etag, `"${group.teamId}-${group.version}"`);
        return answer;
      },
  );

const erasure = fc.record({ sender, elsewhere, which: fc.constantFrom(0, 0, 1), living: one(4), id }).map(
  ({ sender, elsewhere, which, living, id }): Step =>
    async (model, real) => {
      const { groups, deleted } = at(model.places, sender.place);
      const place = at(model.places, sender.place ^ elsewhere);
      const teamId = (living ? place.groups.get(id)?.teamId : [...place.deleted.keys()][which]) ?? NOBODY;
      const answer = await send(real, sender, "POST", "/api/user-groups/purge", { team_id: teamId });
      if (refuses(model, sender, answer, "groups:purge")) return answer;
      if ([...groups.values()].some((group) => group.teamId === teamId)) return assertRefused(answer, 409, "conflict");
      if (!deleted.delete(teamId)) return assertRefused(answer, 404, "unknown_user_group");
      assert.deepEqual(assertTaken(answer).json, { success: 1 });
      for (const entry of model.history) {
        if (entry.teamId === teamId) Object.assign(entry, { before: null, after: null });
      }
      record(model, real, sender, answer, { action: "user_group.erased", teamId, before: null, after: null });
      return answer;
    },
);

const revoke = fc.record({ sender: admin, elsewhere, caller: fc.constantFrom(...CALLERS) }).map(
  ({ sender, elsewhere, caller }): Step =>
    async (model, real) => {
      const of = sender.place ^ elsewhere;
      const { id, name, scopes } = at(real.apiTokens, of)[caller];
      const answer = await send(real, sender, "DELETE", `/api/admin/api-tokens/${id}`);
      if (sender.caller !== "owner") return assertRefused(answer, 401, "unauthorized");
      const whose = nameOf({ place: of, caller });
      if (of !== sender.place || model.revoked.has(whose)) return assertRefused(answer, 404, "not_found");
      assert.deepEqual(assertTaken(answer).json, { success: 1 });
      model.revoked.add(whose);
      const before = { id, name, scopes };
      record(model, real, sender, answer, { action: "api_token.revoked", teamId: null, before, after: null });
      return answer;
    },
);

const STEPS: Record<string, [weight: number, step: fc.Arbitrary<Step>]> = {
  "get or create": [5, getOrCreate],
  update: [4, update],
  merge: [4, merge],
  upsert: [3, upsert],
  batch: [4, batch],
  "suspend or resume": [2, setState],
  view: [2, view],
  rotate: [5, rotate],
  delete: [2, deletion],
  restore: [2, restoration],
  erase: [1, erasure],
  "revoke an API token": [1, revoke],
};

/** Sequences of steps; the tally counts executed ones. */
export function sequences(tally: Tally) {
  const commands = Object.entries(STEPS).flatMap(([name, [weight, steps]]) => {
    const command = steps.map((step): fc.AsyncCommand<Model, Real> => {
      return {
        check: () => true,
        async run(model, real) {
          const { status, json } = await step(model, real);
          tally.add(name, status === 200);
          for (const { outcome } of json?.results ?? []) tally.add(`row of a batch: ${outcome}`, outcome !== "error");
        },
        toString: () => name,
      };
    });
    return Array<typeof command>(weight).fill(command);
  });
  return fc.commands(commands, { maxCommands: 60, size: "max" });
}

/** Headers that make a change conditional on the group's version. */
function tagged(was: Group | undefined, tag: "any" | "current" | "stale") {
  return tag === "any" ? {} : { "if-match": `"${was?.teamId}-${tag === "current" ? was?.version : 0}"` };
}
