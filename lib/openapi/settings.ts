import type { ZodOpenApiPathsObject } from "zod-openapi";
import { operation } from "@/lib/openapi/operation";
import { appliedSettingsAnswer, settingsAnswer, settingsDocument, settingsParameters } from "@/lib/settings/schema";

/** The tag of settings. */
export const SETTINGS = { name: "Settings", description: "Keep an environment's settings in a file." };

const ETAG = '"s-9f86d081884c7d659a2feaa0c55ad015"';
const ORIGINS = ["https://app.example.com"];
const WEBHOOK = { url: "https://example.com/hooks/user-groups", description: "billing", types: ["user_group.*"] };
const ANSWERED = {
  definitions: {
    ...{ properties: {}, unknown_properties: "allow", schemas: {}, data_sources: {} },
    ...{ enforcement: "report", creations: "report" },
  },
  viewer_tokens: { visible: { properties: ["plan"], mapping: [] }, audience: null, preview_url: null },
  ...{ templates: {}, allowed_origins: ORIGINS, embed_template: null, webhooks: [{ ...WEBHOOK, enabled: true }] },
};
const APPLIED = {
  success: 1,
  changes: [
    { path: ["allowed_origins"], before: null, after: ORIGINS },
    {
      path: ["webhooks", WEBHOOK.url],
      after: { description: "billing", types: ["user_group.*"], enabled: true },
    },
  ],
  webhooks: [{ id: 1, url: WEBHOOK.url, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" }],
};

/** The calls about an environment's settings as one document. */
export const settingsPaths: ZodOpenApiPathsObject = {
  "/api/settings": {
    get: operation(SETTINGS, {
      operationId: "getSettings",
      summary: "Export the settings",
      description:
        "Returns the environment's definitions, embed settings and webhooks as one document, without secrets. API tokens and members are not in it.",
      answered: "The settings.",
      answer: [settingsAnswer, { success: 1, settings: ANSWERED }],
      etag: ETAG,
    }),
    put: operation(SETTINGS, {
      operationId: "applySettings",
      summary: "Apply settings",
      description:
        "Makes the settings those of a document, in a body of up to 512 KiB: all of it, or nothing. A part that is omitted stays as it is; any other is replaced whole. Secrets are kept, and those of new webhooks are in the answer, which shows them only once.",
      body: [settingsDocument, { allowed_origins: ORIGINS, webhooks: [WEBHOOK] }],
      query: settingsParameters,
      answered: "The differences, and the new webhooks.",
      answer: [appliedSettingsAnswer, APPLIED],
      errors: ["conflict"],
      etag: ETAG,
    }),
  },
};
