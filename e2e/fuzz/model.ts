import { randomUUID } from "node:crypto";
import type { AdminClient } from "../fixtures/admin-client";
import { call, type Database, expect, type Response } from "../fixtures/api";

// Two environments with all their content as plain data: the service's tables in their simplest
// form.

export interface Group {
  teamId: number;
  id: string;
  name: string;
  mapping: string;
  properties: string | null;
  token: string;
  version: number;
  state: "active" | "suspended";
}

export interface Entry {
  place: number;
  action: string;
  teamId: number | null;
  actor: string;
  requestId: string;
  before: Group | object | null;
  after: Group | object | null;
  /** the token it ended, which survives an erasure */
  ended: string | null;
}

const ENDS = ["user_group.token_rotated", "user_group.deleted"];

interface Environment {
  groups: Map<string, Group>;
  /** by team id */
  deleted: Map<number, Group>;
}

/** The expected state of the service. */
export interface Model {
  places: [Environment, Environment];
  history: Entry[];
  /** every user group token ever issued, oldest first */
  tokens: string[];
  /** the invalid API tokens, by caller */
  revoked: Set<string>;
  /** each request and its answer, by caller and Idempotency-Key */
  remembered: Map<string, { sent: string; text: string }>;
  /** ids of requests that changed several groups in any order: their entries are compared by team id */
  batches: Set<string>;
}

/** API tokens, and the presets of their scopes. */
export const TOKENS = { writer: "full", "second writer": "backend", reader: "read-only", revoked: "full" } as const;
type TokenName = keyof typeof TOKENS;
/** A caller: a program with an API token of the environment, or the owner in a browser. */
export type Caller = TokenName | "owner";

export interface ApiToken {
  id: number;
  name: string;
  scopes: readonly string[];
  token: string;
}

/** The service and its callers' credentials. */
export interface Real {
  database: Database;
  /** the owner's session, in each of the two environments */
  owners: readonly [AdminClient, AdminClient];
  apiTokens: readonly [Record<TokenName, ApiToken>, Record<TokenName, ApiToken>];
  environmentIds: [number, number];
  tags: ["Testing", "Customer"];
  /** the prefix of a sequence's Idempotency-Keys */
  run: string;
  /** the last history entry before this sequence */
  since: string;
}

export interface Sender {
  place: number;
  caller: Caller;
}

/** Sends this caller's request about this environment. */
export function send(
  real: Real,
  { place, caller }: Sender,
  method: string,
  path: string,
  body?: object | string,
  headers = {},
) {
  if (caller === "owner") {
    const { cookie, environment } = at(real.owners, place);
    return call(method, path, { token: null, body, headers: { cookie, "x-environment": environment, ...headers } });
  }
  return call(method, path, { token: at(real.apiTokens, place)[caller].token, body, headers });
}

export function at<T>(pair: readonly [T, T], place: number): T {
  return place === 0 ? pair[0] : pair[1];
}

/** The caller's name in the history. */
function actorOf(real: Real, { place, caller }: Sender): string {
  if (caller === "owner") return `member ${at(real.owners, place).member.id}`;
  return `api_token ${at(real.apiTokens, place)[caller].id}`;
}

/** Records the service's entry for the change in this answer. */
export function record(
  model: Model,
  real: Real,
  sender: Sender,
  answer: Response,
  entry: Pick<Entry, "action" | "teamId" | "before" | "after">,
) {
  const requestId = String(answer.headers["x-request-id"]);
  const { action, before } = entry;
  const ended = before && "token" in before && ENDS.includes(action) ? before.token : null;
  model.history.push({ place: sender.place, actor: actorOf(real, sender), requestId, ended, ...entry });
}

/** Records the entry for a member who gets an existing group's token without changing anything. */
export function handOver(model: Model, real: Real, sender: Sender, answer: Response) {
  const teamId: number = answer.json.user_group.team_id;
  const groups = [...at(model.places, sender.place).groups.values()];
  if (sender.caller !== "owner" || !groups.some((group) => group.teamId === teamId)) return;
  record(model, real, sender, answer, { action: "user_group.token_revealed", teamId, before: null, after: null });
}

/**
 * Empties both environments, revalidates every API token not revoked from the start, and returns the
 * model.
 */
