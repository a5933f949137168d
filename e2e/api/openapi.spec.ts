import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { oas31 } from "zod-openapi";
import { type DescribedCall, follow, reference } from "@/lib/openapi/reference";
import { SCOPES } from "../../lib/authority/scopes";
import { type CallOptions, call, createGroup, expect, newId, type Response, test } from "../fixtures/api";
import { scopedToken } from "../fixtures/scoped-token";

const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(reference, "api");

const isValid = (schema: object | undefined, value: unknown) => {
  const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
  return { valid: check(value), why: ajv.errorsText(check.errors) };
};

type Method = Lowercase<DescribedCall["method"]>;
const operationOf = (method: string, path: string) => reference.paths?.[path]?.[method.toLowerCase() as Method];

/** Checks an answer against its described schema and headers. */
function expectDescribed(response: Response, operation: oas31.OperationObject | undefined) {
  const described = operation?.responses?.[response.status] ?? operation?.responses?.default;
  const { content, headers = {} } = follow<oas31.ResponseObject>(described);
  const type = String(response.headers["content-type"]).split(";")[0] ?? "";
  expect(Object.keys(content ?? {})).toContain(type);
  if (type === "application/json") {
    const verdict = isValid(content?.[type]?.schema, response.json);
    expect(verdict, response.text).toEqual({ valid: true, why: "No errors" });
  }
  for (const [name, header] of Object.entries(headers)) {
    const value = response.headers[name.toLowerCase()];
    const { schema, required } = follow<oas31.HeaderObject>(header);
    if (value === undefined && !required) continue;
    const isNumber = schema && "type" in schema && schema.type === "integer";
    expect(isValid(schema, isNumber ? Number(value) : value), `${name}: ${value}`).toMatchObject({ valid: true });
  }
}

test("the description is served to everyone as committed", async () => {
  const { status, text, headers } = await call("GET", "/openapi.json", { token: null });
  expect({ status, text }).toEqual({ status: 200, text: readFileSync("docs/openapi.json", "utf8") });
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
});

const id = async () => (await createGroup({ properties: { a: 1 } })).provided_id;
const token = async () => (await createGroup()).token;
const properties = '{"__proto__":{"x":1.10},"deep":[[[{"a":null}]]],"text":"\\u00e9"}';

interface Row {
  call: string;
  status: number;
  /** the body; by default only the credential is sent */
  send?: () => Promise<Sent>;
}
type Sent = CallOptions & { query?: string; path?: string };

let allowed: Promise<string> | undefined;
/** A call by a token that may do everything. */
const allowedTo =
  (send: () => Promise<Sent> | Sent = () => ({})) =>
  async (): Promise<Sent> => {
    allowed ??= scopedToken(...SCOPES);
    return { token: await allowed, ...(await send()) };
  };
