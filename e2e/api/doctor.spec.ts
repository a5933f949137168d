import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { version } from "../../lib/config/version";
import { examine } from "../../lib/doctor/examine";
import type { Finding } from "../../lib/doctor/finding";
import { call, expect, expectError, test } from "../fixtures/api";
import { run } from "../fixtures/run";
import { scopedToken } from "../fixtures/scoped-token";
import { freePort, startService } from "../fixtures/service-process";
import { type PassingAnswer, type Spoil, startSpoilingProxy } from "../fixtures/spoiling-proxy";
import { stage } from "../fixtures/stage";

/** The states of all findings that are not good, by name. */
const faultsIn = (findings: Finding[]) =>
  Object.fromEntries(findings.filter(({ state }) => state !== "good").map(({ name, state }) => [name, state]));

const doctor = (args: string[], env: Record<string, string> = {}) => run("./user-groups", ["doctor", ...args], { env });

test("the doctor finds no problem with a healthy service, whatever the token's scopes", async () => {
  const { urls, tokens } = stage();
  const groups = async () => (await call("GET", "/api/user?user_group_id=doctor", { token: tokens.readOnly })).json;
  for (const [token, says] of [
    [tokens.readOnly, "they arrive; a read-only token cannot check the body of PUT."],
    [tokens.testing, "they arrive with their bodies."],
  ] as const) {
    const findings = await examine(new URL(urls[0]), token);
    expect(faultsIn(findings)).toEqual({});
    expect(findings.map(({ name }) => name)).toContain("GET body");
    expect(findings.find(({ name }) => name === "PUT and POST")?.says).toBe(says);
  }
  const ofRenderer = await examine(new URL(urls[0]), await scopedToken("viewers:ask"));
  expect(faultsIn(ofRenderer)).toEqual({ "GET body": "doubtful" });
  // The doctor does not create the group it asks for.
  expect((await groups()).error.code).toBe("forbidden");
});

test("the command prints a line for each finding, and exits with 1 if anything is wrong", async () => {
  const { urls, tokens } = stage();
  const well = await doctor([urls[0]], { DOCTOR_TOKEN: tokens.readOnly });
  expect(well).toMatchObject({ code: 0, stderr: "" });
  expect(well.stdout).toMatch(/^✓ GET body +GET bodies arrive\.$/m);
  expect(well.stdout).toMatch(/^21 good, 0 doubtful, 0 wrong$/m);

  const unknown = await doctor([urls[0], "--json"], { DOCTOR_TOKEN: "x".repeat(40) });
  expect(unknown).toMatchObject({ code: 1, stderr: "" });
  const told = JSON.parse(unknown.stdout);
  expect(told).toMatchObject({ address: `${urls[0]}/`, good: false });
  expect(faultsIn(told.findings)).toEqual({ Authorization: "wrong" });
  expect(unknown.stdout).toContain("the API token is not valid here");

  const gone = await doctor([`http://127.0.0.1:${await freePort()}`]);
  expect(gone.code).toBe(1);
  expect(gone.stdout).toMatch(/^✗ service +no response: .*ECONNREFUSED/m);
  expect(gone.stdout).toContain("SECRET_KEY");
});

test("the command reads its token from stdin, and also works without one", async () => {
  const { urls, tokens } = stage();
  const piped = await run("sh", [
    "-c",
    `printf '%s\\n' "$0" | exec ./user-groups doctor "$1" --token-stdin`,
    tokens.readOnly,
    urls[0],
  ]);
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ Authorization") });
  expect(piped.stdout + piped.stderr).not.toContain(tokens.readOnly);
  expect(faultsIn(await examine(new URL(urls[0]), undefined))).toEqual({ "API token": "doubtful" });
});

test("invalid arguments are refused in one line", async () => {
  for (const args of [
    [],
    ["groups.example.com"],
    ["https://a", "b"],
    ["https://u:p@a"],
    ["https://a", "--token", "x"],
  ]) {
    const stderr = expect.stringMatching(/^\S.*\. --help shows the usage\.\n$/);
    expect(await doctor(args)).toEqual({ code: 1, stdout: "", stderr });
  }
});

