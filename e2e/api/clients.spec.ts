import { spawnSync } from "node:child_process";
import { call, expect, newId, test } from "../fixtures/api";
import { type Ended, run } from "../fixtures/run";

const isInstalled = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** Clients without a snippet; snippets.spec.ts runs the others. */
interface Program {
  client: string;
  /** runs the source that follows: sends the GET of BODY to BASE_URL with TOKEN, and prints only the answer's body */
  interpreter: readonly [program: string, ...args: string[]];
  source: string;
}

const node = { interpreter: [process.execPath, "--input-type=module", "-e"] } as const;

const PROGRAMS: Program[] = [
  {
    client: "Python's http.client",
    interpreter: ["python3", "-c"],
    source: `
import http.client, os
connection = http.client.HTTPConnection(os.environ["BASE_URL"].removeprefix("http://"))
headers = {"Authorization": "Token " + os.environ["TOKEN"], "Content-Type": "application/json"}
connection.request("GET", "/api/user", body=os.environ["BODY"].encode(), headers=headers)
print(connection.getresponse().read().decode())`,
  },
  {
    client: "Node's http, offering h2c as Java does,",
    ...node,
    source: `
import { request } from "node:http";
const { BASE_URL, TOKEN, BODY } = process.env;
const headers = { Authorization: "Token " + TOKEN, "Content-Type": "application/json" };
const length = Buffer.byteLength(BODY);
const offer = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA" };
const options = { method: "GET", headers: { ...offer, ...headers, "Content-Length": length } };
request(BASE_URL + "/api/user", options, (answer) => answer.pipe(process.stdout)).end(BODY);`,
  },
  {
    client: "undici's request",
    ...node,
    source: `
import { request } from "undici";
const { BASE_URL, TOKEN, BODY } = process.env;
const headers = { authorization: "Token " + TOKEN, "content-type": "application/json" };
const answer = await request(BASE_URL + "/api/user", { method: "GET", headers, body: BODY });
console.log(await answer.body.text());`,
  },
];

for (const { client, interpreter, source } of PROGRAMS) {
  test(`${client} sends the GET with a JSON body, twice with the same result`, async ({ stage }) => {
    const [program, ...args] = interpreter;
    test.skip(!isInstalled(program), `${program} is not installed`);
    const id = newId("ünïcode");
    const BODY = JSON.stringify({ user_group_id: id, name: "N", mapping: { 40: "213" }, properties: { a: "é" } });
    const env = { BASE_URL: stage.urls[0], TOKEN: stage.tokens.testing, BODY, LC_ALL: "C.UTF-8" };
    // After serving a page, Next may listen for upgrades and accept offered ones.
    expect((await call("GET", "/", { token: null })).status).toBe(200);
    const get = () => run(program, [...args, source], { env });
    const first = answerOf(await get());
    expect(first).toMatchObject({
      success: 1,
      new_user_group: true,
      user_group: { name: "N", provided_id: id, properties: { a: "é" } },
    });
    expect(answerOf(await get())).toEqual({ ...first, new_user_group: false });
  });
}

test("the published curl calls return exactly the listed members", async ({ stage }) => {
  test.skip(!isInstalled("curl"), "curl is not installed");
  const id = newId();
  const curl = async (method: string, body: object) => {
    const headers = ["-H", `Authorization: Token ${stage.tokens.testing}`, "-H", "Content-Type: application/json"];
    const args = ["-sS", "-X", method, `${stage.urls[0]}/api/user`, ...headers, "-d", JSON.stringify(body)];
    return answerOf(await run("curl", args));
  };
  const fields = { name: "Example 1", mapping: { 40: "213", 134: "386" }, properties: { filterValue: "value" } };
  const user_group = { team_id: expect.any(Number), name: "Example 1", provided_id: id };
  const token = expect.stringMatching(/^ugt_[0-9A-Za-z]{49}$/);
  const { properties } = fields;

  const got = await curl("GET", { user_group_id: id, ...fields });
  expect(got).toEqual({ success: 1, new_user_group: true, user_group: { ...user_group, token, properties } });
  const current_token = got.user_group.token;

  const changed = { filterValue: "other" };
  expect(await curl("PUT", { user_group_id: id, ...fields, properties: changed })).toEqual({
    success: 1,
    user_group: { ...user_group, token: current_token, properties: changed, api_environment_tag: "Testing" },
  });

  const rotated = await curl("POST", { current_token });
  expect(rotated).toEqual({ success: 1, user_group: { ...user_group, token, api_environment_tag: "Testing" } });
  expect(rotated.user_group.token).not.toBe(current_token);

  expect(await curl("GET", { user_group_id: id, ...fields })).toEqual({
    success: 1,
    new_user_group: false,
    user_group: { ...user_group, token: rotated.user_group.token, properties: changed },
  });
  expect(await curl("POST", { current_token })).toMatchObject({ success: 0, error: { code: "unknown_token" } });
});

function answerOf({ code, stdout, stderr }: Ended) {
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}