const about = (verb: string, body: () => Promise<object>): Row => ({
  call: `POST /api/user-groups/${verb}`,
  status: 200,
  send: allowedTo(async () => ({ body: await body() })),
});
const numberOf = async () => (await createGroup()).team_id as number;
async function deletedGroup() {
  const { provided_id, team_id } = await createGroup();
  const options = await allowedTo(() => ({ body: { user_group_id: provided_id } }))();
  expect((await call("DELETE", "/api/user", options)).status).toBe(200);
  return { provided_id, team_id };
}
const FILE = '{"user_group_id":"from-a-file"}\n{"name":"without an id"}\n';
/** Uploads a small file as an import. */
async function importFor(state: "receiving" | "checked" | "done", file = FILE, beginner?: string): Promise<number> {
  // With a separate token, as each may have two open jobs.
  const token = beginner ?? (await scopedToken(...SCOPES));
  const send = (method: string, path: string, body?: object) => call(method, path, { token, body });
  const { json } = await send("POST", "/api/jobs", { kind: "import", file_name: "a.jsonl", bytes: file.length });
  const id: number = json.job.id;
  const reaches = (reached: string) =>
    expect.poll(async () => (await send("GET", `/api/jobs/${id}`)).json.job.state).toBe(reached);
  if (state === "receiving") return id;
  await send("PUT", `/api/jobs/${id}/pieces/0`, { content: Buffer.from(file).toString("base64") });
  await reaches("checked");
  if (state === "checked") return id;
  await send("POST", `/api/jobs/${id}/apply`, {});
  await reaches("done");
  return id;
}
/** An applied import that changed a group. */
async function changingImport() {
  const { provided_id } = await createGroup();
  return importFor("done", `${JSON.stringify({ user_group_id: provided_id, name: "Changed" })}\n`);
}
const ofImport = (what: string, state: "receiving" | "checked", body?: object): Row => ({
  call: what,
  status: 200,
  send: allowedTo(async () => {
    const path = what
      .split(" ")[1]
      ?.replace("{id}", String(await importFor(state)))
      .replace("{n}", "0");
    return { ...(path && { path }), ...(body && { body }) };
  }),
});
/** Nothing listens on this port, and these tests send nothing to it. */
const CLOSED = "https://127.0.0.1:1/";
const newWebhook = () => ({ url: CLOSED, types: ["environment.deleted"] });
/** A call about a new webhook. */
const ofWebhook = (what: string, body = {}): Row => ({
  call: what,
  status: 200,
  send: allowedTo(async () => ({ body: { webhook_id: await makeWebhook(), ...body } })),
});
async function makeWebhook(): Promise<number> {
  const { json } = await call("POST", "/api/webhooks", await allowedTo(() => ({ body: newWebhook() }))());
  return json.webhook.id;
}
/** Calls that tokens from before scopes cannot make. */
const LIFE: Row[] = [
  { call: "DELETE /api/user", status: 200, send: allowedTo(async () => ({ query: `?user_group_id=${await id()}` })) },
  { call: "DELETE /api/user", status: 404, send: allowedTo(() => ({ body: { user_group_id: newId() } })) },
  { call: "GET /api/user-groups", status: 200, send: allowedTo(() => ({ query: "?filter=plan:is:1&limit=5" })) },
  { call: "GET /api/user-groups", status: 422, send: allowedTo(() => ({ query: "?limit=0" })) },
  { call: "GET /api/user-groups/history", status: 200, send: allowedTo() },
  { call: "GET /api/user-groups/history/counts", status: 200, send: allowedTo() },
  { call: "GET /api/user-groups/history/export", status: 200, send: allowedTo(() => ({ query: "?format=csv" })) },
  { call: "GET /api/user-groups/history/export", status: 200, send: allowedTo(() => ({ query: "?format=jsonl" })) },
  { call: "GET /api/user-groups/summary", status: 200, send: allowedTo() },
  { call: "GET /api/user-groups/export", status: 200, send: allowedTo(() => ({ query: "?format=csv" })) },
  { call: "GET /api/user-groups/export", status: 200, send: allowedTo(() => ({ query: "?format=jsonl&search=zzzz" })) },
  { call: "GET /api/usage", status: 200, send: allowedTo() },
  { call: "GET /api/usage", status: 200, send: allowedTo(() => ({ query: "?by=user_group&limit=2" })) },
  { call: "GET /api/user-groups/deleted", status: 200, send: allowedTo(() => ({ query: "?limit=2" })) },
  about("suspend", async () => ({ user_group_id: await id(), reason: "Invoice 4711" })),
  about("resume", async () => ({ user_group_id: await id() })),
  about("restore", async () => ({ user_group_id: (await deletedGroup()).provided_id })),
  about("purge", async () => ({ team_id: (await deletedGroup()).team_id })),
  about("token", async () => ({ team_id: await numberOf() })),
  about("rotate", async () => ({ user_group_id: await id() })),
  about("find-by-token", async () => ({ text: await token() })),
  about("end-views", async () => ({ user_group_id: await id() })),
  {
    call: "GET /api/user-groups/allowed-origins",
    status: 200,
    send: allowedTo(async () => ({ query: `?user_group_id=${await id()}` })),
  },
  {
    call: "PUT /api/user-groups/allowed-origins",
    status: 200,
    send: allowedTo(async () => ({
      body: { user_group_id: await id(), allowed_origins: ["https://app.example.com"] },
    })),
  },
  { call: "GET /api/viewer-settings", status: 200, send: allowedTo() },
  { call: "PUT /api/viewer-settings", status: 200, send: allowedTo(() => ({ body: {} })) },
  { call: "PUT /api/viewer-settings", status: 422, send: allowedTo(() => ({ body: { audience: 7 } })) },
  {
    call: "POST /api/viewer-tokens",
    status: 200,
    send: allowedTo(async () => ({ body: { token: await token(), viewer: "u", variables: { page: 1 } } })),
  },
  {
    call: "POST /api/viewers/end",
    status: 200,
    send: allowedTo(async () => ({ body: { user_group_id: await id(), viewer_id: "u" } })),
  },
  {
    call: "POST /api/viewers/end",
    status: 422,
    send: allowedTo(async () => ({ body: { user_group_id: await id(), viewer_id: "u", blocked_until: "soon" } })),
  },
  { call: "POST /api/viewer-tokens", status: 404, send: allowedTo(() => ({ body: { user_group_id: newId() } })) },
  { call: "GET /api/definitions", status: 200, send: allowedTo() },
  { call: "GET /api/definitions/suggestion", status: 200, send: allowedTo() },
  { call: "GET /api/definitions/findings", status: 200, send: allowedTo() },
  {
    call: "POST /api/definitions/fixes",
    status: 200,
    send: allowedTo(() => ({ body: { finding: "plan:missing", set: "free" } })),
  },
  { call: "PUT /api/definitions", status: 200, send: allowedTo(() => ({ body: {} })) },
  { call: "PUT /api/definitions", status: 422, send: allowedTo(() => ({ body: { properties: { a: {} } } })) },
  { call: "GET /api/settings", status: 200, send: allowedTo() },
  {
    call: "PUT /api/settings",
    status: 200,
    send: allowedTo(() => ({ query: "?dry_run=true", body: { allowed_origins: ["https://described.example.com"] } })),
  },
  { call: "PUT /api/settings", status: 422, send: allowedTo(() => ({ body: { webhooks: 1 } })) },
  { call: "GET /api/events", status: 200, send: allowedTo(() => ({ query: "?include=states&types=user_group.*" })) },
  { call: "GET /api/events", status: 422, send: allowedTo(() => ({ query: "?after=x" })) },
  { call: "GET /api/revocations", status: 200, send: allowedTo() },
  { call: "GET /api/revocations", status: 422, send: allowedTo(() => ({ query: "?since=x" })) },
  {
    call: "GET /e/{slug}/.well-known/jwks.json",
    status: 200,
    send: async () => ({ path: "/e/testing/.well-known/jwks.json", token: null }),
  },
  {
    call: "GET /e/{slug}/.well-known/jwks.json",
    status: 404,
    send: async () => ({ path: "/e/none/.well-known/jwks.json", token: null }),
  },
  {
    call: "GET /e/{slug}/.well-known/openid-configuration",
    status: 200,
    send: async () => ({ path: "/e/testing/.well-known/openid-configuration", token: null }),
  },
  {
    call: "GET /e/{slug}/.well-known/openid-configuration",
    status: 404,
    send: async () => ({ path: "/e/none/.well-known/openid-configuration", token: null }),
  },
  {
    call: "POST /api/api-tokens/replace",
    status: 200,
    send: async () => ({ token: await scopedToken("api-token:replace"), body: { overlap_seconds: 3600 } }),
  },
  {
    call: "POST /api/api-tokens/replace",
    status: 409,
    send: async () => {
      const asked = { token: await scopedToken("api-token:replace"), body: { overlap_seconds: 3600 } };
      await call("POST", "/api/api-tokens/replace", asked);
      return asked;
    },
  },
  {
    call: "GET /e/{slug}/{template}/.well-known/jwks.json",
    status: 200,
    send: async () => ({ path: "/e/testing/cube/.well-known/jwks.json", token: null }),
  },
  about("batch", async () => ({ mode: "upsert", user_groups: [{ user_group_id: newId() }, { user_group_id: 5 }] })),
  { call: "GET /api/jobs", status: 200, send: allowedTo() },
  {
    call: "POST /api/jobs",
    status: 200,
    send: allowedTo(() => ({ body: { kind: "import", file_name: "a.csv", bytes: 4 } })),
  },
  ofImport("GET /api/jobs/{id}", "receiving"),
  {
    call: "PUT /api/jobs/{id}/pieces/{n}",
    status: 200,
    send: async () => {
      const token = await scopedToken(...SCOPES);
      const path = `/api/jobs/${await importFor("receiving", FILE, token)}/pieces/0`;
      return { token, path, body: { content: Buffer.from(FILE).toString("base64") } };
    },
  },
  ofImport("GET /api/jobs/{id}/rows", "checked"),
  ofImport("GET /api/jobs/{id}/failed", "checked"),
  ofImport("POST /api/jobs/{id}/apply", "checked", {}),
  ofImport("POST /api/jobs/{id}/cancel", "receiving", {}),
  {
    call: "POST /api/jobs/{id}/undo",
    status: 200,
    send: async () => ({
      token: await scopedToken(...SCOPES),
      path: `/api/jobs/${await changingImport()}/undo`,
      body: {},
    }),
  },
  { call: "GET /api/webhooks", status: 200, send: allowedTo() },
  { call: "POST /api/webhooks", status: 200, send: allowedTo(() => ({ body: newWebhook() })) },
  { call: "POST /api/webhooks", status: 422, send: allowedTo(() => ({ body: { url: "http://example.com/" } })) },
  {
    call: "GET /api/webhooks/deliveries",
    status: 200,
    send: allowedTo(async () => ({ query: `?webhook_id=${await makeWebhook()}` })),
  },
  ofWebhook("PATCH /api/webhooks", { description: "changed", enabled: false }),
  ofWebhook("POST /api/webhooks/rotate-secret"),
  ofWebhook("POST /api/webhooks/test"),
  ofWebhook("POST /api/webhooks/replay", { failed: true }),
  ofWebhook("DELETE /api/webhooks"),
];

