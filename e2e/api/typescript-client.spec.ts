import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { inspect } from "node:util";
import { PRESETS } from "@/lib/authority/scopes";
import { createEnvironment } from "../fixtures/admin-client";
import { createGroup, type Database, expect, newId } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { run } from "../fixtures/run";
import { withClients as test } from "../fixtures/typescript-client";

// One worker, which builds and installs the package once.
test.describe.configure({ mode: "default" });

const rotationsOf = async (database: Database, id: number) => {
  const sql = "SELECT count(*)::int FROM audit_entry WHERE team_id = $1 AND action = 'user_group.token_rotated'";
  return (await database.query(sql, [id]))[0].count;
};

test("the package contains the import and require builds, its README and its licence, and nothing else", async ({
  built,
}) => {
  const { stdout } = await run("tar", ["-tzf", built.tarball]);
  const names = stdout
    .trim()
    .split("\n")
    .map((name) => name.replace("package/", ""));
  const sources = readdirSync(path.join(built.folder, "clients/typescript/src")).map((name) => name.replace(".ts", ""));
  const files = ["esm", "cjs"].flatMap((format) => [
    `dist/${format}/package.json`,
    ...sources.flatMap((name) => [`dist/${format}/${name}.d.ts`, `dist/${format}/${name}.js`]),
  ]);
  expect(names.sort()).toEqual(["LICENSE", "README.md", ...files, "package.json"].sort());
});

test("the package's types resolve for every compiler and loader", async ({ built }) => {
  const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(built.tarball)));
  expect(analysis.types && "problems" in analysis && analysis.problems).toEqual([]);
});

const USE = `
const run = async () => {
  const { BASE_URL, TOKEN, ID } = process.env;
  const client = new UserGroupsClient({ baseUrl: BASE_URL, apiToken: TOKEN });
  const { user_group } = await client.getOrCreate({ user_group_id: ID });
  const error = await client.rotate("ugt_none").catch((thrown) => thrown);
  console.log(user_group.provided_id === ID, error instanceof UserGroupsError, error.code);
};
run();`;

test("publint finds no problem in the package", async ({ built }) => {
  const { publint } = await import("publint");
  const tarball = new Uint8Array(readFileSync(built.tarball)).buffer;
  expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
});

test("an installed package can be imported and required, with types for both", async ({ built, stage }) => {
  const { folder } = built;
  const names = "UserGroupsClient, UserGroupsError";
  const programs = {
    "use.mjs": `import { ${names} } from "@user-groups/client";${USE}`,
    "use.cjs": `const { ${names} } = require("@user-groups/client");${USE}`,
  };
  const env = { BASE_URL: stage.urls[0], TOKEN: stage.tokens.testing, ID: newId() };
  for (const [name, source] of Object.entries(programs)) {
    await writeFile(path.join(folder, name), source);
    const ended = await run(process.execPath, [name], { cwd: folder, env });
    expect(ended).toMatchObject({ code: 0, stderr: "", stdout: "true true unknown_token\n" });
  }
  const typed = `const client = new UserGroupsClient({ baseUrl: "http://a", apiToken: "b" });
    export const token: Promise<string> = client.getOrCreate({ user_group_id: "a" }).then((found) => found.user_group.token);
    // @ts-expect-error a misspelled field
    client.update({ user_group: "a" });`;
  await writeFile(path.join(folder, "use.mts"), `import { UserGroupsClient } from "@user-groups/client";${typed}`);
  await writeFile(path.join(folder, "use.cts"), `import { UserGroupsClient } from "@user-groups/client";${typed}`);
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--typeRoots", path.resolve("node_modules/@types")];
  const places = { browsers: ["--lib", "es2022,dom", "--types", ""], Node: ["--lib", "es2022", "--types", "node"] };
  for (const [place, types] of Object.entries(places)) {
    const checked = await run(process.execPath, [tsc, ...strict, ...types, "use.mts", "use.cts"], { cwd: folder });
    expect(checked, place).toMatchObject({ code: 0, stdout: "" });
  }
});

/** Completes the README's webhook example: a request signed as by the service. */
const RECEIVE = `
const [id, time, body] = ["msg_1", new Date(), '{"type":"user_group.created"}'];
const signed = { "webhook-id": id, "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)) };
const signature = new Webhook(secret).sign(id, time, body);
console.log("received", receivedEvent(body, { ...signed, "webhook-signature": signature }).type);
try {
  receivedEvent(body, { ...signed, "webhook-signature": "v1,AAAA" });
} catch (error) {
  console.log("refused", error instanceof Error && error.message);
}`;

