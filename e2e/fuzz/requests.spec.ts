import assert from "node:assert/strict";
import fc from "fast-check";
import { PRESETS } from "@/lib/authority/scopes";
import { adminClient, createEnvironment } from "../fixtures/admin-client";
import { call, createGroup, type Database, expect, type Response, test } from "../fixtures/api";
import { extent, SEED, Tally } from "./extent";
import { assertRefused, assertTaken } from "./refusal";
import { CURRENT_TOKEN, type GeneratedRequest, generatedRequest, THERE } from "./requests";
import { membersOf } from "./rules";
import { judge, type Verdict, type Wanted } from "./verdict";

/** How many requests the parser reads for each one sent to a service. */
const SAMPLE = 20;
/** Longer ones exceed the limit of a request's head. */
const MAX_QUERY = 8_000;
/** Longer ones are refused unread. */
const MAX_BODY = 262_144;
const TOO_LARGE: Verdict = { accepted: false, status: 413, code: "body_too_large" };

interface Place {
  environmentId: number;
  token: string;
  database: Database;
}

interface GroupRow {
  provided_id: string;
  name: string;
  mapping: string;
  properties: string | null;
  version: number;
}

/** All groups of the place, and the length of its history. */
async function stateOf({ database, environmentId }: Place): Promise<{ groups: GroupRow[]; entries: number }> {
  const [groups, [history]] = await Promise.all([
    database.query("SELECT * FROM user_group WHERE environment_id = $1 ORDER BY team_id", [environmentId]),
    database.query("SELECT count(*)::int AS entries FROM audit_entry WHERE environment_id = $1", [environmentId]),
  ]);
  return { groups, entries: history.entries };
}

async function openPlace(database: Database): Promise<Place> {
  const slug = await createEnvironment(database);
  const owner = await adminClient(database, "owner", slug);
  const { json } = await owner.post("api-tokens", { name: "fuzz", scopes: [...PRESETS.backend], expiresAt: null });
  const [{ id }] = await database.query("SELECT id FROM environment WHERE slug = $1", [slug]);
  await createGroup({ user_group_id: THERE, properties: { kept: true } }, { token: json.token });
  return { environmentId: id, token: json.token, database };
}

/** Sends it to one of the services, and checks that the groups match the verdict exactly. */
async function send(place: Place, request: GeneratedRequest, verdict: Verdict) {
  const before = await stateOf(place);
  const current = await call("GET", "/api/user", { token: place.token, body: { user_group_id: THERE } });
  const token: string = current.json.user_group.token;
  const body = Buffer.from(request.body.replaceAll(CURRENT_TOKEN, token), "latin1");
  const answer = await call(request.method, request.path + (request.query ? `?${request.query}` : ""), {
    token: place.token,
    ...(request.query === undefined && { body, headers: { "content-type": request.contentType } }),
  });
  const { groups, entries } = await stateOf(place);
  if (!verdict.accepted) {
    assertRefused(answer, verdict.status, verdict.code);
    assert.deepEqual({ groups, entries }, before);
    return;
  }
  const { user_group_id: id, current_token, ...fields } = verdict.wanted;
  const [there] = before.groups;
  if (!there) throw new Error("the group that is there has gone");
  // Spelled with an escape, it was sent unchanged.
  const isCurrent = current_token === CURRENT_TOKEN && request.body.includes(CURRENT_TOKEN);
  const isThere = isCurrent || id === THERE;
  const isChange = request.method === "PUT" || current_token !== undefined;
  if (!isThere && isChange) {
    assertRefused(answer, 404, request.method === "PUT" ? "unknown_user_group" : "unknown_token");
    assert.deepEqual({ groups, entries }, before);
    return;
  }
  if (current_token !== undefined) {
    assert.notEqual(assertTaken(answer).json.user_group.token, token);
    assert.deepEqual(groups.map(columnsOf), [{ ...columnsOf(there), version: there.version + 1 }]);
    assert.equal(entries, before.entries + 1);
  } else if (request.method === "PUT") {
    const wanted = { ...columnsOf(there), ...fields };
    const isChanged = Object.entries(wanted).some(([name, value]) => there[name as keyof GroupRow] !== value);
    assert.deepEqual(groups.map(columnsOf), [{ ...wanted, version: there.version + Number(isChanged) }]);
    assert.equal(entries, before.entries + Number(isChanged));
    assertGroup(answer, wanted);
  } else if (isThere) {
    assert.deepEqual({ groups, entries }, before);
    assertGroup(answer, there);
  } else {
    const wanted = { provided_id: id, name: id, mapping: "{}", properties: null, ...fields, version: 1 };
    assert.deepEqual(groups.slice(0, 1), before.groups);
    assert.deepEqual(groups.slice(1).map(columnsOf), [wanted]);
    assert.equal(entries, before.entries + 1);
    assertGroup(answer, wanted);
    const { database, environmentId } = place;
    await database.query("DELETE FROM user_group WHERE environment_id = $1 AND provided_id = $2", [environmentId, id]);
  }
}

function columnsOf({ provided_id, name, mapping, properties, version }: GroupRow): GroupRow {
  return { provided_id, name, mapping, properties, version };
}

/** The answer contains this group, its properties byte for byte. */
function assertGroup(answer: Response, wanted: Wanted & { provided_id?: string | undefined }) {
  const group = membersOf(membersOf(assertTaken(answer).text).get("user_group") ?? "");
  assert.equal(group.get("properties"), wanted.properties ?? "null");
  assert.equal(JSON.parse(group.get("name") ?? "null"), wanted.name);
  assert.equal(JSON.parse(group.get("provided_id") ?? "null"), wanted.provided_id);
}

test("valid, invalid and mutated requests are accepted or refused by the contract, and refusals change nothing", async ({
  database,
}) => {
  const place = await openPlace(database);
  const tally = new Tally();
  const property = fc.asyncProperty(
    fc.array(generatedRequest, { minLength: SAMPLE, maxLength: SAMPLE }),
    async (requests) => {
      for (const [at, request] of requests.entries()) {
        const verdict = judge(request);
        tally.add("all requests", verdict.accepted);
        for (const name of new Set([request.kind, ...request.mutations])) tally.add(name, verdict.accepted);
        if (at > 0 || (request.query?.length ?? 0) > MAX_QUERY) continue;
        await send(place, request, request.body.length > MAX_BODY ? TOO_LARGE : verdict);
        tally.add("sent to a service", verdict.accepted);
      }
    },
  );
  const numRuns = extent(5_000);
  await tally.during(() => fc.assert(property, { seed: SEED, numRuns }));
  // Requests always refused, or always accepted, test nothing.
  for (const what of ["all requests", "mutated", "sent to a service"]) {
    const { accepted, refused } = tally.count(what);
    expect(Math.min(accepted, refused), what).toBeGreaterThan(numRuns / 10);
  }
});
