import { readFile, readlink } from "node:fs/promises";
import { test as base, call, createGroup, expect, expectError, newId } from "../fixtures/api";
import { dumpDatabase, pgDump, tracesOf } from "../fixtures/database-dump";
import { createApiToken, run } from "../fixtures/run";

interface Secrets {
  /** every token created, used and replaced, to be searched for afterwards */
  tokens: string[];
  /** public values that the search must find */
  canary: string;
  /** the last request that involved a token */
  lastRequestId: string;
}

const test = base.extend<object, { secrets: Secrets }>({
  secrets: [
    async ({ stage }, use) => {
      const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
      const apiToken = await createApiToken(settings);
      const options = { token: apiToken };
      const tokens = [apiToken, ...Object.values(stage.tokens)];
      const canary = newId("canary");
      const group = await createGroup({ properties: { canary } }, options);
      tokens.push(group.token);
      for (const headers of [{}, { "idempotency-key": newId("key") }, {}]) {
        const body = { current_token: tokens.at(-1) };
        tokens.push((await call("POST", "/api/user", { ...options, headers, body })).json.user_group.token);
      }
      await call("PUT", "/api/user", { ...options, body: { user_group_id: group.provided_id, name: "N" } });
      // Places where tokens do not belong but will eventually appear.
      await call("GET", `/api/user?token=${apiToken}&user_group_id=${group.token}`);
      await call("GET", `/api/user/${group.token}`, options);
      await call("GET", `/${apiToken}`, options);
      await call("GET", "/api/user", { token: `${apiToken}x`, body: { user_group_id: newId() } });
      await call("POST", "/api/user", { ...options, body: `{"current_token":"${group.token}"` });
      const last = await call("POST", "/api/user", { ...options, body: { current_token: group.token } });
      await use({ tokens, canary, lastRequestId: String(last.headers["x-request-id"]) });
    },
    { scope: "worker" },
  ],
});

function expectNone(tokens: string[], text: string) {
  expect(tokens.length).toBeGreaterThan(7);
  for (const trace of tokens.flatMap(tracesOf)) expect(text.includes(trace)).toBe(false);
}

test.describe("a dump", () => {
  test("of every table holds no token", { tag: "@release" }, async ({ stage, secrets }) => {
    const dump = await dumpDatabase(stage.databaseUrl);
    expect(dump).toContain(secrets.canary);
    expectNone(secrets.tokens, dump);
  });

  test("by pg_dump holds no token", async ({ stage, secrets, database }) => {
    const [{ version }] = await database.query("SELECT current_setting('server_version_num')::int / 10000 AS version");
    const { stdout: own } = await run("pg_dump", ["--version"]).catch(() => ({ stdout: "" }));
    test.skip(own === "", "pg_dump is not installed");
    const major = Number(/(\d+)/.exec(own)?.[1]);
    test.skip(major < version, `pg_dump ${major} cannot read a server of version ${version}`);
    const dump = await pgDump("pg_dump", stage.databaseUrl);
    expect(dump).toContain(secrets.canary);
    expectNone(secrets.tokens, dump);
  });
});

test("the database's files contain no token, including the write-ahead log", { tag: "@release" }, async ({
  secrets,
  database,
}) => {
  test.skip(process.platform !== "linux" || process.getuid?.() !== 0, "needs root on Linux to read them");
  await database.query("CHECKPOINT");
  const [{ pid }] = await database.query("SELECT pg_backend_pid() AS pid");
  const folder = await readlink(`/proc/${pid}/cwd`);
  const filesWith = async (text: string) => (await run("grep", ["-rlF", text, folder])).stdout;
  expect(await filesWith(secrets.canary)).not.toBe("");
  for (const trace of secrets.tokens.flatMap(tracesOf)) expect(await filesWith(trace)).toBe("");
});

test("the logs are lines of JSON with a request id each, and no token", async ({ stage, secrets }) => {
  const logs = () => Promise.all(stage.logs.map((file) => readFile(file, "utf8")));
  await expect.poll(async () => (await logs()).join(), { timeout: 10_000 }).toContain(secrets.lastRequestId);
  expectNone(secrets.tokens, (await logs()).join());
  // An unfinished last line is still being written.
  const lines = (await logs()).flatMap((text) => text.split("\n").slice(0, -1));
  expect(lines.map((line) => JSON.parse(line)).find(({ id }) => id === secrets.lastRequestId)).toEqual({
    level: 30,
    time: expect.any(String),
    id: secrets.lastRequestId,
    method: "POST",
    path: "/api/user",
    status: 404,
    duration_ms: expect.any(Number),
    environment: "testing",
  });
});

test.describe("in the table", () => {
  const groupIn = async (id: string) => call("GET", "/api/user", { body: { user_group_id: id } });
  const twoGroups = async () => [await createGroup(), await createGroup(), await createGroup()] as const;

  for (const [what, columns] of [
    ["ciphertexts", ["token_sealed"]],
    ["ciphertexts with their hashes", ["token_sealed", "token_index"]],
  ] as const) {
    test(`${what} swapped between two groups reveal neither token`, async ({ database }) => {
      const [one, other, bystander] = await twoGroups();
      const rows = await database.query("SELECT * FROM user_group WHERE team_id = ANY ($1) ORDER BY team_id", [
        [one.team_id, other.team_id],
      ]);
      const write = (team_id: number, row: Record<string, unknown>) =>
        database.query(
          `UPDATE user_group SET ${columns.map((column, at) => `${column} = $${at + 2}`)} WHERE team_id = $1`,
          [team_id, ...columns.map((column) => row[column])],
        );
      // The hash is unique, so one row is moved aside first.
      await write(one.team_id, { token_sealed: Buffer.alloc(90), token_index: Buffer.alloc(32, one.team_id) });
      await write(other.team_id, rows[0]);
      await write(one.team_id, rows[1]);
      for (const { provided_id } of [one, other]) {
        const answer = expectError(await groupIn(provided_id), 500, "internal");
        for (const { token } of [one, other]) expect(answer.text).not.toContain(token.slice(4, 20));
      }
      expect((await groupIn(bystander.provided_id)).json.user_group.token).toBe(bystander.token);

      await write(one.team_id, { token_sealed: Buffer.alloc(90), token_index: Buffer.alloc(32, one.team_id) });
      await write(other.team_id, rows[1]);
      await write(one.team_id, rows[0]);
      expect((await groupIn(one.provided_id)).json.user_group.token).toBe(one.token);
    });
  }

  test("one flipped bit, anywhere, breaks only that group", async ({ database }) => {
    const [group, bystander] = await twoGroups();
    const [{ token_sealed: sealed }] = await database.query("SELECT token_sealed FROM user_group WHERE team_id = $1", [
      group.team_id,
    ]);
    const write = (value: Buffer) =>
      database.query("UPDATE user_group SET token_sealed = $2 WHERE team_id = $1", [group.team_id, value]);
    for (const [at] of sealed.entries()) {
      const damaged = Buffer.from(sealed);
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (at % 8)), at);
      await write(damaged);
      const answer = expectError(await groupIn(group.provided_id), 500, "internal");
      expect(answer.text).not.toContain(group.token.slice(4, 20));
    }
    for (const length of [0, 1, 20, sealed.length - 1]) {
      await write(sealed.subarray(0, length));
      expectError(await groupIn(group.provided_id), 500, "internal");
    }
    expect((await groupIn(bystander.provided_id)).json.user_group.token).toBe(bystander.token);
    await write(sealed);
    expect((await groupIn(group.provided_id)).json.user_group.token).toBe(group.token);
  });
});
