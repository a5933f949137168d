import { z } from "zod";
import { groupRequest } from "@/lib/groups/schema";
import { answered } from "@/lib/json/answered";
import { nested } from "@/lib/json/nested";
import { shortText } from "@/lib/json/visible-text";
import { CLAIM_PLACEHOLDER, isSecretSigned, MEMBER, SQL_PREFIX } from "@/lib/viewer-tokens/claims";
import { TEMPLATE_PRESETS } from "@/lib/viewer-tokens/presets";

/** Claims that the service sets in every token: no template can set them. */
const OWN_CLAIMS: readonly string[] = ["iat", "exp", "nbf", "jti", "team_id", "gen", "viewer_key"];
/** Further claims, which only templates signed with a renderer's secret can set, as the renderer decides the format. */
const FORM_CLAIMS: readonly string[] = [
  "iss",
  "sub",
  "aud",
  "viewer",
  "content",
  "variables",
  "mapping",
  "origins",
  "preview",
];

/** Newly reserved claims, which templates stored by an older release may still set. */
const OURS_SINCE = ["viewer_key", "content"];

/** The values that a template can insert, besides members of objects. */
const INSERTABLE = [
  "team_id",
  "user_group_id",
  "viewer",
  "environment",
  "variables",
  "viewer.name",
  "viewer.email",
  "viewer.properties",
  "content",
  "name",
  "issuer",
  "iat",
  "exp",
];

const MAX_LISTED = 200;
const MAX_ORIGINS = 20;
/** The longest host name, with a scheme, `*.` and a port. */
const MAX_ORIGIN = 270;
const MAX_TEMPLATES = 20;
const MAX_TEMPLATE_BYTES = 4_096;
const PREVIEW_PLACEHOLDER = "{{viewerToken}}";

const names = (what: string) =>
  z.array(shortText, `must be a list of ${what}`).max(MAX_LISTED, `must have at most ${MAX_LISTED} members`);

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
  if (JSON.stringify(given).length > MAX_TEMPLATE_BYTES) return refuse([], "must have at most 4 KiB");
  if (Object.hasOwn(given, "")) refuse([""], "is not a name for a claim");
  for (const [, inBraces = ""] of JSON.stringify(given).matchAll(CLAIM_PLACEHOLDER)) {
    const written = inBraces.trim();
    const name = written.replace(SQL_PREFIX, "");
    if (INSERTABLE.includes(name) || MEMBER.test(name)) continue;
    const known = `${INSERTABLE.join(", ")}, variables.NAME, viewer.properties.NAME, properties.NAME and mapping.ID`;
    refuse([], `has the unknown placeholder {{${written}}}: there are ${known}`);
  }
});

const audience = groupRequest.shape.user_group_id.nullable();

const LIFE = "must be a whole number of seconds, 60 to 86400";
/** The longest life of a viewer token, in seconds. */
export const MAX_LIFE = 86_400;
/** The life of a viewer token, in seconds. */
export const lifetime = z.int(LIFE).min(60, LIFE).max(MAX_LIFE, LIFE);

/** The least bytes of a secret: those of its hash (RFC 7518, 3.2). */
const SECRET_BYTES = { HS256: 32, HS384: 48, HS512: 64 };
const MAX_SECRET = 1_024;
const MAX_OVERLAP = 86_400;

const secret = z
  .string("must be a string")
  .max(MAX_SECRET, `must have at most ${MAX_SECRET} characters`)
  .regex(/^\S(?:.*\S)?$/s, "must not be empty, nor begin or end with white space");

const signing = z
  .strictObject(
    {
      algorithm: z
        .enum(["ES256", "HS256", "HS384", "HS512"], "must be ES256, HS256, HS384 or HS512")
        .describe("`ES256`: a key of the template's own, which its key set publishes. `HS…`: the renderer's secret."),
      secret: secret.optional().meta({
        description:
          "The renderer's secret, never returned. If omitted, the stored one stays; changing `claims` or the `HS…` " +
          "algorithm requires it. ES256 deletes it.",
        examples: ["…"],
      }),
      starts_in: z
        .int("must be a whole number of seconds")
        .min(0, "must be at least 0")
        .max(MAX_OVERLAP, `must be at most ${MAX_OVERLAP}`)
        .optional()
        .meta({ description: "Seconds until the new secret signs; until then the stored one does.", examples: [0] }),
    },
    'must be an object, such as {"algorithm":"ES256"}',
  )
  .superRefine(({ algorithm, secret: given, starts_in }, ctx) => {
    const refuse = (name: string, message: string) => ctx.addIssue({ code: "custom", path: [name], message });
    if (starts_in !== undefined && given === undefined) refuse("starts_in", "needs a new secret: send it too");
    if (given === undefined) return;
    if (algorithm === "ES256") return refuse("secret", "is not for ES256, which signs with the template's own key");
    const least = SECRET_BYTES[algorithm];
    if (new TextEncoder().encode(given).length >= least) return;
    const why = "Some renderers ship shorter defaults: set a longer one there too";
    refuse("secret", `must have at least ${least} bytes, as the hash of ${algorithm}. ${why}`);
  });

