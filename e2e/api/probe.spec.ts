import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { compactVerify, EmbeddedJWK } from "jose";
import type { Scope } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { expect } from "../fixtures/browser";
import { test as withExample } from "../fixtures/embed-example";
import { run } from "../fixtures/run";
import { environmentWith } from "../fixtures/service-process";
import { stage } from "../fixtures/stage";
import { claimsOf, partOf, type ViewerPlace } from "../fixtures/viewer-place";

// Probes examples/embed, which is correct, and puts typical faults of renderers in front of it.

const SCOPES: Scope[] = ["groups:read", "groups:create", "groups:write", "groups:delete", "viewers:mint"];
const [A, B] = ["customer_acme", "customer_borealis"];
const GROUPS = [
  "--group",
  A,
  "--marker",
  "region north",
  "--variables",
  '{"region":"north"}',
  "--group",
  B,
  "--marker",
  "region south",
  "--variables",
  '{"region":"south"}',
];
const EXPIRED = "expired token";
const REVOKED = "revoked token";
const SUSPENDED = "suspended token";
const FOREIGN = "foreign token";
const ALTERED = "altered token";

interface Answer {
  status: number;
  body: string;
}

type Ask = (token: string) => Promise<Answer>;
/** Answers in place of the renderer, which `ask` calls. */
type Fault = (ask: Ask, place: ViewerPlace) => Ask;

const serve = (token: string): Answer => ({
  status: 200,
  body: JSON.stringify({ title: `Sales of the region ${claimsOf(token).variables.region}` }),
});

const FAULTS: [what: string, fault: Fault, wrong: string[]][] = [
  [
    "has lost a data source",
    (ask) => async (token) => {
      const { status, body } = await ask(token);
      return { status, body: body.includes("north") ? '{"sales":[]}' : body };
    },
    [A],
  ],
  [
    "shares a cache between customers",
    (ask) => {
      let cached: Promise<Answer> | undefined;
      return (token) => {
        cached ??= ask(token);
        return cached;
      };
    },
    [B, EXPIRED, REVOKED, SUSPENDED, FOREIGN, ALTERED],
  ],
  [
    "ignores the expiry",
    (ask) => async (token) => (claimsOf(token).exp * 1_000 < Date.now() ? serve(token) : ask(token)),
    [EXPIRED],
  ],
  [
    "does not poll revocations",
    (ask) => async (token) => {
      const answer = await ask(token);
      return answer.body.includes('"reason":"revoked"') ? serve(token) : answer;
    },
    [REVOKED, SUSPENDED],
  ],
  [
    "serves suspended customers",
    (ask, place) => async (token) => ((await place.ask(token)).json.reason === "suspended" ? serve(token) : ask(token)),
    [SUSPENDED],
  ],
  [
    "trusts the key that a token brings along",
    (ask) => (token) =>
      "jwk" in JSON.parse(partOf(token, 0))
        ? compactVerify(token, EmbeddedJWK).then(
            () => serve(token),
            () => ask(token),
          )
        : ask(token),
    [FOREIGN],
  ],
  [
    "remembers by its signature which token was valid",
    (ask) => {
      const known = new Set<string | undefined>();
      return async (token) => {
        const signature = token.split(".")[2];
        const answer = await ask(token);
        if (answer.status === 200) known.add(signature);
        // Revoked tokens still have the same claims.
        return known.has(signature) && claimsOf(token).sub === B && answer.status === 401 ? serve(token) : answer;
      };
    },
    [ALTERED],
  ],
];

interface Fixtures {
  /** probes a renderer; returns the code, and the lines by name */
  probe: (url: string, ...more: string[]) => Promise<{ code: number | null; lines: Map<string, string> }>;
  /** starts a renderer with a fault in front of the example; returns its URL */
  breaks: (fault: Fault) => Promise<string>;
}

const test = withExample.extend<Fixtures>({
  probe: ({ place }, use) =>
    use(async (url, ...more) => {
      const { databaseUrl, secretKey, urls } = stage();
      const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
      // One token per probe, as each token's batches are limited.
      const token = await insertApiToken(settings, { environment: place.slug, scopes: SCOPES });
      const env = { USER_GROUPS_URL: urls[0], USER_GROUPS_API_TOKEN: token };
      const { code, stdout, stderr } = await run("./user-groups", ["probe", "--url", url, ...GROUPS, ...more], { env });
      expect(stderr).toBe("");
      expect(stdout).not.toContain("eyJ");
      const lines = [...stdout.matchAll(/^([✓✗]) {2}(\S+(?: token)?) +(.+)$/gm)];
      expect(stdout.split("\n"), stdout).toHaveLength(lines.length + 1);
      return { code, lines: new Map(lines.map(([, mark, name = "", says]) => [name, `${mark} ${says}`])) };
    }),
  breaks: async ({ example, place }, use) => {
    const servers: Server[] = [];
    await use(async (fault) => {
      const answer = fault(async (token) => {
        // Stricter than the example, which tolerates a minute between clocks.
        if (claimsOf(token).exp * 1_000 < Date.now()) return { status: 401, body: "" };
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(`${example.rendererUrl}/sales`, { headers });
        return { status: response.status, body: await response.text() };
      }, place);
      const server = createServer(async ({ headers }, response) => {
        const { status, body } = await answer(headers.authorization?.slice("Bearer ".length) ?? "");
        response.writeHead(status).end(body);
      });
      servers.push(server);
      await once(server.listen(0, "127.0.0.1"), "listening");
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    });
    for (const server of servers) server.close();
  },
});