export async function begin(real: Real): Promise<{ model: Model; real: Real }> {
  const { database, environmentIds } = real;
  for (const table of ["user_group", "deleted_group"]) {
    await database.query(`DELETE FROM ${table} WHERE environment_id = ANY ($1)`, [environmentIds]);
  }
  await database.query(
    "UPDATE api_token SET revoked_at = CASE WHEN name = 'revoked' THEN now() END WHERE environment_id = ANY ($1)",
    [environmentIds],
  );
  const [{ since }] = await database.query(
    "SELECT coalesce(max(id), 0) AS since FROM audit_entry WHERE environment_id = ANY ($1)",
    [environmentIds],
  );
  const empty = (): Environment => ({ groups: new Map(), deleted: new Map() });
  const revoked = new Set([nameOf({ place: 0, caller: "revoked" }), nameOf({ place: 1, caller: "revoked" })]);
  return {
    model: { places: [empty(), empty()], history: [], tokens: [], revoked, remembered: new Map(), batches: new Set() },
    real: { ...real, run: randomUUID(), since },
  };
}

export function nameOf({ place, caller }: Sender): string {
  return `${caller} of ${place}`;
}

/** Compares the database's whole content of both environments with the model. */
export async function expectSame(model: Model, real: Real) {
  const { database, environmentIds } = real;
  const rows = (table: string) =>
    database.query(
      `SELECT environment_id, team_id, provided_id, name, mapping, properties, version, state, encode(substring(token_index FOR 8), 'hex') AS fingerprint
       FROM ${table} WHERE environment_id = ANY ($1) ORDER BY team_id`,
      [environmentIds],
    );
  const fingerprints = await expectHistory(model, real);
  const columns = (of: "groups" | "deleted") =>
    model.places
      .flatMap((place, index) =>
        [...place[of].values()].map(({ teamId, id, token, ...rest }) => ({
          environment_id: environmentIds[index],
          team_id: teamId,
          provided_id: id,
          ...rest,
          fingerprint: fingerprints.get(token),
        })),
      )
      .sort((a, b) => a.team_id - b.team_id);
  expect(await rows("user_group")).toEqual(columns("groups"));
  expect(await rows("deleted_group")).toEqual(columns("deleted"));
  const revoked = await database.query(
    "SELECT environment_id, name FROM api_token WHERE environment_id = ANY ($1) AND revoked_at IS NOT NULL",
    [environmentIds],
  );
  const names = revoked.map(({ environment_id, name }) =>
    nameOf({ place: environmentIds.indexOf(environment_id), caller: name }),
  );
  expect(new Set(names)).toEqual(model.revoked);
}

/** Compares the history with the model's; returns the fingerprint of each token. */
async function expectHistory(model: Model, { database, environmentIds, since }: Real): Promise<Map<string, string>> {
  const entries = await database.query(
    `SELECT environment_id, action, team_id, actor_type || ' ' || actor_id AS actor, request_id, before, after,
       encode(ended_token, 'hex') AS ended
     FROM audit_entry WHERE environment_id = ANY ($1) AND id > $2
     ORDER BY min(id) OVER (PARTITION BY request_id), CASE WHEN request_id = ANY ($3) THEN team_id END, id`,
    [environmentIds, since, [...model.batches]],
  );
  const fingerprints = new Map<string, string>();
  // A keyed hash: the model cannot know it, but it must stay the same.
  const fingerprintOf = (token: string, found: string | undefined) => {
    const fingerprint = fingerprints.get(token) ?? found ?? "";
    fingerprints.set(token, fingerprint);
    return fingerprint;
  };
  const textOf = (state: Entry["before"], found: string | null): string | null => {
    if (!state || !("token" in state)) return state && JSON.stringify(state);
    const { id, name, mapping, properties, token } = state;
    const fingerprint = fingerprintOf(token, /"token_fingerprint":"([0-9a-f]{16})"\}$/.exec(found ?? "")?.[1]);
    const texts = `"provided_id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
    return `{${texts},"mapping":${mapping},"properties":${properties},"token_fingerprint":"${fingerprint}"}`;
  };
  const wanted = model.history.map(({ place, action, teamId, actor, requestId, before, after, ended }, index) => ({
    environment_id: environmentIds[place],
    action,
    team_id: teamId,
    actor,
    request_id: requestId,
    before: textOf(before, entries[index]?.before),
    after: textOf(after, entries[index]?.after),
    ended: ended && fingerprintOf(ended, entries[index]?.ended),
  }));
  expect(entries).toEqual(wanted);
  expect(new Set(fingerprints.values()).size).toBe(fingerprints.size);
  expect(new Set(model.tokens).size).toBe(model.tokens.length);
  return fingerprints;
}