const ROWS: Row[] = [
  ...LIFE,
  { call: "GET /api/user", status: 200, send: async () => ({ body: { user_group_id: newId() } }) },
  { call: "GET /api/user", status: 200, send: async () => ({ body: { user_group_id: await id(), name: "Other" } }) },
  {
    call: "GET /api/user",
    status: 200,
    send: async () => ({ body: `{"user_group_id":"${newId()}","mapping":{"40":"213"},"properties":${properties}}` }),
  },
  { call: "GET /api/user", status: 200, send: async () => ({ query: `?user_group_id=${newId()}&mapping={}` }) },
  {
    call: "PATCH /api/user",
    status: 200,
    send: async () => ({ body: { user_group_id: await id(), properties: { a: null } } }),
  },
  {
    call: "PATCH /api/user",
    status: 200,
    send: async () => ({ body: { user_group_id: await id(), new_user_group_id: newId() } }),
  },
  {
    call: "PATCH /api/user",
    status: 409,
    send: async () => ({ body: { user_group_id: await id(), new_user_group_id: await id() } }),
  },
  { call: "PATCH /api/user", status: 404, send: async () => ({ body: { user_group_id: newId() } }) },
  {
    call: "POST /api/user",
    status: 200,
    send: async () => ({ body: { current_token: (await createGroup()).token, overlap_seconds: 60 } }),
  },
  {
    call: "POST /api/user/end-overlap",
    status: 200,
    send: async () => ({ body: { user_group_id: (await createGroup()).provided_id } }),
  },
  { call: "POST /api/user/end-overlap", status: 404, send: async () => ({ body: { user_group_id: newId() } }) },
  { call: "POST /api/user/upsert", status: 200, send: async () => ({ body: { user_group_id: newId(), name: "New" } }) },
  { call: "POST /api/user/upsert", status: 422, send: async () => ({ body: { user_group_id: 5 } }) },
  { call: "GET /api/user", status: 400 },
  { call: "GET /api/user", status: 400, send: async () => ({ body: "{" }) },
  { call: "GET /api/user", status: 401, send: async () => ({ token: null }) },
  {
    call: "GET /api/user",
    status: 404,
    send: async () => ({ token: await scopedToken("tokens:read"), body: { user_group_id: newId() } }),
  },
  { call: "GET /api/user", status: 413, send: async () => ({ body: `"${"x".repeat(300_000)}"` }) },
  { call: "GET /api/user", status: 415, send: async () => ({ body: "{}", headers: { "content-type": "text/plain" } }) },
  { call: "GET /api/user", status: 422, send: async () => ({ body: { user_group: 1, user_group_id: 5 } }) },
  { call: "GET /api/user", status: 431, send: async () => ({ headers: { "x-long": "x".repeat(20_000) } }) },
  { call: "POST /api/user/get-or-create", status: 200, send: async () => ({ body: { user_group_id: await id() } }) },
  { call: "POST /api/user/get-or-create", status: 422, send: async () => ({ body: {} }) },
  { call: "PUT /api/user", status: 200, send: async () => ({ body: { user_group_id: await id(), name: "New" } }) },
  { call: "PUT /api/user", status: 200, send: async () => ({ body: { user_group_id: await id(), properties: null } }) },
  { call: "PUT /api/user", status: 404, send: async () => ({ body: { user_group_id: newId() } }) },
  {
    call: "PUT /api/user",
    status: 412,
    send: async () => ({ body: { user_group_id: await id() }, headers: { "if-match": '"1-999"' } }),
  },
  { call: "PUT /api/user", status: 422, send: async () => ({ body: { user_group_id: "x", name: " " } }) },
  { call: "POST /api/user", status: 200, send: async () => ({ body: { current_token: await token() } }) },
  { call: "POST /api/user", status: 404, send: async () => ({ body: { current_token: "ugt_unknown" } }) },
  { call: "POST /api/user", status: 422, send: async () => ({ body: { user_group_id: "example_1" } }) },
  { call: "POST /api/viewer", status: 200, send: async () => ({ body: { token: await token() } }) },
  { call: "POST /api/viewer", status: 200, send: async () => ({ body: { token: "" } }) },
  { call: "POST /api/viewer", status: 401, send: async () => ({ token: null, body: { token: "" } }) },
  { call: "POST /api/viewer", status: 422, send: async () => ({ body: {} }) },
  { call: "GET /healthz", status: 200 },
  { call: "GET /readyz", status: 200 },
  { call: "GET /api/diagnosis", status: 200 },
  { call: "GET /api/diagnosis", status: 401, send: async () => ({ token: null }) },
];

