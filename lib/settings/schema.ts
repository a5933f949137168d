import { z } from "zod";
import { definitions, definitionsAnswer } from "@/lib/definitions/schema";
import { environmentUpdate } from "@/lib/environments/schema";
import { answered } from "@/lib/json/answered";
import { readStoredMembers } from "@/lib/json/json";
import { nested } from "@/lib/json/nested";
import { RawJson } from "@/lib/json/raw-json";
import { SHOWN_EXAMPLE, viewerSettings, viewerSettingsAnswer } from "@/lib/viewer-tokens/settings-schema";
import { MAX_WEBHOOKS } from "@/lib/webhooks/facts";
import { newWebhook, WEBHOOK_EXAMPLE } from "@/lib/webhooks/schema";

/** The parts of the document, in its order. */
export const SETTINGS_PARTS = [
  "definitions",
  "viewer_tokens",
  "templates",
  "allowed_origins",
  "embed_template",
  "webhooks",
] as const;
export type SettingsPart = (typeof SETTINGS_PARTS)[number];

const { templates, allowed_origins, ...shownIn } = viewerSettings.shape;

const webhook = newWebhook.extend({
  enabled: z.boolean("must be true or false").default(true).describe("Whether events are sent to it."),
});
export type WantedWebhook = z.output<typeof webhook>;

/** The settings of an environment as one document: an omitted part stays as it is, a given part is replaced whole. */
export const settingsDocument = z.strictObject({
  definitions: z
    .preprocess((value, ctx) => {
      if (value instanceof RawJson && value.kind === "object") return readStoredMembers(value.text);
      ctx.addIssue("must be a JSON object");
      return z.NEVER;
    }, definitions)
    .optional()
    .describe("As `PUT /api/definitions` takes them."),
  viewer_tokens: nested(z.strictObject(shownIn, "must be an object with visible, audience and preview_url"))
    .optional()
    .describe("What viewer tokens contain, as `PUT /api/viewer-settings` takes it."),
  templates: templates.unwrap().optional().describe("Claim templates by name."),
  allowed_origins: allowed_origins.unwrap().optional().describe("Where dashboards may be embedded; null for anywhere."),
  embed_template: environmentUpdate.shape.embedTemplate.describe(
    "The code that people copy to embed a dashboard; null for none.",
  ),
  webhooks: nested(
    z.array(webhook, "must be a list of webhooks").max(MAX_WEBHOOKS, `must have at most ${MAX_WEBHOOKS} webhooks`),
  )
    .optional()
    .describe(
      "All webhooks: one that is not listed is deleted. A webhook is known by its address; without a query " +
        "it keeps the query it has.",
    ),
});
export type SettingsDocument = z.output<typeof settingsDocument>;

/** The query of a change. */
export const settingsParameters = z.strictObject({
  dry_run: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .meta({ description: "`true` returns the differences and changes nothing.", examples: ["true"] }),
});

const { settings } = viewerSettingsAnswer.shape;

/** The answer with an environment's settings. */
export const settingsAnswer = answered({
  settings: z.strictObject({
    definitions: definitionsAnswer.shape.definitions.meta({ "x-example": { enforcement: "report" } }),
    viewer_tokens: settings
      .pick({ visible: true, audience: true, preview_url: true })
      .meta({ "x-example": { visible: SHOWN_EXAMPLE.visible } }),
    templates: settings.shape.templates,
    allowed_origins: settings.shape.allowed_origins.meta({ "x-example": SHOWN_EXAMPLE.allowed_origins }),
    embed_template: z.string().nullable(),
    webhooks: z.array(
      z.strictObject({
        url: z
          .string()
          .meta({ description: "Without its query, which may hold a secret.", "x-example": WEBHOOK_EXAMPLE.url }),
        description: z.string().meta({ "x-example": WEBHOOK_EXAMPLE.description }),
        types: z.array(z.string()).nullable().meta({ "x-example": WEBHOOK_EXAMPLE.types }),
        enabled: z.boolean(),
      }),
    ),
  }),
});

/** The answer to a change. */
export const appliedSettingsAnswer = answered({
  changes: z
    .array(
      z.strictObject({
        path: z.array(z.string()).meta({ examples: [["definitions", "enforcement"]] }),
        before: z.json().optional(),
        after: z.json().optional(),
      }),
    )
    .describe("Each member that differs: without `before` it is added, without `after` it is removed."),
  webhooks: z
    .array(
      z.strictObject({
        id: z.int().meta({ examples: [1] }),
        url: z.string(),
        secret: z.string().meta({ description: "Shown only once.", examples: ["whsec_…"] }),
      }),
    )
    .describe("The new webhooks with their secrets."),
});
export type AppliedSettingsAnswer = z.infer<typeof appliedSettingsAnswer>;