const page = (status: number): PassingAnswer => ({
  status,
  headers: { "content-type": "text/html", server: "proxy" },
  body: Buffer.from("<h1>proxy</h1>"),
});

/** What proxies break, and the doctor's findings. */
const FAULTS: [what: string, Spoil, faults: Record<string, Finding["state"]>, says: RegExp][] = [
  [
    "drops the body of a GET",
    {
      request(passing) {
        if (passing.method !== "GET") return;
        passing.body = Buffer.alloc(0);
        delete passing.headers["content-length"];
      },
    },
    { "GET body": "wrong" },
    /lost in transit.*get-or-create/s,
  ],
  [
    "refuses a GET with a body",
    { instead: ({ method, body }) => (method === "GET" && body.length > 0 ? page(403) : undefined) },
    { "GET body": "wrong" },
    /refused in transit: 403 from proxy/,
  ],
  [
    "drops Authorization",
    { request: ({ headers }) => void delete headers.authorization },
    { Authorization: "wrong" },
    /does not reach the service/,
  ],
  [
    "redirects",
    { instead: ({ path }) => ({ ...page(301), headers: { location: `https://groups.example.com${path}` } }) },
    { redirect: "wrong" },
    /Give callers .* https:\/\/groups\.example\.com$/m,
  ],
  [
    "caches",
    {
      instead: ({ method, path }) => cached.get(method + path),
      answer: (answer, { method, path }) => void cached.set(method + path, answer),
    },
    { caching: "wrong" },
    /come from a cache/,
  ],
  [
    "allows caching",
    { answer: ({ headers }) => void delete headers["cache-control"] },
    { caching: "wrong" },
    /no-store/,
  ],
  [
    "adds an Age",
    { answer: ({ headers }) => void Object.assign(headers, { age: "0" }) },
    { caching: "doubtful" },
    /a cache is in the path/,
  ],
  [
    "compresses successes, as nginx does",
    {
      answer(answer, { headers }) {
        if (answer.status !== 200 || !headers["accept-encoding"]?.includes("gzip")) return;
        answer.body = gzipSync(answer.body);
        answer.headers["content-encoding"] = "gzip";
        answer.headers["content-length"] = String(answer.body.length);
      },
    },
    { compression: "doubtful" },
    /gzip.*ETags/s,
  ],
  [
    "refuses large bodies",
    { instead: ({ body }) => (body.length > 100_000 ? page(413) : undefined) },
    { "large bodies": "wrong" },
    /refused: 413 from proxy.*client_max_body_size/s,
  ],
  [
    "refuses PUT",
    { instead: ({ method }) => (method === "PUT" ? page(405) : undefined) },
    { "PUT and POST": "wrong" },
    /PUT \/api\/user returns 405 from proxy/,
  ],
  [
    "replaces errors",
    {
      answer: (answer, { headers }) =>
        void (answer.status === 401 && !headers.authorization && Object.assign(answer, page(401))),
    },
    { failures: "wrong", "request ids": "doubtful", caching: "wrong" },
    /returns 401 from proxy instead of 401 unauthorized/,
  ],
  [
    "drops X-Request-Id",
    { answer: ({ headers }) => void delete headers["x-request-id"] },
    { "request ids": "doubtful" },
    /removed/,
  ],
  [
    "answers OPTIONS itself",
    { instead: ({ method }) => (method === "OPTIONS" ? page(200) : undefined) },
    { methods: "doubtful" },
    /OPTIONS returns 200/,
  ],
  [
    "turns HEAD into GET",
    { request: (passing) => void Object.assign(passing, passing.method === "HEAD" && { method: "GET" }) },
    { methods: "doubtful" },
    /HEAD returns 401/,
  ],
  [
    "adds to X-Forwarded-For without TRUSTED_PROXIES",
    {
      request({ headers }) {
        headers["x-forwarded-for"] = [headers["x-forwarded-for"], "203.0.113.7"].filter(Boolean).join(", ");
      },
    },
    { address: "wrong" },
    /TRUSTED_PROXIES=1/,
  ],
  [
    "changes Host",
    { request: ({ headers }) => void Object.assign(headers, { host: "backend.internal" }) },
    { "public address": "doubtful" },
    /Host arrives as backend\.internal/,
  ],
  ["does not reach the service", { instead: () => page(502) }, { service: "wrong" }, /502 from proxy.*SECRET_KEY/s],
  ["is another website", { instead: () => page(200) }, { service: "wrong" }, /something else responds/],
];
const cached = new Map<string, PassingAnswer>();

