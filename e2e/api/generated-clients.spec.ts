import { writeFileSync } from "node:fs";
import path from "node:path";
import { SCOPES } from "@/lib/authority/scopes";
import { createEnvironment } from "../fixtures/admin-client";
import { call, expect, newId, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { type Ask, GENERATORS, generate, generationFolder, load, operations } from "../fixtures/generators";
import { run } from "../fixtures/run";

/** Data shared by the calls of one client. */
interface World {
  /** creates a group in the client's environment */
  group: () => Promise<{ team_id: number; token: string; provided_id: string }>;
  /** creates a group and deletes it */
  deleted: () => Promise<{ team_id: number; provided_id: string }>;
  /** starts an import */
  opened: () => Promise<number>;
  /** creates an applied import that changed a group */
  changed: () => Promise<number>;
  /** an import uploaded by the client */
  importId: number;
  webhookId: number;
}

const FILE = Buffer.from('{"user_group_id":"imported"}\n{"user_group_id":""}\n');

interface Row {
  operation: string;
  /** the body */
  ask?: (world: World) => Promise<Ask> | Ask;
  /** part of the answer; for a text answer, a part of the text */
  says?: object | string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  keep?: (world: World, answer: any) => void;
  /** repeats the call until the answer matches */
  waits?: true;
}

const byId = async ({ group }: World) => ({ user_group_id: (await group()).provided_id });
const JSON_QUERY = { mapping: '{"40":"213"}', properties: '{"plan":"pro"}' };

const ROWS: Row[] = [
  {
    operation: "getOrCreateUserGroup",
    ask: () => ({ body: { user_group_id: newId("ünïcode/"), name: "New", properties: { plan: "pro" } } }),
    says: { new_user_group: true, user_group: { name: "New", properties: { plan: "pro" } } },
  },
  {
    operation: "getOrCreateUserGroupByQuery",
    ask: () => ({ query: { user_group_id: newId("ünïcode/"), name: "N & N", ...JSON_QUERY } }),
    says: { new_user_group: true, user_group: { name: "N & N", properties: { plan: "pro" } } },
  },
  {
    operation: "updateUserGroup",
    ask: async (world) => ({ body: { ...(await byId(world)), properties: null } }),
    says: { user_group: { properties: null } },
  },
  {
    operation: "mergeUserGroup",
    ask: async (world) => ({ body: { ...(await byId(world)), properties: { a: 1 }, access_ends_at: null } }),
    says: { user_group: { properties: { a: 1 } } },
  },
  {
    operation: "upsertUserGroup",
    ask: () => ({ body: { user_group_id: newId() } }),
    says: { new_user_group: true, changed: true },
  },
  {
    operation: "rotateUserGroupToken",
    ask: async ({ group }) => ({
      body: { current_token: (await group()).token },
      headers: { "Idempotency-Key": newId("key") },
    }),
    says: { user_group: { token: expect.stringMatching(/^ugt_/) } },
  },
  { operation: "deleteUserGroup", ask: async (world) => ({ body: await byId(world) }), says: { success: 1 } },
  {
    operation: "listUserGroups",
    ask: async ({ group }) => ({ query: { user_group_id: [(await group()).provided_id, newId("nobody")], limit: 10 } }),
    says: { user_groups: [{ state: "active" }] },
  },
  { operation: "summarizeUserGroups", ask: () => ({}), says: { counts_are_exact: true } },
  {
    operation: "listUserGroupHistory",
    ask: async (world) => ({ query: { ...(await byId(world)), action: ["user_group.created"], limit: 1 } }),
    says: { entries: [{ action: "user_group.created" }] },
  },
  {
    operation: "countUserGroupHistory",
    ask: async (world) => ({ query: { ...(await byId(world)), action: ["user_group.created"] } }),
    says: { hours: [{ entries: 1 }] },
  },
  {
    operation: "exportUserGroupHistory",
    ask: async (world) => ({ query: { ...(await byId(world)), format: "jsonl" } }),
    says: '"action":"user_group.created"',
  },
  { operation: "exportUserGroups", ask: () => ({ query: { format: "jsonl" } }), says: '"user_group_id":"group-' },
  {
    operation: "suspendUserGroup",
    ask: async (world) => ({ body: { ...(await byId(world)), reason: "Invoice" } }),
    says: { user_group: { state: "suspended" } },
  },
  {
    operation: "resumeUserGroup",
    ask: async (world) => ({ body: await byId(world) }),
    says: { user_group: { state: "active" } },
  },
  { operation: "getUsage", ask: () => ({ query: { from: "2026-11-20", to: "2026-11-20" } }), says: { checks: 0 } },
  {
    operation: "listDeletedUserGroups",
    ask: async ({ deleted }) => ({ query: { user_group_id: (await deleted()).provided_id, limit: 1 } }),
    says: { user_groups: [{ is_id_taken: false }] },
  },
  {
    operation: "restoreUserGroup",
    ask: async ({ deleted }) => ({ body: { user_group_id: (await deleted()).provided_id } }),
    says: { user_group: { state: "active" } },
  },
  {
    operation: "purgeUserGroup",
    ask: async ({ deleted }) => ({ body: { team_id: (await deleted()).team_id } }),
    says: { success: 1 },
  },
  {
    operation: "getUserGroupToken",
    ask: async (world) => ({ body: await byId(world) }),
    says: { user_group: { token: expect.stringMatching(/^ugt_/) } },
  },
  {
    operation: "endUserGroupOverlap",
    ask: async (world) => ({ body: await byId(world) }),
    says: { overlap_ended: false },
  },
  {
    operation: "replaceUserGroupToken",
    ask: async (world) => ({ body: await byId(world) }),
    says: { user_group: { token: expect.stringMatching(/^ugt_/) } },
  },
  {
    operation: "findUserGroupByToken",
    ask: async ({ group }) => ({ body: { text: `token=${(await group()).token}` } }),
    says: { found: "current" },
  },
  {
    operation: "batchUserGroups",
    ask: () => ({ body: { mode: "upsert", user_groups: [{ user_group_id: newId() }, { user_group_id: newId() }] } }),
    says: { results: [{ outcome: "created" }, { outcome: "created" }] },
  },
  {
    operation: "createJob",
    ask: () => ({ body: { kind: "import", file_name: "customers.jsonl", bytes: FILE.length } }),
    says: { job: { state: "receiving" } },
    keep: (world, answer) => {
      world.importId = answer.job.id;
    },
  },
  {
    operation: "sendJobPiece",
    ask: ({ importId }) => ({ path: { id: importId, n: 0 }, body: { content: FILE.toString("base64") } }),
    says: { job: { name: "customers.jsonl" } },
  },
  {
    operation: "getJob",
    ask: ({ importId }) => ({ path: { id: importId } }),
    says: { job: { state: "checked", planned: { create: 1, error: 1 } } },
    waits: true,
  },
  {
    operation: "listJobRows",
    ask: ({ importId }) => ({ path: { id: importId }, query: { outcome: "create", limit: 5 } }),
    says: { rows: [{ provided_id: "imported" }] },
  },
  {
    operation: "downloadFailedJobRows",
    ask: ({ importId }) => ({ path: { id: importId } }),
    says: "must not be empty",
  },
  {
    operation: "applyJob",
    ask: ({ importId }) => ({ path: { id: importId }, body: {} }),
    says: { job: { name: "customers.jsonl" } },
  },
  {
    operation: "cancelJob",
    ask: async ({ opened }) => ({ path: { id: await opened() }, body: {} }),
    says: { job: { state: "cancelled" } },
  },
  { operation: "listJobs", says: { jobs: [{ kind: "import" }, { kind: "import" }] } },
  {
    operation: "undoJob",
    ask: async ({ changed }) => ({ path: { id: await changed() }, body: { apply: false } }),
    says: { job: { name: "Undo of change.jsonl", mode: "undo" } },
  },
  {
    operation: "identifyViewer",
    ask: async ({ group }) => ({ body: { token: (await group()).token } }),
    says: { active: true },
  },
  {
    operation: "mintViewerToken",
    ask: async (world) => ({ body: { ...(await byId(world)), viewer: "u", variables: { page: 1 } } }),
    says: { viewer_token: expect.stringMatching(/^eyJ/) },
  },
  { operation: "listRevocations", says: { has_more: false } },
  { operation: "endViews", ask: async (world) => ({ body: await byId(world) }), says: { gen: 2 } },
  {
    operation: "endViewer",
    ask: async (world) => ({ body: { ...(await byId(world)), viewer_id: "u" } }),
    says: { viewer_key: expect.any(String), blocked_until: null },
  },
  {
    operation: "getAllowedOrigins",
    ask: async (world) => ({ query: await byId(world) }),
    says: { allowed_origins: null, effective_origins: null },
  },
  {
    operation: "setAllowedOrigins",
    ask: async (world) => ({ body: { ...(await byId(world)), allowed_origins: ["https://app.example.com"] } }),
    says: { effective_origins: ["https://app.example.com"] },
  },
  {
    operation: "setViewerSettings",
    ask: () => ({ body: { visible: { properties: ["plan"], mapping: [] } } }),
    says: { settings: { visible: { properties: ["plan"] } } },
  },
  { operation: "getViewerSettings", says: { settings: { visible: { properties: ["plan"] } } } },
  {
    operation: "getViewerKeys",
    ask: () => ({ path: { slug: "testing" } }),
    says: { keys: expect.any(Array) },
  },
  {
    operation: "getTemplateKeys",
    ask: () => ({ path: { slug: "testing", template: "none" } }),
    says: { keys: [] },
  },
  {
    operation: "discoverIssuer",
    ask: () => ({ path: { slug: "testing" } }),
    says: { id_token_signing_alg_values_supported: ["ES256"] },
  },
  {
    operation: "replaceApiToken",
    ask: () => ({ body: { overlap_seconds: 3600 } }),
    says: { api_token: expect.stringMatching(/^uga_/), expires_at: null },
  },
  { operation: "getDefinitions", says: { definitions: { enforcement: "off" } } },
  { operation: "suggestDefinitions", says: { groups: expect.any(Number) } },
  { operation: "getFindings", says: { findings: expect.any(Array) } },
  {
    operation: "fixFinding",
    ask: () => ({ body: { finding: "Plan:unknown_property", rename_to: "plan" } }),
    says: { job: { name: "Rename Plan to plan" } },
  },
  {
    operation: "setDefinitions",
    ask: () => ({ body: { properties: { plan: { type: "string" } } } }),
    says: { definitions: { properties: { plan: { type: "string" } } } },
  },
  {
    operation: "listEvents",
    ask: () => ({ query: { types: ["user_group.*"], limit: 10 } }),
    waits: true,
    says: { events: expect.arrayContaining([expect.objectContaining({ type: "user_group.created" })]) },
  },
  {
    operation: "createWebhook",
    ask: () => ({ body: { url: "https://127.0.0.1:1/", types: ["environment.deleted"] } }),
    keep: (world, { webhook }) => {
      world.webhookId = webhook.id;
    },
    says: { secret: expect.stringMatching(/^whsec_/) },
  },
  { operation: "listWebhooks", says: { webhooks: [{ enabled: true }] } },
  {
    operation: "updateWebhook",
    ask: ({ webhookId }) => ({ body: { webhook_id: webhookId, description: "changed" } }),
    says: { webhook: { description: "changed" } },
  },
  {
    operation: "rotateWebhookSecret",
    ask: ({ webhookId }) => ({ body: { webhook_id: webhookId } }),
    says: { secret: expect.stringMatching(/^whsec_/) },
  },
  {
    operation: "testWebhook",
    ask: ({ webhookId }) => ({ body: { webhook_id: webhookId } }),
    says: { delivery: { type: "webhook.test" } },
  },
  {
    operation: "listDeliveries",
    ask: ({ webhookId }) => ({ query: { webhook_id: webhookId } }),
    says: { deliveries: [{ type: "webhook.test" }] },
  },
  {
    operation: "replayWebhook",
    ask: ({ webhookId }) => ({ body: { webhook_id: webhookId, failed: true } }),
    says: { success: 1 },
  },
  { operation: "deleteWebhook", ask: ({ webhookId }) => ({ body: { webhook_id: webhookId } }), says: { success: 1 } },
  { operation: "getSettings", says: { settings: { webhooks: [] } } },
  {
    operation: "applySettings",
    ask: () => ({ body: { allowed_origins: ["https://generated.example.com"] } }),
    says: { changes: [{ path: ["allowed_origins"], after: ["https://generated.example.com"] }], webhooks: [] },
  },
  { operation: "isAlive", says: { status: "ok" } },
  { operation: "isReady", says: { status: "ready" } },
  { operation: "diagnose", says: { success: 1 } },
];

test("every described call is in the table", () => {
  expect(ROWS.map(({ operation }) => operation).sort()).toEqual([...operations.keys()].sort());
});

for (const generator of GENERATORS) {
  test(`a client by ${generator} makes every call`, async ({ stage, database }) => {
    const environment = await createEnvironment(database);
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    const apiToken = await insertApiToken(settings, { environment, scopes: SCOPES });
    const { folder, remove } = generationFolder();
    try {
      await generate(generator, folder, stage.urls[0]);
      const client = await load(generator, folder, { baseUrl: stage.urls[0], apiToken });
      const world = worldOf(apiToken);
      for (const { operation, ask, says, keep, waits } of ROWS) {
        const about = async () => client(operation, (await ask?.(world)) ?? {});
        const expected = { status: 200, answer: typeof says === "string" ? expect.stringContaining(says) : says };
        if (waits) await expect.poll(about).toMatchObject(expected);
        else {
          const said = await about();
          expect(said, operation).toMatchObject(expected);
          keep?.(world, said.answer);
        }
      }
      const refused = await client("updateUserGroup", { body: { user_group_id: "" } });
      expect(refused).toMatchObject({ status: 422, answer: { error: { code: "invalid_fields" } } });
      const stale = { body: await byId(world), headers: { "If-Match": '"1-999"' } };
      expect(await client("mergeUserGroup", stale)).toMatchObject({ status: 412 });
    } finally {
      remove();
    }
  });
}

const USES = {
  "openapi-typescript.ts": `
    import createClient from "openapi-fetch";
    import type { paths } from "./schema";
    const client = createClient<paths>({ baseUrl: "https://groups.example.com" });
    const { data } = await client.POST("/api/user/get-or-create", { body: { user_group_id: "a", properties: { plan: "pro" } } });
    export const token: string | undefined = data?.user_group.token;
    // @ts-expect-error a misspelled field
    await client.POST("/api/user/get-or-create", { body: { user_group: "a" } });
    const page = await client.GET("/api/user-groups", { params: { query: { user_group_id: ["a"], limit: 10 } } });
    export const ids: string[] | undefined = page.data?.user_groups.map(({ provided_id }) => provided_id);
    // @ts-expect-error no GET takes a body
    await client.GET("/api/user", { params: { query: { user_group_id: "a" } }, body: { user_group_id: "a" } });`,
  "hey-api-use.ts": `
    import { getOrCreateUserGroup, listUserGroups } from "./hey-api";
    const { data } = await getOrCreateUserGroup({ body: { user_group_id: "a", properties: { plan: "pro" } } });
    export const token: string | undefined = data?.user_group.token;
    // @ts-expect-error a misspelled field
    await getOrCreateUserGroup({ body: { user_group: "a" } });
    const page = await listUserGroups({ query: { user_group_id: ["a"], limit: 10 } });
    export const ids: string[] | undefined = page.data?.user_groups.map(({ provided_id }) => provided_id);`,
  "orval-use.ts": `
    import { getOrCreateUserGroup, listUserGroups } from "./orval";
    const found = await getOrCreateUserGroup({ user_group_id: "a", properties: { plan: "pro" } });
    export const token: string | undefined = found.status === 200 ? found.data.user_group.token : undefined;
    // @ts-expect-error a misspelled field
    await getOrCreateUserGroup({ user_group: "a" });
    const page = await listUserGroups({ user_group_id: ["a"], limit: 10 });
    export const ids: string[] = page.status === 200 ? page.data.user_groups.map(({ provided_id }) => provided_id) : [];`,
};

test("generated clients and programs that use them pass a strict compiler", { tag: "@release" }, async ({ stage }) => {
  const { folder, remove } = generationFolder();
  try {
    for (const generator of GENERATORS) await generate(generator, folder, stage.urls[0]);
    const files = Object.entries(USES).map(([name, source]) => {
      const file = path.join(folder, name);
      writeFileSync(file, source);
      return file;
    });
    const strict = [
      "--noEmit",
      "--ignoreConfig",
      "--strict",
      "--skipLibCheck",
      "--target",
      "es2022",
      "--module",
      "esnext",
    ];
    const others = ["--moduleResolution", "bundler", "--lib", "es2022,dom,dom.iterable", "--types", ""];
    const tsc = path.resolve("node_modules/typescript/lib/tsc.js");
    const ended = await run(process.execPath, [tsc, ...strict, ...others, ...files], { cwd: folder });
    expect(ended).toMatchObject({ code: 0, stdout: "" });
  } finally {
    remove();
  }
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Answer = any;

function worldOf(token: string): World {
  const send = async (method: string, url: string, body: object): Promise<Answer> => {
    const { status, text, json } = await call(method, url, { token, body });
    expect(status, text).toBe(200);
    return json;
  };
  const group = async () =>
    (await send("POST", "/api/user/get-or-create", { user_group_id: newId(), properties: { n: 1 } })).user_group;
  return {
    group,
    async deleted() {
      const made = await group();
      await send("DELETE", "/api/user", { user_group_id: made.provided_id });
      return made;
    },
    async changed() {
      const file = Buffer.from(`${JSON.stringify({ user_group_id: (await group()).provided_id, name: "New" })}\n`);
      const { id } = (
        await send("POST", "/api/jobs", { kind: "import", file_name: "change.jsonl", bytes: file.length })
      ).job;
      await send("PUT", `/api/jobs/${id}/pieces/0`, { content: file.toString("base64") });
      const stateOf = async () => (await call("GET", `/api/jobs/${id}`, { token })).json.job.state;
      await expect.poll(stateOf).toBe("checked");
      await send("POST", `/api/jobs/${id}/apply`, {});
      await expect.poll(stateOf).toBe("done");
      return id;
    },
    opened: async () => (await send("POST", "/api/jobs", { kind: "import", file_name: "other.csv", bytes: 10 })).job.id,
    importId: 0,
    webhookId: 0,
  };
}
