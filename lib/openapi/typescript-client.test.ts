import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { UserGroupsClient } from "@/clients/typescript/src/client";
import { callsOf } from "@/e2e/fixtures/client-calls";
import { callsIn } from "@/lib/openapi/calls";

const TSC = path.resolve("node_modules/typescript/bin/tsc");
const api = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
const ajv = addFormats.default(new Ajv2020({ strict: false, formats: { base64: true } }));
ajv.addSchema(api, "api");
// biome-ignore lint/suspicious/noExplicitAny: the description as JSON
const described: Record<string, { method: string; path: string; operation: any }> = Object.fromEntries(
  callsIn(api).map((call) => [call.operation.operationId, call]),
);

/** For `fetch`, renderers, operators and deployments, which have commands or curl. */
const NOT_OF_THE_CLIENT = [
  "getOrCreateUserGroupByQuery",
  "exportUserGroupHistory",
  "getViewerKeys",
  "getTemplateKeys",
  "discoverIssuer",
  "getSettings",
  "applySettings",
  "isAlive",
  "isReady",
  "diagnose",
];

test("the client has each call", () => {
  const ours = Object.keys(described).filter((id) => !NOT_OF_THE_CLIENT.includes(id));
  expect(Object.keys(callsOf(clientThat(() => undefined))).sort()).toEqual(ours.sort());
});

test.each(Object.keys(callsOf(clientThat(() => undefined))))("the client sends %s as described", async (id) => {
  const sent: { method?: string; url: URL; body: unknown }[] = [];
  const calls = callsOf(
    clientThat((url, { method = "", body }) =>
      sent.push({ method, url: new URL(url), body: body && JSON.parse(`${body}`) }),
    ),
  )[id as keyof ReturnType<typeof callsOf>];
  for (const call of calls) await call().catch(() => undefined);
  expect(sent.length).toBe(calls.length);
  const { method, path: route = "", operation } = described[id] ?? {};
  const schema = operation.requestBody?.content["application/json"].schema;
  const names = (operation.parameters ?? []).map(({ name }: { name: string }) => name);
  for (const { url, body, ...request } of sent) {
    expect(request).toEqual({ method });
    expect(url.pathname).toMatch(new RegExp(`^${route.replace(/\{\w+\}/g, "\\d+")}$`));
    expect(names).toEqual(expect.arrayContaining([...url.searchParams.keys()]));
    expect(body === undefined || fits(schema, body), ajv.errorsText()).toBe(true);
  }
});

test("the described answers have the types that the client's calls return", () => {
  const answers = Object.entries(described).flatMap(([id, { operation }]) => {
    const { examples = {} } = operation.responses[200].content?.["application/json"] ?? {};
    const values = NOT_OF_THE_CLIENT.includes(id) ? [] : Object.values<{ value: unknown }>(examples);
    return values.map(({ value }) => `const _: Answer<"${id}"> = ${JSON.stringify(value)};`);
  });
  const source = `import type { callsOf } from "${path.resolve("e2e/fixtures/client-calls.ts")}";
type Calls = ReturnType<typeof callsOf>;
type Untagged<T> = T extends object ? Omit<T, "etag"> : T;
type Answer<Id extends keyof Calls> = Untagged<Awaited<ReturnType<Calls[Id][number]>>>;
${answers.map((answer) => `{ ${answer} }`).join("\n")}\n`;
  expect(answers.length).toBeGreaterThan(45);
  expect(problemsOf(source)).toBe("");
  expect(problemsOf(source.replace('"is_id_taken":', '"id_taken":'))).toContain('"id_taken"');
});

/** What the compiler says of a program. */
function problemsOf(source: string): string {
  const cwd = mkdtempSync(path.join(tmpdir(), "client-types-"));
  writeFileSync(path.join(cwd, "program.ts"), source);
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--allowImportingTsExtensions"];
  const platform = ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom", "--types", ""];
  const { stdout } = spawnSync(process.execPath, [TSC, ...options, ...platform, "program.ts"], {
    cwd,
    encoding: "utf8",
  });
  rmSync(cwd, { recursive: true });
  return stdout;
}

function fits(schema: object, value: unknown) {
  return ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')), value);
}

/** A client that tells of its requests, and is answered nothing useful. */
function clientThat(tells: (url: string, init: RequestInit) => unknown) {
  const fetch = async (url: RequestInfo | URL, init: RequestInit = {}) => {
    tells(String(url), init);
    return new Response("{}");
  };
  return new UserGroupsClient({ baseUrl: "https://groups.example.com", apiToken: "t", retries: 0, fetch });
}