for (const [what, spoil, faults, says] of FAULTS) {
  test(`a proxy that ${what} is detected`, async () => {
    const proxy = await startSpoilingProxy(stage().urls[0], spoil);
    try {
      const findings = await examine(proxy.url, stage().tokens.readOnly);
      expect(faultsIn(findings)).toEqual(faults);
      expect(findings.map(({ says, todo }) => `${says}\n${todo}`).join("\n")).toMatch(says);
    } finally {
      await proxy.stop();
    }
  });
}

test("a mistyped token is distinguished from an invalid one", async () => {
  const { urls, tokens } = stage();
  const mistyped = tokens.readOnly.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  for (const [token, says] of [
    [mistyped, /checksum/],
    ["unheard-of-".repeat(4), /not valid here/],
  ] as const) {
    const findings = await examine(new URL(urls[0]), token);
    expect(faultsIn(findings)).toEqual({ Authorization: "wrong" });
    expect(findings.find(({ name }) => name === "Authorization")?.says).toMatch(says);
  }
});

test("the doctor warns if the service's database role owns the tables", { tag: "@release" }, async () => {
  const { databaseUrl, secretKey, tokens } = stage();
  const service = await startService({ DATABASE_URL: databaseUrl, SECRET_KEY: secretKey });
  try {
    const findings = await examine(new URL(service.url), tokens.readOnly);
    expect(faultsIn(findings)).toEqual({ "database role": "doubtful" });
    expect(findings.find(({ name }) => name === "database role")?.todo).toContain("DATABASE_OWNER_URL");
  } finally {
    await service.stop();
  }
});

test("a service from before parts of the diagnosis existed is still examined", async () => {
  const proxy = await startSpoilingProxy(stage().urls[0], {
    answer(answer, { path }) {
      if (path !== "/api/diagnosis") return;
      const { backup: _, ...before } = JSON.parse(answer.body.toString());
      answer.body = Buffer.from(JSON.stringify(before));
      answer.headers["content-length"] = String(answer.body.length);
    },
  });
  const findings = await examine(proxy.url, stage().tokens.readOnly);
  await proxy.stop();
  expect(findings.find(({ name }) => name === "Authorization")).toMatchObject({ state: "good" });
});

test("the diagnosis shows API token holders, and no one else, what the service sees", async () => {
  const forged = { "x-forwarded-for": "192.0.2.1, 192.0.2.2", host: "groups.example.com" };
  const seen = await call("GET", "/api/diagnosis", { token: stage().tokens.readOnly, headers: forged });
  expect(seen.json).toEqual({
    success: 1,
    version: version(),
    commit: JSON.parse(readFileSync("dist/build.json", "utf8")).commit,
    versions: [version()],
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    database_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    address: "127.0.0.1",
    forwarded_for: 2,
    trusted_proxies: 0,
    host: "groups.example.com",
    public_url: null,
    is_database_owner: false,
    overdue_months: null,
    has_previous_key: false,
    backup: null,
    feed_lag: expect.objectContaining({ seconds: expect.any(Number) }),
    disabled_webhooks: expect.any(Number),
  });
  expectError(await call("GET", "/api/diagnosis", { token: null, headers: forged }), 401, "unauthorized");
  expectError(await call("POST", "/api/diagnosis", { body: {} }), 405, "method_not_allowed");
});
