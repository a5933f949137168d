import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { rawJson, writeJson } from "@/lib/json/raw-json";
import { openKey, signClaims } from "@/lib/viewer-tokens/key";
import { lengthOfToken, previewClaims } from "@/lib/viewer-tokens/preview";

const PREVIEWED: Parameters<typeof previewClaims>[0] = {
  group: {
    teamId: 7,
    providedId: "zürich-1",
    name: "Zürich",
    mapping: '{"40":"213","41":"1"}',
    accessEndsAt: null,
    properties: '{"plan":"pro","seats":{"most":1.50},"secret":"s3cret"}',
  },
  origins: null,
  settings: {
    visible: { properties: ["seats", "region"], mapping: ["40"] },
    audience: null,
    preview_url: null,
    allowed_origins: ["https://app.example.com"],
    templates: {
      cube: { audience: "cube", claims: { cube: { id: "{{team_id}}", plan: "{{variables.plan}}" } } },
      region: { audience: null, claims: { region: "{{variables.country}}" } },
      person: { audience: null, claims: { email: "{{viewer.email}}" } },
    },
  },
  definitions: {
    properties: {
      plan: { type: "string", viewer_visible: true },
      region: { type: "string", default: rawJson('"eu"') },
    },
    schemas: {},
    data_sources: {},
    enforcement: "report",
  } as never,
  template: undefined,
  issuer: "https://groups.example.com/e/production",
  environment: "production",
  now: 5_999,
};

test("a preview has what is listed or visible by a rule, in its exact form and with defaults, and nothing else", () => {
  const text = writeJson(previewClaims(PREVIEWED));
  expect(text).toContain('"seats":{"most":1.50}');
  const claims = JSON.parse(text);
  expect(claims).toMatchObject({
    iss: PREVIEWED.issuer,
    aud: PREVIEWED.issuer,
    sub: "zürich-1",
    team_id: 7,
    iat: 5,
    exp: 905,
    mapping: { 40: "213" },
    origins: ["https://app.example.com"],
  });
  expect(claims.variables).toEqual({ plan: "pro", seats: { most: 1.5 }, region: "eu" });
});

test("with enforcement off a definition makes nothing visible, and sets no default", () => {
  const definitions = { ...PREVIEWED.definitions, enforcement: "off" as const };
  const { variables } = JSON.parse(writeJson(previewClaims({ ...PREVIEWED, definitions })));
  expect(variables).toEqual({ seats: { most: 1.5 } });
});

test("a template adds its claims and its audience, and one that lacks a value says which", () => {
  const claims = previewClaims({ ...PREVIEWED, template: "cube" });
  expect(claims).toMatchObject({ aud: "cube", cube: { id: 7, plan: "pro" } });
  expect(() => previewClaims({ ...PREVIEWED, template: "region" })).toThrow(/variables.country is missing/);
});

test("the person of a preview has an email where a template inserts it", () => {
  expect(previewClaims(PREVIEWED)).toMatchObject({ viewer: "user_42" });
  const text = writeJson(previewClaims({ ...PREVIEWED, template: "person" }));
  expect(JSON.parse(text)).toMatchObject({ email: "ada@example.com", viewer: { id: "user_42" } });
});

test("a preview ends with the group's access", () => {
  const group = { ...PREVIEWED.group, accessEndsAt: "1970-01-01T00:01:40.900Z" };
  expect(previewClaims({ ...PREVIEWED, group })).toMatchObject({ exp: 100 });
});

test.each([undefined, "cube"])("the length is that of a signed token (template %s)", (template) => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const stored = { kid: "k".repeat(43), private_sealed: Buffer.of(), public_jwk: "{}", signs_from: 0 };
  const key = openKey(1, { ...stored, template: template ?? null });
  const claims = previewClaims({ ...PREVIEWED, template });
  const token = signClaims({ ...key, privateKey: () => privateKey }, writeJson(claims));
  expect(lengthOfToken(claims, PREVIEWED.settings.templates[template ?? ""])).toBe(token.length);
});
