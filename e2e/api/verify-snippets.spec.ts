import path from "node:path";
import { PRESETS } from "@/lib/authority/scopes";
import { TEMPLATE_PRESETS } from "@/lib/viewer-tokens/presets";
import { createEnvironment } from "../fixtures/admin-client";
import { call, createGroup, expect } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { keyOf, resigned } from "../fixtures/forge";
import { forgeries, wrongClaims } from "../fixtures/forgeries";
import { startHostile } from "../fixtures/hostile";
import { run } from "../fixtures/run";
import { findInterpreter, pythonsThatRun } from "../fixtures/snippets";
import { test, type ViewerPlace } from "../fixtures/viewer-place";

// Runs examples/verify as renderers in other languages would.

const [python] = pythonsThatRun("import jwt, cryptography");

const PROGRAMS = [
  { file: "verify_viewer_token.py", needs: "Python with PyJWT", interpreter: python && [python] },
  { file: "verify_viewer_token.go", needs: "Go", interpreter: findInterpreter("go") },
  { file: "VerifyViewerToken.java", needs: "A JDK", interpreter: findInterpreter("java") },
];

const OLDER_PROPERTIES = {
  plan: "pro",
  limit: 1e21,
  names: ["é", '"', "\u2028"],
  nested: { exp: 1, "": [null, true] },
};

/** A verifier's verdicts in order: `accepted` with the group's number and id, or `refused`. */
async function outcomes(
  { file, interpreter }: (typeof PROGRAMS)[number],
  { issuer, tokens, lowest = new Map() }: { issuer: string; tokens: string[]; lowest?: Map<unknown, unknown> },
): Promise<string[]> {
  const [program = "", ...options] = interpreter ?? [];
  const revoked = [...lowest].map((pair) => pair.join("="));
  const args = [...options, path.resolve("examples/verify", file), issuer, issuer, ...revoked];
  const { code, stdout, stderr } = await run(program, args, { input: tokens.map((token) => `${token}\n`).join("") });
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines, stdout).toHaveLength(tokens.length);
  return lines.map((line) => (line.startsWith("refused ") ? "refused" : line));
}

/** The lowest generations from the revocations. */
async function lowestGenerations(place: ViewerPlace): Promise<Map<number, number>> {
  const { json } = await place.send("GET", "/api/revocations");
  expect(json.has_more).toBe(false);
  const lowest = new Map<number, number>();
  for (const { team_id, gen } of json.revocations) {
    if (gen !== undefined) lowest.set(team_id, Math.max(gen, lowest.get(team_id) ?? 0));
  }
  return lowest;
}

/** Tokens of another environment and of a claim template, signed with this service's keys. */
async function tokensElsewhere(place: ViewerPlace, database: Parameters<typeof keyOf>[0], stage: Stage, token: string) {
  const templates = { cube: TEMPLATE_PRESETS.cube.template };
  await place.set({ templates, visible: { properties: Object.keys(OLDER_PROPERTIES) } });
  const slug = await createEnvironment(database);
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const elsewhere = { token: await insertApiToken(settings, { environment: slug, scopes: PRESETS.full }) };
  await call("PUT", "/api/viewer-settings", { ...elsewhere, body: { templates } });
  const theirs = await createGroup({}, elsewhere);
  const mint = async (body: object, caller: { token: string }) => {
    const { json } = await call("POST", "/api/viewer-tokens", { ...caller, body });
    expect(json.success).toBe(1);
    return json.viewer_token as string;
  };
  const body = { token: theirs.token, audience: place.issuer };
  const own = await mint({ token, template: "cube", audience: place.issuer }, place);
  const [foreign, foreignTemplate] = [
    await mint(body, elsewhere),
    await mint({ ...body, template: "cube" }, elsewhere),
  ];
  const saysHere = resigned(await keyOf(database, foreign), foreign, { iss: place.issuer });
  const templateSaysHere = resigned(await keyOf(database, foreignTemplate), foreignTemplate, { iss: place.issuer });
  return {
    "a template of this environment": own,
    "another environment": foreign,
    "another environment's template": foreignTemplate,
    "another environment that says it is this one": saysHere,
    "another environment's template that says it is this one": templateSaysHere,
  };
}

type Stage = { databaseUrl: string; secretKey: string };

