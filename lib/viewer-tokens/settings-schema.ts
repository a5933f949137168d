import { z } from "zod";
import { groupRequest } from "@/lib/groups/schema";
import { answered } from "@/lib/json/answered";
import { nested } from "@/lib/json/nested";
import { CLAIM_PLACEHOLDER } from "@/lib/viewer-tokens/claims";

/** Claims of every viewer token: no template can set them. */
const OWN_CLAIMS: readonly string[] = [
  ...["iss", "sub", "aud", "iat", "exp", "nbf", "jti", "team_id", "gen"],
  ...["viewer", "viewer_key", "content", "variables", "mapping", "origins", "preview"],
];

/** What a template can insert, besides `variables.NAME` and `viewer.properties.NAME`. */
const INSERTABLE = [
  ...["team_id", "user_group_id", "viewer", "environment", "variables"],
  ...["viewer.name", "viewer.email", "viewer.properties", "content"],
];

const MAX_LISTED = 200;
const MAX_ORIGINS = 20;
/** The longest host name, with a scheme, `*.` and a port. */
const MAX_ORIGIN = 270;
const MAX_TEMPLATES = 10;
const MAX_TEMPLATE_BYTES = 4_096;
const PREVIEW_PLACEHOLDER = "{{viewerToken}}";

const memberName = z
  .string("must be a string")
  .min(1, "must not be empty")
  .max(255, "must have at most 255 characters");
const names = (what: string) =>
  z.array(memberName, `must be a list of ${what}`).max(MAX_LISTED, `must have at most ${MAX_LISTED} members`);

/** A page's origin, as `frame-ancestors` takes it: a scheme, a host that may begin with `*.`, and a port. */
const ORIGIN =
  /^https?:\/\/(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::\d{1,5})?$/;
const origins = z
  .array(
    z
      .string("must be a string")
      .max(MAX_ORIGIN, `must have at most ${MAX_ORIGIN} characters`)
      .regex(ORIGIN, "must be an origin in lower case, such as https://app.example.com or https://*.example.com"),
    "must be a list of origins or null",
  )
  .max(MAX_ORIGINS, `must have at most ${MAX_ORIGINS} origins`);

/** Where dashboards may be embedded; null sets no limit here. */
const allowedOrigins = nested(origins.nullable());

const TEMPLATE_NAME = "must be 1 to 40 lower-case letters, digits and hyphens, starting with a letter";
/** The name of a claim template. */
export const templateName = z.string("must be a string").regex(/^[a-z][a-z0-9-]{0,39}$/, TEMPLATE_NAME);

const claims = z.record(z.string(), z.json(), "must be an object of claims").superRefine((given, ctx) => {
  const refuse = (path: PropertyKey[], message: string) => ctx.addIssue({ code: "custom", path, message });
  if (JSON.stringify(given).length > MAX_TEMPLATE_BYTES) refuse([], "must have at most 4 KiB");
  for (const name of Object.keys(given)) {
    if (OWN_CLAIMS.includes(name)) refuse([name], "is a claim of every viewer token: choose another name");
    if (name === "") refuse([name], "is not a name for a claim");
  }
  for (const [, name = ""] of JSON.stringify(given).matchAll(CLAIM_PLACEHOLDER)) {
    if (INSERTABLE.includes(name) || /^(?:variables|viewer\.properties)\../.test(name)) continue;
    const known = [...INSERTABLE, "variables.NAME"].join(", ");
    refuse([], `has the unknown placeholder {{${name}}}: there are ${known} and viewer.properties.NAME`);
  }
});

const audience = groupRequest.shape.user_group_id.nullable();

const template = z.strictObject({
  audience: audience.default(null).describe("The claim `aud` of its tokens; null for the environment's."),
  claims: claims.describe(
    "Claims to add. A text that is one placeholder, such as `{{team_id}}`, becomes " +
      "the value with its type; " +
      "within a longer text it is inserted.",
  ),
});
export type ClaimTemplate = z.infer<typeof template>;

/** Ready-made claim templates. */
export const TEMPLATE_PRESETS = {
  /** for Cube with CUBEJS_JWT_CLAIMS_NAMESPACE=cube: becomes its security context */
  cube: {
    audience: null,
    claims: { cube: { team_id: "{{team_id}}", user_group_id: "{{user_group_id}}", variables: "{{variables}}" } },
  },
} satisfies Record<string, ClaimTemplate>;

