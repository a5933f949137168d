import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import type { oas31 } from "zod-openapi";
import { ERRORS } from "@/lib/errors";
import { callsIn } from "@/lib/openapi/calls";
import { describeApi, describedFiles } from "@/lib/openapi/document";
import { apiModules } from "../../e2e/fixtures/declared-routes";

const api = describeApi(apiModules);

describe("the committed files match the schemas", () => {
  test.each(describedFiles(apiModules))("$path", ({ path, text }) => {
    const isSame = readFileSync(path, "utf8") === text;
    expect(isSame, `${path} is out of date: run \`npm run openapi\`, look at what changed, and commit it`).toBe(true);
  });
});

test("the description is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(api)));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test("Redocly's recommended rules find no problem", () => {
  const redocly = path.resolve("node_modules/@redocly/cli/bin/cli.js");
  const args = ["lint", "docs/openapi.json", "--extends=recommended-strict", "--format=json"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const { stdout } = spawnSync(process.execPath, [redocly, ...args], { encoding: "utf8", env });
  const { problems } = JSON.parse(stdout);
  expect(problems.map(({ ruleId, message, location }: Problem) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

interface Problem {
  ruleId: string;
  message: string;
  location: { pointer: string }[];
}

test("no GET has a body, and no parameter has content, which generators misread", () => {
  const operations = Object.values(api.paths ?? {}).flatMap((item) =>
    Object.entries(item as Record<string, Operation>),
  );
  const odd = operations.filter(
    ([method, { requestBody, parameters = [] }]) =>
      (method === "get" && requestBody) || parameters.some((parameter) => "content" in parameter),
  );
  expect(operations.length).toBeGreaterThan(10);
  expect(odd.map(([, { operationId }]) => operationId)).toEqual([]);
});

type Operation = oas31.OperationObject;

test("every call of API tokens is described", () => {
  const calls = Object.entries(apiModules).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ call: `${method} ${path}`, ...endpoint })),
  );
  const ofTokens = calls.filter(({ callers }) => callers.kind === "scoped");
  const described = callsIn(api).map(({ operation }) => operation.operationId);
  const isDescribed = ({ declared: { operationId, summary, description, answered } }: (typeof calls)[0]) =>
    described.includes(operationId) && summary && description && answered;
  expect(ofTokens.length).toBeGreaterThan(50);
  expect(ofTokens.filter((one) => !isDescribed(one)).map(({ call }) => call)).toEqual([]);
});

test("every reference resolves", () => {
  const references = [...JSON.stringify(api).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = ""]) => path);
  const lost = references.filter((path) => !at(path.split("/")));
  expect(references.length).toBeGreaterThan(10);
  expect(lost).toEqual([]);
});

test("every example matches its schema", () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  ajv.addSchema(api, "api");
  const examples = [...mediaTypes(api)].flatMap(({ schema, examples = {} }) =>
    Object.values(examples).map((example) => ({ schema, value: "value" in example ? example.value : undefined })),
  );
  expect(examples.length).toBeGreaterThan(10);
  for (const { schema, value } of examples) {
    const isFit = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    expect(isFit(value), `${JSON.stringify(value)}: ${ajv.errorsText(isFit.errors)}`).toBe(true);
  }
});

test("docs/api.md lists the codes, statuses and texts of lib/errors.ts", () => {
  const rows = [...readFileSync("docs/api.md", "utf8").matchAll(/^- (\d{3}) `(\w+)`: (.*)$/gm)];
  const listed = rows.map(([, status, code = "", when]) => [code, { status: Number(status), when }]);
  expect(Object.fromEntries(listed)).toEqual(ERRORS);
});

function at(steps: string[]): unknown {
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], api);
}

function* mediaTypes(value: unknown): Generator<oas31.MediaTypeObject> {
  if (typeof value !== "object" || value === null) return;
  if ("application/json" in value) yield value["application/json"] as oas31.MediaTypeObject;
  for (const member of Object.values(value)) yield* mediaTypes(member);
}