for (const program of PROGRAMS) {
  test(`${program.file} accepts tokens of the service, and refuses all others`, async ({ place, database, stage }) => {
    test.skip(!program.interpreter, `${program.needs} is not installed`);
    const group = await place.group({ properties: OLDER_PROPERTIES });
    const other = await place.group();
    const plain = await place.mint({ token: group.token });
    const elsewhere = await tokensElsewhere(place, database, stage, group.token);
    const token = await place.mint({ token: group.token, viewer: "user_42", variables: { page: [1.5, { a: "\\" }] } });
    const key = await keyOf(database, token);
    const { keys } = (await call("GET", `/e/${place.slug}/.well-known/jwks.json`, { token: null })).json;
    const now = Math.floor(Date.now() / 1_000);
    const refused = {
      ...forgeries(token, { jwk: keys[0], group, other }),
      ...Object.fromEntries(wrongClaims(place.issuer).map(([what, changes]) => [what, resigned(key, token, changes)])),
      "a team id that is no number": resigned(key, token, { team_id: "1" }),
      "no generation": resigned(key, token, { gen: undefined }),
      "issued in the future": resigned(key, token, { iat: now + 1_000 }),
      ...elsewhere,
    };
    const accepted = { plain, "with variables": token, "30 s late": resigned(key, token, { exp: now - 30 }) };
    const table = Object.entries({ ...refused, ...accepted });
    const said = await outcomes(program, { issuer: place.issuer, tokens: table.map(([, each]) => each) });
    const valid = `valid ${group.team_id} ${group.provided_id}`;
    expect(Object.fromEntries(table.map(([what], at) => [what, said[at]]))).toEqual({
      ...Object.fromEntries(Object.keys(refused).map((what) => [what, "refused"])),
      ...Object.fromEntries(Object.keys(accepted).map((what) => [what, valid])),
    });
  });

  test(`${program.file} refuses lower generations, and tokens of a deleted group whose id was reused`, async ({
    place,
  }) => {
    test.skip(!program.interpreter, `${program.needs} is not installed`);
    const [ended, deleted, kept] = await Promise.all([place.group(), place.group(), place.group()]);
    const mintAll = (tokens: string[]) => Promise.all(tokens.map((token) => place.mint({ token })));
    const tokens = await mintAll([ended.token, deleted.token, kept.token]);
    const { issuer } = place;
    const before = await outcomes(program, { issuer, tokens, lowest: await lowestGenerations(place) });
    const valid = (group: { team_id: number; provided_id: string }) => `valid ${group.team_id} ${group.provided_id}`;
    expect(before).toEqual([ended, deleted, kept].map(valid));
    await place.send("POST", "/api/user-groups/end-views", { user_group_id: ended.provided_id });
    await place.send("DELETE", "/api/user", { user_group_id: deleted.provided_id });
    const again = await place.group({ user_group_id: deleted.provided_id });
    const renewed = await mintAll([ended.token, again.token]);
    const lowest = await lowestGenerations(place);
    expect(await outcomes(program, { issuer, tokens: [...tokens, ...renewed], lowest })).toEqual([
      "refused",
      "refused",
      valid(kept),
      valid(ended),
      valid(again),
    ]);
  });
}

for (const program of PROGRAMS) {
  test(`${program.file} refuses what was revoked of one person, and content that is not named`, async ({ place }) => {
    test.skip(!program.interpreter, `${program.needs} is not installed`);
    const group = await place.group();
    const { issuer } = place;
    const mint = (body: object) => place.mint({ token: group.token, ...body });
    const [ended, other] = [await mint({ viewer: { id: "u", name: "Ada" } }), await mint({ viewer: "v" })];
    const asked = { user_group_id: group.provided_id, viewer_id: "u" };
    const { team_id, viewer_key, before } = (await place.send("POST", "/api/viewers/end", asked)).json;
    const again = await mint({ viewer: "u" });
    const second = Math.floor(Date.parse(before) / 1_000);
    const lowest = new Map([[`${team_id}/${viewer_key}`, second]]);
    const valid = `valid ${team_id} ${group.provided_id}`;
    const tokens = [ended, other, again];
    expect(await outcomes(program, { issuer, tokens, lowest })).toEqual(["refused", valid, valid]);

    const shown = [await mint({}), await mint({ content: ["sales"] }), await mint({ content: [] })];
    const verdicts = (key: string, name: string) =>
      outcomes(program, { issuer, tokens: shown, lowest: new Map([[key, name]]) });
    expect(await verdicts("content", "sales")).toEqual(["refused", valid, "refused"]);
    expect(await verdicts("content", "costs")).toEqual(["refused", "refused", "refused"]);
    expect(await verdicts("content?", "sales")).toEqual([valid, valid, "refused"]);
  });
}

for (const { file, needs, interpreter } of PROGRAMS) {
  const isPython = interpreter?.[0] === python;
  test(`${file} reads a hostile key set within bounds, with one request`, async ({ place }) => {
    test.skip(!interpreter, `${needs} is not installed`);
    const [program = "", ...options] = interpreter ?? [];
    const token = await place.mint({ token: (await place.group()).token });
    const hostile = await startHostile();
    // The other programs take seconds of processor time to start.
    const names = Object.keys(hostile.urls).filter((what) => isPython || /drip|hangs/.test(what));
    const said = await Promise.all(
      names.map(async (what) => {
        const issuer = hostile.urls[what] ?? "";
        const args = [...options, path.resolve("examples/verify", file), issuer, issuer];
        const { code, stdout } = await run(program, args, { input: `${token}\n${token}\n` });
        return [what, { code, stdout }];
      }),
    );
    const refused = { code: 0, stdout: "refused unknown key\nrefused unknown key\n" };
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(names.map((what) => [what, refused])));
    expect(Object.fromEntries(hostile.requests)).toEqual(Object.fromEntries(names.map((what) => [what, 1])));
    await hostile.stop();
  });
}