test("the examples of its README pass a strict compiler, and run", { tag: "@release" }, async ({
  built,
  stage,
  database,
}) => {
  const readme = await readFile("clients/typescript/README.md", "utf8");
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text = ""]) => text);
  expect(examples.length).toBeGreaterThan(10);
  const environment = await createEnvironment(database);
  const source = [...examples, RECEIVE]
    .join("\n")
    .replaceAll("https://groups.example.com/e/production", `${stage.urls[0]}/e/${environment}`)
    .replaceAll("https://groups.example.com", stage.urls[0])
    .replaceAll("https://example.com/hooks", "https://127.0.0.1:1")
    // Uncommitted transactions of other tests delay the feed.
    .replace(/^const feed = /m, "while ((await userGroups.events()).events.length < 2);\n$&");
  const file = path.join(built.folder, "readme.mts");
  await writeFile(file, source);
  const strict = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"];
  const types = ["--types", "node", "--typeRoots", path.resolve("node_modules/@types")];
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const checked = await run(process.execPath, [tsc, ...strict, ...types, file], { cwd: built.folder });
  expect(checked).toMatchObject({ code: 0, stdout: "" });

  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const env = { USER_GROUPS_API_TOKEN: await insertApiToken(settings, { environment, scopes: PRESETS.full }) };
  const { code, stdout, stderr } = await run(process.execPath, [path.resolve("node_modules/tsx/dist/cli.mjs"), file], {
    env,
  });
  expect({ code }, stderr).toEqual({ code: 0 });
  // From the error example.
  expect(stderr).toMatch(/^unknown_user_group 404 [^\n]+\n$/);
  expect(stdout).toMatch(/^ugt_\w+ is new\n\{ plan: 'free', seats: 10 \}\neyJ[\w.-]+ \S+\n\d+ \{\}\n/);
  expect(stdout).toMatch(/\nuser_group\.created acme-1\nuser_group\.updated acme-1\n/);
  expect(stdout).toMatch(/\ndone \{ .*\}\n/s);
  expect(stdout).toMatch(/\nreceived user_group\.created\nrefused .+\n$/);
});

test("the client gets or creates, updates, rotates, and identifies a viewer", async ({ clientOf }) => {
  const client = clientOf();
  const id = newId("ünïcode");
  const fields = { user_group_id: id, name: "Acme", mapping: { 40: "213" }, properties: { plan: "pro", seats: [1] } };
  const created = await client.getOrCreate(fields);
  const { team_id, token } = created.user_group;
  const group = { team_id, token, name: "Acme", provided_id: id, properties: fields.properties };
  const etag = expect.stringMatching(/^"\d+-\d+"$/);
  expect(created).toEqual({ success: 1, etag, new_user_group: true, user_group: group });
  expect(await client.getOrCreate({ user_group_id: id })).toEqual({ ...created, new_user_group: false });
  expect(await client.update({ user_group_id: id, name: "Other", properties: null })).toEqual({
    success: 1,
    etag,
    user_group: { ...group, name: "Other", properties: null, api_environment_tag: "Testing" },
  });
  const rotated = await client.rotate(token);
  const fresh = rotated.user_group.token;
  expect(fresh).not.toBe(token);
  expect(rotated).toEqual({
    success: 1,
    etag,
    user_group: { team_id, token: fresh, name: "Other", provided_id: id, api_environment_tag: "Testing" },
  });
  const { mapping } = fields;
  const viewing = { team_id, provided_id: id, name: "Other", mapping, properties: null };
  expect(await client.viewer(fresh)).toEqual({
    success: 1,
    active: true,
    user_group: { ...viewing, api_environment_tag: "Testing" },
  });
  expect(await client.viewer(token)).toEqual({ success: 1, active: false });
});

test("a refusal is an error with its status, code, request id and fields", async ({ clientOf, errorOf }) => {
  const client = clientOf();
  const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(await errorOf(client.update({ user_group_id: newId() }))).toMatchObject({
    name: "UserGroupsError",
    status: 404,
    code: "unknown_user_group",
    requestId,
    issues: [],
    message: expect.stringContaining("user_group_id"),
  });
  expect(await errorOf(client.getOrCreate({ user_group_id: "", name: " " }))).toMatchObject({
    status: 422,
    code: "invalid_fields",
    requestId,
    issues: [
      { path: ["user_group_id"], message: "must not be empty" },
      { path: ["name"], message: expect.stringContaining("must not be blank") },
    ],
  });
  expect(await errorOf(clientOf({ apiToken: "wrong" }).getOrCreate({ user_group_id: "x" }))).toMatchObject({
    status: 401,
    code: "unauthorized",
  });
  const [group, other] = await Promise.all([createGroup(), createGroup()]);
  const idempotencyKey = newId("key");
  const { user_group } = await client.rotate(group.token, { idempotencyKey });
  expect((await client.rotate(group.token, { idempotencyKey })).user_group).toEqual(user_group);
  expect(await errorOf(client.rotate(other.token, { idempotencyKey }))).toMatchObject({
    status: 409,
    code: "idempotency_conflict",
  });
});

test("an answer that is not from the service is reported as such", async ({ clientOf, errorOf, stage }) => {
  const client = clientOf({ baseUrl: `${stage.urls[0]}/nowhere/` });
  expect(await errorOf(client.definitions())).toMatchObject({
    status: 404,
    code: "unexpected_answer",
    message: expect.stringContaining("Check the base URL"),
  });
});