const previewUrl = z
  .string("must be a string or null")
  .max(2_048, "must have at most 2048 characters")
  .refine(
    (text) => URL.canParse(text) && ["https:", "http:"].includes(new URL(text).protocol),
    "must be an http or https URL",
  )
  .refine((text) => {
    const parts = text.split(PREVIEW_PLACEHOLDER);
    return parts.length === 2 && parts[0]?.includes("#");
  }, "must contain {{viewerToken}} once, after a #: what follows it is never sent to a server")
  .nullable();

/** An environment's settings for viewer tokens; an omitted one is reset to its default. */
export const viewerSettings = z.strictObject({
  visible: nested(
    z.strictObject({
      properties: names("names of properties").default([]),
      mapping: names("schema ids").default([]),
    }),
  )
    .default({ properties: [], mapping: [] })
    .describe(
      "The properties and schema ids that viewer tokens contain, as `variables` and `mapping`. Anyone with " +
        "the page can read them.",
    ),
  audience: audience.default(null).describe("The claim `aud`; null for the issuer."),
  preview_url: previewUrl.default(null).meta({
    description: "The page that View as opens, with `{{viewerToken}}` in its fragment; null for none.",
    examples: ["https://app.example.com/preview#token={{viewerToken}}"],
  }),
  allowed_origins: allowedOrigins.default(null).meta({
    description: "Where dashboards may be embedded, for the renderer to enforce; null for anywhere.",
    examples: [["https://app.example.com"]],
  }),
  templates: nested(
    z
      .record(templateName, template, {
        error: ({ code }) =>
          code === "invalid_key"
            ? `is not a name for a template: it ${TEMPLATE_NAME}`
            : "must be an object of templates",
      })
      .refine((all) => Object.keys(all).length <= MAX_TEMPLATES, `must have at most ${MAX_TEMPLATES} templates`),
  )
    .default({})
    .describe("Claim templates by name."),
});
export type ViewerSettings = z.infer<typeof viewerSettings>;

/** Stored settings, without the origins, which have a column of their own. */
export function settingsIn(text: string | null): Omit<ViewerSettings, "allowed_origins"> {
  const { allowed_origins: _, ...settings } = viewerSettings.parse(text === null ? {} : JSON.parse(text));
  return settings;
}

/** The answer with an environment's settings. */
export const viewerSettingsAnswer = answered({
  settings: z.strictObject({
    visible: z.strictObject({ properties: z.array(z.string()), mapping: z.array(z.string()) }),
    audience: z.string().nullable(),
    preview_url: z.string().nullable(),
    allowed_origins: z.array(z.string()).nullable(),
    templates: z.record(
      z.string(),
      z.strictObject({ audience: z.string().nullable(), claims: z.record(z.string(), z.json()) }),
    ),
  }),
});

/** An example of what pages may show. */
export const SHOWN_EXAMPLE = {
  ...{ visible: { properties: ["plan"], mapping: [] }, allowed_origins: ["https://app.example.com"] },
};
/** An example of the settings. */
export const SETTINGS_EXAMPLE = {
  settings: {
    ...{ ...SHOWN_EXAMPLE, audience: null },
    preview_url: "https://app.example.com/preview#token={{viewerToken}}",
    templates: TEMPLATE_PRESETS,
  },
};

/** The body that sets a group's origins. */
export const groupOrigins = z.strictObject({
  user_group_id: groupRequest.shape.user_group_id,
  allowed_origins: allowedOrigins.meta({
    description: "Where this group's dashboards may be embedded; null for the environment's `allowed_origins`.",
    examples: [["https://customer.example.com"]],
  }),
});

/** The query of a group's origins. */
export const groupOriginsQuery = z.strictObject({ user_group_id: groupRequest.shape.user_group_id });

/** The answer with a group's origins. */
export const groupOriginsAnswer = answered({
  allowed_origins: z.array(z.string()).nullable().describe("The group's own; null for the environment's."),
  effective_origins: z.array(z.string()).nullable().describe("Those that apply; null for anywhere."),
});
