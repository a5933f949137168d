import assert from "node:assert/strict";
import fc from "fast-check";
import type { Scope } from "@/lib/authority/scopes";
import type { Response } from "../fixtures/api";
import { at, type Group, handOver, type Model, nameOf, type Real, record, type Sender, send } from "./model";
import { assertGroup, differs, merged, moveAway, propertiesOf, refuses } from "./model-changes";
import { bodyOf, type Fields, fields, id, one, patch, sender } from "./model-vocabulary";
import { assertRefused, assertTaken } from "./refusal";

const MODES = ["create", "update", "merge", "upsert", "delete"] as const;
type Mode = (typeof MODES)[number];
const NEEDED: Partial<Record<Mode, Scope>> = {
  create: "groups:create",
  upsert: "groups:create",
  delete: "groups:delete",
};
const FIELDS: Record<Mode, fc.Arbitrary<Fields>> = {
  create: fields,
  update: fields,
  merge: patch,
  upsert: patch,
  delete: fc.constant({}),
};

/** A row of a batch; one with an unknown field is refused. */
interface Row {
  id: string;
  fields: Fields;
  isUnknown: boolean;
}

interface Batch {
  mode: Mode;
  rows: Row[];
}

const batches: fc.Arbitrary<Batch> = fc.constantFrom(...MODES).chain((mode) => {
  const row = fc.record({ id, fields: FIELDS[mode], isUnknown: one(10) });
  return fc.record({ mode: fc.constant(mode), rows: fc.array(row, { minLength: 1, maxLength: 5 }) });
});

export const batch = fc
  .record({
    sender,
    batch: batches,
    isDryRun: one(4),
    key: fc.option(fc.constantFrom("one", "two"), { freq: 2 }),
    /** whether to repeat the key's earlier request, if that was a batch */
    again: fc.boolean(),
  })
  .map(({ sender, batch, isDryRun, key, again }) => async (model: Model, real: Real): Promise<Response> => {
    const memory = `${nameOf(sender)}, ${key}`;
    const remembered = key === null ? undefined : model.remembered.get(memory);
    const isRepeated = again && remembered?.sent.startsWith("{");
    const body = isRepeated ? remembered?.sent : textOf(batch, isDryRun);
    const headers = key === null ? {} : { "idempotency-key": `${real.run} ${key}` };
    const answer = await send(real, sender, "POST", "/api/user-groups/batch", body, headers);
    if (refuses(model, sender, answer, "groups:write")) return answer;
    if (isRepeated) {
      assert.equal(assertTaken(answer).text, remembered?.text);
      return answer;
    }
    const scope = NEEDED[batch.mode];
    if (scope && refuses(model, sender, answer, scope)) return answer;
    const { groups } = at(model.places, sender.place);
    if (isDryRun) {
      const effects = effectsOf(groups, batch, () => ({ teamId: 0, token: "" }));
      const wanted = effects.map((effect) =>
        resultOf(effect, effect.outcome === "same" && groups.get(effect.id) === effect.group),
      );
      assert.deepEqual(resultsOf(answer), wanted);
      return answer;
    }
    if (remembered && remembered.sent !== body) return assertRefused(answer, 409, "idempotency_conflict");
    if (remembered) {
      assert.equal(assertTaken(answer).text, remembered.text);
      return answer;
    }
    if (key !== null && body !== undefined) model.remembered.set(memory, { sent: body, text: answer.text });
    await carryOut(model, real, { sender, batch, answer });
    return answer;
  });

