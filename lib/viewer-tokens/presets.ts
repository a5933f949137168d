import type { ClaimTemplate } from "@/lib/viewer-tokens/settings-schema";

/** A template to start from, for a renderer. */
export interface TemplatePreset {
  label: string;
  template: ClaimTemplate;
  /** where the renderer has its secret, in words */
  secretPlace?: string;
  /** the renderer's configuration, or the code of a page, with `{{issuer}}`, `{{audience}}` and `{{template}}` */
  snippet: string;
}

/** Claims, algorithms and audiences as each renderer's own source verifies them (e2e/api/renderers.spec.ts). */
export const TEMPLATE_PRESETS = {
  cube: {
    label: "Cube",
    template: {
      audience: null,
      claims: { cube: { team_id: "{{team_id}}", user_group_id: "{{user_group_id}}", variables: "{{variables}}" } },
    },
    snippet: `CUBEJS_JWK_URL={{issuer}}/{{template}}/.well-known/jwks.json
CUBEJS_JWT_ISSUER={{issuer}}
CUBEJS_JWT_AUDIENCE={{audience}}
CUBEJS_JWT_ALGS=ES256`,
  },
  metabase: {
    label: "Metabase",
    template: {
      signing: { algorithm: "HS256" },
      audience: null,
      claims: { resource: { dashboard: 1 }, params: { customer: "{{user_group_id}}" } },
    },
    secretPlace: "In the admin settings, under Embedding: the secret key for guest embeds.",
    snippet: '<iframe src="https://metabase.example.com/embed/dashboard/TOKEN"></iframe>',
  },
  "metabase-sign-on": {
    label: "Metabase sign-on",
    template: {
      signing: { algorithm: "HS256" },
      audience: null,
      // Metabase refuses older tokens.
      expires_in: 180,
      claims: { email: "{{viewer.email}}", groups: ["{{user_group_id}}"], "@tenant": "{{user_group_id}}" },
    },
    secretPlace: "In the admin settings, under Authentication, JWT: the signing key.",
    snippet: "https://metabase.example.com/auth/sso?jwt=TOKEN&return_to=/dashboard/1",
  },
  superset: {
    label: "Superset",
    template: {
      signing: { algorithm: "HS256" },
      audience: "superset",
      expires_in: 300,
      claims: {
        type: "guest",
        user: { username: "{{user_group_id}}" },
        resources: [{ type: "dashboard", id: "EMBED_ID" }],
        rls_rules: [{ clause: "customer_id = {{sql user_group_id}}" }],
      },
    },
    secretPlace: "In superset_config.py: GUEST_TOKEN_JWT_SECRET.",
    snippet: `FEATURE_FLAGS = {"EMBEDDED_SUPERSET": True}
GUEST_TOKEN_JWT_AUDIENCE = "superset"
GUEST_TOKEN_JWT_ALGO = "HS256"`,
  },
  lightdash: {
    label: "Lightdash",
    template: {
      signing: { algorithm: "HS256" },
      audience: null,
      claims: {
        content: { type: "dashboard", dashboardUuid: "DASHBOARD_UUID" },
        user: { externalId: "{{user_group_id}}" },
        userAttributes: { customer: "{{user_group_id}}" },
      },
    },
    secretPlace: "In the project settings, under Embed configuration: the secret.",
    snippet: '<iframe src="https://lightdash.example.com/embed/PROJECT_UUID#TOKEN"></iframe>',
  },
  grafana: {
    label: "Grafana",
    template: {
      audience: "grafana",
      claims: { login: "{{user_group_id}}", name: "{{name}}", groups: ["{{user_group_id}}"] },
    },
    snippet: `[auth.jwt]
enabled = true
url_login = true
header_name = X-JWT-Assertion
jwk_set_url = {{issuer}}/{{template}}/.well-known/jwks.json
cache_ttl = 5m
expect_claims = {"iss": "{{issuer}}", "aud": "grafana"}
username_claim = login
auto_sign_up = true

[security]
allow_embedding = true`,
  },
  explo: {
    label: "Explo-style",
    template: {
      signing: { algorithm: "HS256" },
      audience: null,
      claims: { cst: "{{user_group_id}}", dsh: "EMBED_ID" },
    },
    secretPlace: "The one that your renderer shares with your backend.",
    snippet: '<my-dashboard dash-jwt="TOKEN"></my-dashboard>',
  },
} satisfies Record<string, TemplatePreset>;