test("a body that JSON cannot represent rejects the promise", async ({ clientOf }) => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const properties of [circular, { count: 1n }]) {
    const asking = clientOf().getOrCreate({ user_group_id: "x", properties: properties as Record<string, never> });
    await expect(asking).rejects.toThrow(TypeError);
  }
});

test("a malformed base URL or API token is refused immediately, and not repeated in the error", async ({
  clientOf,
}) => {
  for (const baseUrl of [
    "",
    "groups.example.com",
    "ftp://groups.example.com",
    "https://user:secret@groups.example.com",
  ]) {
    expect(() => clientOf({ baseUrl })).toThrow(
      /^baseUrl must be the URL of the service, such as https:\/\/groups.example.com$/,
    );
  }
  expect(() => clientOf({ apiToken: "" })).toThrow(/^apiToken is empty$/);
  for (const apiToken of ["uga_test_secret\r\nX: y", "uga_test_secret é"]) {
    expect(() => clientOf({ apiToken })).toThrow(/^apiToken must be visible ASCII characters$/);
  }
});

test("a rotation whose answer was lost is retried, and happens once", async ({ clientOf, way, database }) => {
  const client = clientOf({ baseUrl: way.url });
  const [first, second] = await Promise.all([createGroup(), createGroup()]);
  // The second request is cut off, and the third is its retry.
  way.trouble({ kind: "cut before answer", pattern: /^POST \/api\/user /, nth: 2 });
  await client.rotate(first.token);
  const { user_group } = await client.rotate(second.token);
  expect(await rotationsOf(database, second.team_id)).toBe(1);
  const found = await clientOf().getOrCreate({ user_group_id: second.provided_id });
  expect(found.user_group.token).toBe(user_group.token);
});

test("get-or-create and updates are also retried when the answer was lost", async ({ clientOf, way }) => {
  const client = clientOf({ baseUrl: way.url });
  const id = newId();
  way.trouble({ kind: "cut before answer", pattern: /^(POST|PUT) \/api\/user/, nth: 2 });
  await client.getOrCreate({ user_group_id: newId() });
  // Its first attempt created the group, but the answer was lost.
  const { new_user_group } = await client.getOrCreate({ user_group_id: id });
  expect(new_user_group).toBe(false);
  const { user_group } = await client.update({ user_group_id: id, name: "Once more" });
  expect(user_group.name).toBe("Once more");
});

test("attempts are limited by number, by time and by the caller", async ({ clientOf, errorOf, way }) => {
  const { token } = await createGroup();
  const fields = { user_group_id: newId() };
  way.trouble({ kind: "cut before answer", pattern: /^PUT/, nth: 1 });
  expect(await errorOf(clientOf({ baseUrl: way.url, retries: 2 }).update(fields))).toMatchObject({
    code: "unreachable",
  });

  way.trouble({ kind: "black hole" });
  const patient = { baseUrl: way.url, timeout: 100, retries: 1 };
  expect(await errorOf(clientOf(patient).rotate(token))).toMatchObject({ code: "timed_out", status: undefined });
  const endless = { baseUrl: way.url, timeout: 50, retries: 1_000_000 };
  expect(await errorOf(clientOf({ ...endless, deadline: 300 }).rotate(token))).toMatchObject({ code: "timed_out" });
  expect(await errorOf(clientOf(endless).viewer(token, { deadline: 300 }))).toMatchObject({ code: "timed_out" });
  const midway = new AbortController();
  setTimeout(() => midway.abort("enough"), 100);
  const asking = clientOf({ baseUrl: way.url }).getOrCreate(fields, { signal: midway.signal });
  await expect(asking).rejects.toBe("enough");
  await expect(clientOf().getOrCreate(fields, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");

  await way.cut();
  const controller = new AbortController();
  const waiting = clientOf({ baseUrl: way.url, retries: 1_000 }).getOrCreate(fields, { signal: controller.signal });
  controller.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  expect(await errorOf(clientOf({ baseUrl: way.url, retries: 0 }).rotate(token))).toMatchObject({
    code: "unreachable",
    message: `Cannot reach the user group service at ${way.url}: connect ECONNREFUSED ${new URL(way.url).host}.`,
  });
});

test("neither errors nor the client show a token, however they are printed", async ({
  clientOf,
  errorOf,
  way,
  stage,
}) => {
  const { token } = await createGroup();
  const client = clientOf({ baseUrl: way.url, retries: 0 });
  await client.rotate(token);
  const errors = [await errorOf(client.rotate(token)), await errorOf(client.update({ user_group_id: "" }))];
  way.trouble({ kind: "black hole" });
  errors.push(await errorOf(clientOf({ baseUrl: way.url, retries: 0, timeout: 200 }).rotate(token)));
  await way.cut();
  errors.push(await errorOf(client.rotate(token)));
  expect(errors.map(({ code }) => code)).toEqual(["unknown_token", "invalid_fields", "timed_out", "unreachable"]);
  const printed = [client, ...errors].map(
    (one) => inspect(one, { depth: null, showHidden: true }) + JSON.stringify(one),
  );
  for (const text of printed) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(stage.tokens.testing);
  }
});