test("the example renderer passes, and its customers notice nothing", { tag: "@release" }, async ({
  example,
  place,
  probe,
}) => {
  const token = await place.mint({ user_group_id: A, variables: { region: "north" } });
  const { code, lines } = await probe(`${example.rendererUrl}/sales`);
  expect(Object.fromEntries(lines)).toEqual({
    [A]: "✓ shows its marker alone",
    [B]: "✓ shows its marker alone",
    // The example's verifier tolerates 60 s between clocks.
    [EXPIRED]: expect.stringMatching(/^✓ refused with 401, (?:[56]\d|7[0-5]) s after its end$/),
    [REVOKED]: expect.stringMatching(/^✓ refused with 401, \d s after its end$/),
    [SUSPENDED]: expect.stringMatching(/^✓ refused with 401, \d s after its end$/),
    [FOREIGN]: "✓ refused with 401",
    [ALTERED]: "✓ refused with 401",
  });
  expect(code).toBe(0);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${example.rendererUrl}/sales`, { headers })).status).toBe(200);
  const { json } = await place.send("GET", "/api/user-groups");
  expect(json.user_groups.map(({ provided_id }: { provided_id: string }) => provided_id).sort()).toEqual([A, B]);
});

test("each of seven faults is found, and nothing else", { tag: "@release" }, async ({ breaks, probe }) => {
  test.slow();
  const found = await Promise.all(
    FAULTS.map(async ([what, fault, wrong]) => {
      const { code, lines } = await probe(await breaks(fault), "--within", "8");
      expect([code, lines.size], what).toEqual([1, 7]);
      return [what, [...lines].filter(([, says]) => says.startsWith("✗")).map(([name]) => name), wrong];
    }),
  );
  expect(found.map(([what, names]) => [what, names])).toEqual(found.map(([what, , wrong]) => [what, wrong]));
});

test("the token goes into the URL or the header, and a renderer that serves no new groups is reported as such", {
  tag: "@release",
}, async ({ place, probe }) => {
  const seen: string[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    seen.push(`${url.replace(/eyJ.*/, "TOKEN")} ${String(headers["x-guest-token"]).slice(0, 3)}`);
    response.writeHead(403).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const id of [A, B]) await place.group({ user_group_id: id });
  const { code, lines } = await probe(`${base}/embed/{{viewerToken}}`, "--header", "X-Guest-Token: {{viewerToken}}");
  server.close();
  expect(code).toBe(1);
  expect(lines.get(REVOKED)).toBe(`✗ not known: even before, a new group like ${A} gets 403 without a marker`);
  expect(new Set(seen)).toEqual(new Set(["/embed/TOKEN eyJ"]));
});

test("an interrupted probe deletes its groups", async ({ place }) => {
  for (const id of [A, B]) await place.group({ user_group_id: id });
  const server = createServer(({ headers }, response) => {
    const isOfProbe = claimsOf(String(headers.authorization)).sub.startsWith("probe-");
    // A second signal would end it without waiting.
    if (isOfProbe && !child.killed) child.kill("SIGINT");
    response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const env = environmentWith({ USER_GROUPS_URL: stage().urls[0], USER_GROUPS_API_TOKEN: place.token });
  const child = spawn("./user-groups", ["probe", "--url", url, ...GROUPS], { env });
  expect(await once(child, "exit")).toEqual([130, null]);
  server.close();
  const { json } = await place.send("GET", "/api/user-groups");
  expect(json.user_groups.map(({ provided_id }: { provided_id: string }) => provided_id).sort()).toEqual([A, B]);
});

test("wrong arguments, and an API token without the scopes, are refused in one line", async ({ place }) => {
  const url = "http://127.0.0.1:1/";
  for (const args of [
    [],
    ["--url", url],
    ["--url", "renderer.example.com", ...GROUPS],
    ["--url", url, ...GROUPS, "--group", "c"],
    ["--url", url, ...GROUPS, "--variables", "{}"],
    ["--url", url, ...GROUPS, "--header", "X-Guest-Token"],
    ["--url", url, "--group", A, "--marker", "a", "--group", B, "--marker", "a"],
    ["--url", url, ...GROUPS, "--within", "0"],
  ]) {
    const stderr = expect.stringMatching(/^\S.*\. --help shows the usage\.\n$/);
    expect(await run("./user-groups", ["probe", ...args]), args.join(" ")).toEqual({ code: 1, stdout: "", stderr });
  }
  const { databaseUrl, secretKey, urls } = stage();
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
  const probe = async (scopes: Scope[] = ["groups:read"]) => {
    const apiToken = await insertApiToken(settings, { environment: place.slug, scopes });
    const env = { USER_GROUPS_URL: urls[0], USER_GROUPS_API_TOKEN: apiToken };
    return run("./user-groups", ["probe", "--url", url, ...GROUPS], { env });
  };
  const unknown = `There is no user group "${A}" in the API token's environment.\n`;
  expect(await probe()).toEqual({ code: 1, stdout: "", stderr: unknown });
  await place.group({ user_group_id: A });
  const stderr = expect.stringMatching(/^The service answers POST \/api\/viewer-tokens with 403 forbidden\. [^\n]+\n$/);
  expect(await probe()).toEqual({ code: 1, stdout: "", stderr });
  // The groups are older than the rule, which the probe's own groups do not meet.
  await place.group({ user_group_id: B });
  const rule = {
    enforcement: "enforce",
    creations: "enforce",
    properties: { plan: { type: "string", required: true } },
  };
  expect((await place.send("PUT", "/api/definitions", rule)).status).toBe(200);
  const why = expect.stringMatching(/^The probe's own groups: [^\n]*plan[^\n]*\n$/);
  expect(await probe(SCOPES)).toEqual({ code: 1, stdout: "", stderr: why });
});
