import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { call, expect, newId, test } from "../fixtures/api";
import { type Ended, run } from "../fixtures/run";

/** Whether a program is there, and says what it should when asked. */
const isInstalled = (program: string, args: string[], saying = "") => {
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 && stdout.includes(saying);
};

interface Program {
  client: string;
  needs: readonly [name: string, isThere: boolean];
  /** makes the GET of BODY at BASE_URL with TOKEN, and prints the body of the answer alone */
  start(source: string, folder: string): [string, string[]] | Promise<[string, string[]]>;
  source: string;
}

const python = { needs: ["Python", isInstalled("python3", ["--version"])], start: inline("python3", "-c") } as const;
const node = { needs: ["Node", true], start: inline(process.execPath, "--input-type=module", "-e") } as const;

const PROGRAMS: Program[] = [
  {
    client: "curl",
    needs: ["curl", isInstalled("curl", ["--version"])],
    start: inline("bash", "-c"),
    source: `curl -sS --request GET "$BASE_URL/api/user" --header "Authorization: Token $TOKEN" \\
      --header 'Content-Type: application/json' --data-raw "$BODY"`,
  },
  {
    client: "Python's urllib.request",
    ...python,
    source: `
import os, urllib.request
request = urllib.request.Request(
    os.environ["BASE_URL"] + "/api/user",
    data=os.environ["BODY"].encode(),
    headers={"Authorization": "Token " + os.environ["TOKEN"], "Content-Type": "application/json"},
    method="GET",
)
print(urllib.request.urlopen(request).read().decode())`,
  },
  {
    client: "Python's http.client",
    ...python,
    source: `
import http.client, os
connection = http.client.HTTPConnection(os.environ["BASE_URL"].removeprefix("http://"))
headers = {"Authorization": "Token " + os.environ["TOKEN"], "Content-Type": "application/json"}
connection.request("GET", "/api/user", body=os.environ["BODY"].encode(), headers=headers)
print(connection.getresponse().read().decode())`,
  },
  {
    client: "Java's HttpClient, which offers h2c",
    needs: ["a JDK", isInstalled("java", ["--list-modules"], "jdk.compiler")],
    async start(source, folder) {
      const file = path.join(folder, "Get.java");
      await writeFile(file, source);
      return ["java", [file]];
    },
    source: `
import java.net.URI;
import java.net.http.*;

class Get {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + "/api/user"))
      .header("Authorization", "Token " + System.getenv("TOKEN"))
      .header("Content-Type", "application/json")
      .method("GET", HttpRequest.BodyPublishers.ofString(System.getenv("BODY")))
      .build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}`,
  },
  {
    client: "Node's http",
    ...node,
    source: `
import { request } from "node:http";
const { BASE_URL, TOKEN, BODY } = process.env;
const length = Buffer.byteLength(BODY);
const headers = { Authorization: "Token " + TOKEN, "Content-Type": "application/json", "Content-Length": length };
request(BASE_URL + "/api/user", { method: "GET", headers }, (answer) => answer.pipe(process.stdout)).end(BODY);`,
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

function inline(program: string, ...args: string[]): Program["start"] {
  return (source) => [program, [...args, source]];
}

for (const { client, needs, start, source } of PROGRAMS) {
  test(`${client} makes the GET with a JSON body, twice alike`, async ({ stage }) => {
    const [what, isThere] = needs;
    test.skip(!isThere, `${what} is not installed`);
    const folder = await mkdtemp(path.join(tmpdir(), "client-"));
    try {
      const id = newId("ünïcode");
      const BODY = JSON.stringify({ user_group_id: id, name: "N", mapping: { 40: "213" }, properties: { a: "é" } });
      const env = { BASE_URL: stage.urls[0], TOKEN: stage.tokens.testing, BODY, LC_ALL: "C.UTF-8" };
      // Once Next has served a page it may listen for upgrades, and take those that Java offers.
      expect((await call("GET", "/", { token: null })).status).toBe(200);
      const program = await start(source, folder);
      const first = answerOf(await run(...program, { env }));
      expect(first).toMatchObject({
        success: 1,
        new_user_group: true,
        user_group: { name: "N", provided_id: id, properties: { a: "é" } },
      });
      expect(answerOf(await run(...program, { env }))).toEqual({ ...first, new_user_group: false });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

test("the published curl calls answer exactly the listed members", async ({ stage }) => {
  test.skip(!isInstalled("curl", ["--version"]), "curl is not installed");
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
