import type { ZodOpenApiParameterObject, ZodOpenApiPathsObject } from "zod-openapi";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";
import { operation } from "@/lib/openapi/operation";
import { VIEWERS } from "@/lib/openapi/viewer";
import { publicKeySet } from "@/lib/viewer-tokens/key-schema";
import {
  endViewsRequest,
  mintedAnswer,
  mintRequest,
  revocationsAnswer,
  revocationsQuery,
  viewsEndedAnswer,
} from "@/lib/viewer-tokens/mint-schema";
import {
  groupOrigins,
  groupOriginsAnswer,
  groupOriginsQuery,
  TEMPLATE_PRESETS,
  viewerSettings,
  viewerSettingsAnswer,
} from "@/lib/viewer-tokens/settings-schema";

const ID = { user_group_id: "example_1" };
const SHOWN = { visible: { properties: ["plan"], mapping: [] }, allowed_origins: ["https://app.example.com"] };
const SETTINGS = {
  ...SHOWN,
  audience: null,
  preview_url: "https://app.example.com/preview#token={{viewerToken}}",
  templates: TEMPLATE_PRESETS,
};
const ORIGINS = ["https://customer.example.com"];
const KEY = {
  ...{ kty: "EC", crv: "P-256", alg: "ES256", use: "sig" },
  ...{ kid: "Lw0c…", x: "f83OJ3D2…", y: "x_FEzRu9…" },
};

const slug: ZodOpenApiParameterObject = {
  name: "slug",
  in: "path",
  required: true,
  description: "The environment's slug.",
  schema: { type: "string", examples: ["testing"] },
};
const template: ZodOpenApiParameterObject = {
  name: "template",
  in: "path",
  required: true,
  description: "The name of a claim template.",
  schema: { type: "string", examples: ["cube"] },
};

function keySet(operationId: string, summary: string, parameters: ZodOpenApiParameterObject[]) {
  return {
    get: {
      tags: [VIEWERS.name],
      ...{ operationId, summary, parameters },
      description:
        "A JSON Web Key Set (RFC 7517), without a credential. Keep it for `max-age`, and read it again when a token names a key that it lacks.",
      security: [],
      responses: {
        200: {
          description: "The public keys, the newest first.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": { schema: publicKeySet, examples: { keys: { value: { keys: [KEY] } } } },
          },
        },
        ...failures(
          ["not_found"],
          BODILESS.filter((code) => code !== "unauthorized" && code !== "forbidden"),
        ),
        default: otherFailure,
      },
    },
  } satisfies ZodOpenApiPathsObject[string];
}

/** The calls about viewer tokens, from the schemas of their routes. */
export const viewerTokenPaths: ZodOpenApiPathsObject = {
  "/api/viewer-tokens": {
    post: operation(VIEWERS, {
      operationId: "mintViewerToken",
      summary: "Mint a viewer token",
      description:
        "Returns a signed token of the group for one page view, which a renderer verifies with the environment's public keys or `POST /api/viewer`. Anyone with the page can read it: it contains only the properties that the environment lists as visible.",
      body: [mintRequest, { ...ID, viewer: "user_42" }],
      answered: "The viewer token.",
      answer: [mintedAnswer, { success: 1, viewer_token: "eyJ…", expires_at: "2026-11-26T08:15:00.000Z" }],
      errors: ["unknown_user_group", "unknown_token", "not_active"],
    }),
  },
  "/api/revocations": {
    get: operation(VIEWERS, {
      operationId: "listRevocations",
      summary: "List revoked viewer tokens",
      description:
        "For renderers that verify offline: the groups whose viewer tokens with a lower `gen` are revoked. Poll with `next_since`; a revocation can come more than once.",
      query: revocationsQuery,
      answered: "The revocations.",
      answer: [
        revocationsAnswer,
        { success: 1, revocations: [{ team_id: 3, gen: 2 }], next_since: "q7Zl3nQ8eyJ…", has_more: false },
      ],
    }),
  },
  "/api/user-groups/end-views": {
    post: operation(VIEWERS, {
      operationId: "endViews",
      summary: "End all views",
      description:
        "Revokes every viewer token of a group: `POST /api/viewer` refuses them immediately, offline verifiers when they poll the revocations or the tokens expire. The user group token stays.",
      body: [endViewsRequest, ID],
      answered: "The new generation.",
      answer: [viewsEndedAnswer, { success: 1, team_id: 3, gen: 2 }],
      errors: ["unknown_user_group"],
    }),
  },
  "/api/user-groups/allowed-origins": {
    get: operation(VIEWERS, {
      operationId: "getAllowedOrigins",
      summary: "Get a group's allowed origins",
      description: "Returns where the group's dashboards may be embedded.",
      query: groupOriginsQuery,
      answered: "The origins.",
      answer: [groupOriginsAnswer, { success: 1, allowed_origins: null, effective_origins: ORIGINS }],
      errors: ["unknown_user_group"],
    }),
    put: operation(VIEWERS, {
      operationId: "setAllowedOrigins",
      summary: "Set a group's allowed origins",
      description:
        "Sets where the group's dashboards may be embedded, in place of the environment's origins. Renderers enforce it: new viewer tokens have the claim `origins`, and `POST /api/viewer` answers `allowed_origins`.",
      body: [groupOrigins, { ...ID, allowed_origins: ORIGINS }],
      answered: "The origins.",
      answer: [groupOriginsAnswer, { success: 1, allowed_origins: ORIGINS, effective_origins: ORIGINS }],
      errors: ["unknown_user_group"],
    }),
  },
  "/api/viewer-settings": {
    get: operation(VIEWERS, {
      operationId: "getViewerSettings",
      summary: "Get the viewer settings",
      description: "Returns what the environment's viewer tokens contain.",
      answered: "The settings.",
      answer: [viewerSettingsAnswer, { success: 1, settings: SETTINGS }],
    }),
    put: operation(VIEWERS, {
      operationId: "setViewerSettings",
      summary: "Set the viewer settings",
      description:
        "Replaces the settings whole: what is omitted is reset. They apply to new viewer tokens, and `allowed_origins` to `POST /api/viewer` too.",
      body: [viewerSettings, SHOWN],
      answered: "The settings.",
      answer: [viewerSettingsAnswer, { success: 1, settings: SETTINGS }],
    }),
  },
  "/e/{slug}/.well-known/jwks.json": keySet("getViewerKeys", "Get the public keys", [slug]),
  "/e/{slug}/{template}/.well-known/jwks.json": keySet("getTemplateKeys", "Get a template's public keys", [
    slug,
    template,
  ]),
};