test("every call answers as described, on success and on failure", async ({ stage }) => {
  for (const { call: name, status, send = async (): Promise<Sent> => ({}) } of ROWS) {
    const [method = "", path = ""] = name.split(" ");
    const { query = "", path: asked = path, ...options } = await send();
    const response = await call(method, asked + query, options);
    expect(response.status, `${name}: ${response.text}`).toBe(status);
    expect(operationOf(method, path)?.responses, name).toHaveProperty([String(status)]);
    expectDescribed(response, operationOf(method, path));
  }
  const forbidden = await call("PUT", "/api/user", { token: stage.tokens.readOnly, body: { user_group_id: "x" } });
  expect(forbidden.status).toBe(403);
  expectDescribed(forbidden, operationOf("PUT", "/api/user"));
  const idempotent = (current_token: string, key: string) =>
    call("POST", "/api/user", { body: { current_token }, headers: { "idempotency-key": key } });
  const key = newId("key");
  expect((await idempotent(await token(), key)).status).toBe(200);
  const conflict = await idempotent(await token(), key);
  expect(conflict.status).toBe(409);
  expectDescribed(conflict, operationOf("POST", "/api/user"));
  const other = await call("PURGE", "/api/user", { body: {} });
  expect(other.status).toBe(405);
  expectDescribed(other, operationOf("PUT", "/api/user"));
});

