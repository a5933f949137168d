import { randomBytes } from "node:crypto";
import jwt from "jsonwebtoken";
import { PRESETS } from "@/lib/authority/scopes";
import { TEMPLATE_PRESETS } from "@/lib/viewer-tokens/presets";
import type { ClaimTemplate } from "@/lib/viewer-tokens/settings-schema";
import { createEnvironment } from "../fixtures/admin-client";
import { call, createGroup, expect, expectError } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { RENDERERS, type Renderer, type RendererSetup } from "../fixtures/renderers";
import { claimsOf, test } from "../fixtures/viewer-place";

/** The renderer's template, with this secret if a secret signs, and without the given claim. */
function templateOf({ preset, withSecret }: Renderer, secret: string, without?: string): ClaimTemplate {
  const { template }: { template: ClaimTemplate } = TEMPLATE_PRESETS[preset];
  const signing = template.signing ?? (withSecret && { algorithm: "HS256" as const });
  return {
    ...template,
    ...(signing && { signing: { ...signing, secret } }),
    audience: without === "aud" ? null : template.audience,
    claims: Object.fromEntries(Object.entries(template.claims).filter(([name]) => name !== without)),
  };
}

/** The claims that each preset must pass to its renderer, for a group. */
const CARRIED: Record<Renderer["preset"], (id: string) => Record<string, unknown>> = {
  cube: (id) => ({ cube: { user_group_id: id, variables: { plan: "pro" } } }),
  metabase: (id) => ({ resource: { dashboard: 1 }, params: { customer: id } }),
  "metabase-sign-on": (id) => ({ email: "ada@example.com", groups: [id], "@tenant": id }),
  superset: (id) => ({
    user: { username: id },
    resources: [{ type: "dashboard", id: "EMBED_ID" }],
    rls_rules: [{ clause: `customer_id = '${id.replaceAll("'", "''")}'` }],
  }),
  lightdash: (id) => ({ userAttributes: { customer: id }, user: { externalId: id } }),
  grafana: (id) => ({ sub: id, login: id, name: "Acme" }),
  explo: (id) => ({ cst: id }),
};

for (const renderer of RENDERERS) {
  const { preset, withSecret, source, required, missing, verify } = renderer;
  const name = `${TEMPLATE_PRESETS[preset].label}${withSecret ? " with a secret" : ""}`;
  test(`${name} accepts tokens of its preset and refuses all others (${source})`, async ({
    place,
    database,
    stage,
  }) => {
    test.skip(Boolean(missing), `${missing} is not installed`);
    const [secret, otherSecret] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
    const visible = { properties: ["plan"] };
    const id = `o'neil ${randomBytes(4).toString("hex")}`;
    const fields = { user_group_id: id, name: "Acme", properties: { plan: "pro" } };
    const body = { user_group_id: id, viewer: { id: "ada", email: "ada@example.com" }, template: preset };
    const setup = (now = Date.now()): RendererSetup => ({
      issuer: place.issuer,
      secret,
      now,
      jwksUrl: `${place.issuer}/${preset}/.well-known/jwks.json`,
    });
    await place.set({ visible, templates: { [preset]: templateOf(renderer, secret) } });
    await place.group(fields);
    const token = await place.mint(body);
    expect(await verify(token, setup())).toMatchObject(CARRIED[preset](id));

    const { exp } = claimsOf(token);
    await expect(verify(token, setup((exp + 61) * 1_000))).rejects.toThrow(/exp|timestamp/i);

    const slug = await createEnvironment(database);
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    const foreign = await insertApiToken(settings, { environment: slug, scopes: PRESETS.full });
    const templates = { [preset]: templateOf(renderer, otherSecret) };
    await call("PUT", "/api/viewer-settings", { token: foreign, body: { visible, templates } });
    await createGroup(fields, { token: foreign });
    const elsewhere = await call("POST", "/api/viewer-tokens", { token: foreign, body });
    await expect(verify(elsewhere.json.viewer_token, setup())).rejects.toThrow();

    const plain = await place.mint({ user_group_id: id });
    for (const forged of [plain, jwt.sign(claimsOf(token), otherSecret)]) {
      await expect(verify(forged, setup())).rejects.toThrow();
    }

    for (const claim of required) {
      await place.set({ visible, templates: { [preset]: templateOf(renderer, secret, claim) } });
      await expect(verify(await place.mint(body), setup()), claim).rejects.toThrow(/claim|AssertionError/);
    }
    await place.send("POST", "/api/user-groups/suspend", { user_group_id: id });
    expectError(await place.send("POST", "/api/viewer-tokens", body), 409, "not_active");
  });
}