/** Compares a batch's answer with the model, and applies the batch to the model. */
async function carryOut(
  model: Model,
  real: Real,
  { sender, batch, answer }: { sender: Sender; batch: Batch; answer: Response },
) {
  const { groups } = at(model.places, sender.place);
  const results = resultsOf(answer);
  // The answer has no tokens: the owner requests those of new groups.
  const owner: Sender = { place: sender.place, caller: "owner" };
  const found = new Map<string, Response>();
  for (const { user_group_id, outcome } of results) {
    if (outcome !== "created") continue;
    found.set(user_group_id, await send(real, owner, "GET", "/api/user", bodyOf(user_group_id, {})));
  }
  const effects = effectsOf(groups, batch, (id) => {
    const { team_id: teamId, token } = found.get(id)?.json.user_group ?? {};
    return { teamId, token };
  });
  assert.deepEqual(
    results,
    effects.map((effect) => resultOf(effect, effect.outcome !== "deleted")),
  );
  model.batches.add(String(answer.headers["x-request-id"]));
  const inOrder = effects.toSorted((a, b) => (a.group?.teamId ?? 0) - (b.group?.teamId ?? 0));
  for (const { outcome, was = null, group } of inOrder) {
    if (!group || outcome === "same") continue;
    const { teamId, token } = group;
    if (outcome === "deleted") {
      moveAway(model, real, sender, answer, group);
      continue;
    }
    groups.set(group.id, group);
    if (outcome === "created") model.tokens.push(token);
    const action = outcome === "created" ? "user_group.created" : "user_group.updated";
    record(model, real, sender, answer, { action, teamId, before: was, after: group });
  }
  for (const [id, asked] of found) {
    const group = groups.get(id);
    assert.ok(group);
    assertGroup(asked, group, `"new_user_group":false,`, propertiesOf(group));
    handOver(model, real, owner, asked);
  }
}

/** A row's outcome. */
interface Effect {
  id: string;
  outcome: "created" | "changed" | "same" | "deleted" | "error";
  code?: string;
  was?: Group;
  /** the group after a change, or before its deletion */
  group?: Group;
}

/** Applies the rows in order; `made` has the number and token of a new group. */
function effectsOf(
  groups: ReadonlyMap<string, Group>,
  { mode, rows }: Batch,
  made: (id: string) => Pick<Group, "teamId" | "token">,
): Effect[] {
  const now = new Map(groups);
  return rows.map(({ id, fields, isUnknown }): Effect => {
    const was = now.get(id);
    const failed = (code: string): Effect => ({ id, outcome: "error", code });
    if (isUnknown) return failed("invalid_fields");
    if (was && mode === "create") return failed("conflict");
    if (!was && mode !== "create" && mode !== "upsert") return failed("unknown_user_group");
    if (was && mode === "delete") {
      now.delete(id);
      return { id, outcome: "deleted", group: was };
    }
    const before = was ?? { id, name: id, mapping: "{}", properties: null, version: 0, state: "active", ...made(id) };
    const isMerge = mode === "merge" || mode === "upsert";
    const group: Group = { ...before, ...(isMerge ? merged(before, fields) : fields), version: before.version + 1 };
    if (was && !differs(group, was)) return { id, outcome: "same", group: was };
    now.set(id, group);
    return was ? { id, outcome: "changed", was, group } : { id, outcome: "created", group };
  });
}

/** A row's result as read by {@link resultsOf}. */
function resultOf({ id, outcome, code, group }: Effect, hasTag: boolean) {
  return {
    user_group_id: id,
    outcome,
    ...(group && group.teamId > 0 && { team_id: group.teamId }),
    ...(group && hasTag && { etag: `"${group.teamId}-${group.version}"` }),
    ...(code && { error: code }),
  };
}

/** The results in an answer, with only the code of each error. */
function resultsOf(answer: Response): ReturnType<typeof resultOf>[] {
  assert.ok(!answer.text.includes("ugt_"));
  const { results } = assertTaken(answer).json;
  return results.map(({ error, ...result }: { error?: { code: string } }) => ({
    ...result,
    ...(error && { error: error.code }),
  }));
}

function textOf({ mode, rows }: Batch, isDryRun: boolean): string {
  const texts = rows.map(({ id, fields, isUnknown }) => {
    const text = bodyOf(id, fields);
    return isUnknown ? text.replace("{", '{"token": "t", ') : text;
  });
  return `{"mode":"${mode}", ${isDryRun ? '"dry_run":true, ' : ""}"user_groups":[${texts.join(", ")}]}`;
}