const TYP = "must be 1 to 64 letters, digits and . _ + / -, and not viewer+jwt";

const template = z
  .strictObject(
    {
      signing: signing.optional().describe("What signs its tokens; `ES256` by default."),
      typ: z
        .string("must be a string")
        .regex(/^(?!(?:application\/)?viewer\+jwt$)[\w.+/-]{1,64}$/i, TYP)
        .optional()
        .describe("The header `typ` of its tokens; `JWT` by default."),
      audience: audience
        .default(null)
        .describe("The claim `aud` of its tokens; null for the environment's, and with a secret for that in `claims`."),
      expires_in: lifetime.optional().describe("The life of its tokens in seconds; 900 by default."),
      claims: claims.describe(
        "Claims to add. A text that is one placeholder, such as `{{team_id}}`, becomes " +
          "the value with its type; " +
          "within a longer text it is inserted.",
      ),
    },
    'must be an object, such as {"claims":{}}',
  )
  .superRefine((given, ctx) => {
    const taken = isSecretSigned(given) ? OWN_CLAIMS : [...OWN_CLAIMS, ...FORM_CLAIMS];
    for (const name of Object.keys(given.claims).filter((one) => taken.includes(one))) {
      const message = "is a claim of every viewer token: choose another name";
      ctx.addIssue({ code: "custom", path: ["claims", name], message });
    }
  });
export type ClaimTemplate = z.infer<typeof template>;

/** Templates as they are stored and answered; a secret becomes `mask`, if given. */
export function withoutSecrets(templates: Record<string, ClaimTemplate>, mask?: string): Record<string, ClaimTemplate> {
  const entries = Object.entries(templates).map(([name, { signing: given, ...rest }]): [string, ClaimTemplate] => {
    if (!given) return [name, rest];
    const { algorithm, secret: hidden, starts_in } = given;
    const shown = mask === undefined || hidden === undefined ? { algorithm } : { algorithm, secret: mask, starts_in };
    return [name, { signing: shown, ...rest }];
  });
  return Object.fromEntries(entries);
}

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
    z.strictObject(
      { properties: names("names of properties").default([]), mapping: names("schema ids").default([]) },
      "must be an object with properties and mapping",
    ),
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

/** Stored settings, without the origins, which have their own column. */
export function settingsIn(text: string | null): Omit<ViewerSettings, "allowed_origins"> {
  const stored = text === null ? {} : JSON.parse(text);
  for (const one of Object.values<ClaimTemplate>(stored.templates ?? {})) {
    if (!isSecretSigned(one)) for (const name of OURS_SINCE) delete one.claims[name];
  }
  const { allowed_origins: _, ...settings } = viewerSettings.parse(stored);
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
      z.strictObject({
        signing: z.strictObject({ algorithm: z.enum(["ES256", "HS256", "HS384", "HS512"]) }).optional(),
        typ: z.string().optional(),
        audience: z.string().nullable(),
        expires_in: lifetime.optional(),
        claims: z.record(z.string(), z.json()),
      }),
    ),
  }),
});

/** An example of what pages may show. */
export const SHOWN_EXAMPLE = {
  visible: { properties: ["plan"], mapping: [] },
  allowed_origins: ["https://app.example.com"],
};
/** An example of the settings. */
export const SETTINGS_EXAMPLE = {
  settings: {
    ...SHOWN_EXAMPLE,
    audience: null,
    preview_url: "https://app.example.com/preview#token={{viewerToken}}",
    templates: { cube: TEMPLATE_PRESETS.cube.template },
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

/** The answer with a group's origins. */
export const groupOriginsAnswer = answered({
  allowed_origins: z.array(z.string()).nullable().describe("The group's own; null for the environment's."),
  effective_origins: z.array(z.string()).nullable().describe("Those that apply; null for anywhere."),
});