test("every described call was made, and succeeded", () => {
  const described = Object.entries(reference.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const made = new Set(ROWS.filter(({ status }) => status === 200).map((row) => row.call));
  expect([...made].sort()).toEqual(described.sort());
});

test("the service accepts and refuses the same bodies as the described schemas", async () => {
  const { requestBody } = operationOf("PUT", "/api/user") ?? {};
  const schema = requestBody && "content" in requestBody ? requestBody.content["application/json"]?.schema : undefined;
  const of = (fields: object) => ({ user_group_id: newId(), ...fields });
  const bodies = [
    of({}),
    of({ properties: null }),
    of({ mapping: {}, properties: {} }),
    of({ name: "x" }),
    of({ user_group_id: newId().padEnd(255, "x") }),
    of({ user_group_id: newId().padEnd(256, "x") }),
    of({ name: "😀".repeat(255) }),
    of({ name: "😀".repeat(256) }),
    of({ name: "" }),
    of({ name: null }),
    of({ user_group_id: 5 }),
    of({ user_group_id: "" }),
    of({ user_group_id: undefined }),
    of({ id: "x" }),
    of({ mapping: null }),
    of({ mapping: [] }),
    of({ mapping: "{}" }),
    of({ properties: [] }),
    of({ properties: 1 }),
    [],
    "text",
    null,
  ];
  const verdicts: object[] = [];
  for (const body of bodies) {
    const { status } = await call("POST", "/api/user/get-or-create", { body: JSON.stringify(body) });
    verdicts.push({ body, taken: status === 200 });
    expect(status, JSON.stringify(body)).toBe(status === 200 ? 200 : 422);
  }
  const sent = bodies.map((body) => JSON.parse(JSON.stringify(body)));
  expect(verdicts).toEqual(bodies.map((body, index) => ({ body, taken: isValid(schema, sent[index]).valid })));
});
