import { z } from "zod";
import { describeUnknownPlaceholders } from "@/lib/environments/embed";
import { answered } from "@/lib/json/answered";
import { visibleName } from "@/lib/json/visible-text";

/** First segments of our own paths, some reserved for later: an environment's pages are under its slug. */
export const RESERVED_SLUGS: readonly string[] = [
  "account",
  "admin",
  "api",
  "auth",
  "docs",
  "e",
  "healthz",
  "login",
  "metrics",
  "public",
  "readyz",
  "settings",
  "sign-in",
  "static",
  "welcome",
];

const MAX_TEMPLATE_BYTES = 16_384;
const SLUG = /^[a-z][a-z0-9-]{0,39}$/;

const slug = z
  .string("must be a string")
  .regex(SLUG, "must be 1 to 40 lower-case letters, digits and hyphens, starting with a letter")
  .refine((text) => !RESERVED_SLUGS.includes(text), "is reserved: choose another");

const name = visibleName(60);

export const environmentTag = z
  .enum(["Customer", "Testing"], "must be Customer or Testing")
  .meta({ "x-example": "Testing" });

const embedTemplate = z
  .string("must be a string or null")
  .refine((text) => new TextEncoder().encode(text).length <= MAX_TEMPLATE_BYTES, "must have at most 16 KiB")
  .superRefine((text, ctx) => {
    const message = describeUnknownPlaceholders(text);
    if (message) ctx.addIssue({ code: "custom", message });
  })
  .transform((text) => (text.trim() === "" ? null : text))
  .nullable();

/** An environment in the dashboard's menu. */
export interface OfferedEnvironment {
  slug: string;
  name: string;
  tag: z.infer<typeof environmentTag>;
  hasGroups: boolean;
}

/** The fields of a new environment. */
export const newEnvironment = z.strictObject({ slug, name, tag: environmentTag });
export type NewEnvironment = z.infer<typeof newEnvironment>;

/** A slug from a path; an invalid one becomes a slug that no environment has. */
export const environmentSlug = z.strictObject({ slug: z.string().regex(SLUG).catch("-") });

/** The changeable fields of an environment; an omitted field stays unchanged, and a blank template means none. */
export const environmentUpdate = environmentSlug.extend({
  name: name.optional(),
  embedTemplate: embedTemplate.optional(),
  tag: z.never("cannot change: API tokens start with it, and callers rely on api_environment_tag").optional(),
});
export type EnvironmentUpdate = z.infer<typeof environmentUpdate>;

/** An environment in the settings. */
const environmentDetails = z.strictObject({
  slug: z.string(),
  name: z.string(),
  tag: environmentTag,
  embedTemplate: z.string().nullable(),
  /** counted up to 10,000; inexact beyond */
  groups: z.strictObject({ count: z.number(), exact: z.boolean() }),
  /** number of valid tokens */
  apiTokens: z.number(),
  createdAt: z.iso.datetime(),
});
export type EnvironmentDetails = z.infer<typeof environmentDetails>;

/** All environments, oldest first. */
export const environmentList = answered({ environments: z.array(environmentDetails) });
export type EnvironmentList = z.infer<typeof environmentList>;

/** The answer to a creation or an update: the current environment. */
export const changedEnvironment = answered({ environment: environmentDetails });
