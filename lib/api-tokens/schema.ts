import { z } from "zod";
import { PRESETS, type Preset, SCOPES } from "@/lib/db/scopes";
import { nested } from "@/lib/json/nested";
import { BLANK, isVisible } from "@/lib/json/visible-text";

const scopes = nested(
  z
    .array(z.enum(SCOPES, `must be one of ${SCOPES.join(", ")}`), "must be a list of scopes")
    .min(1, "must have at least one scope")
    .transform((given) => SCOPES.filter((scope) => given.includes(scope))),
);

/** Networks in CIDR notation, as in 203.0.113.0/24 or 2001:db8::/32. */
const networks = nested(
  z
    .array(z.union([z.cidrv4(), z.cidrv6()], "must be a network, as in 203.0.113.0/24"), "must be a list of networks")
    .max(50, "must have at most 50 networks"),
);

/** The fields of a new API token; `expiresAt` is an ISO date and time with offset, or null for never. */
export const newApiToken = z.strictObject({
  name: z
    .string("must be a string")
    .trim()
    .max(255, "must have at most 255 characters")
    .refine((text) => !/[\p{Cc}\p{Bidi_Control}]/u.test(text), "must not contain control characters")
    .refine(isVisible, BLANK),
  scopes,
  allowedNetworks: networks.default([]),
  expiresAt: z.iso
    .datetime({ offset: true, error: "must be an ISO date and time, as in 2027-01-31T12:00:00Z, or null" })
    .transform((text) => new Date(text))
    .nullable(),
});
export type NewApiToken = z.infer<typeof newApiToken>;

/** The dashboard's form, which chooses a preset. */
export const apiTokenForm = newApiToken
  .pick({ name: true, expiresAt: true })
  .extend({ preset: z.enum(Object.keys(PRESETS) as [Preset, ...Preset[]]) });
export type ApiTokenFields = z.infer<typeof apiTokenForm>;
export type NewApiTokenInput = Pick<NewApiToken, "name" | "expiresAt"> & { scopes: readonly string[] };

/** An API token's id from a path; an invalid one becomes an id that no token has. */
export const apiTokenId = z.strictObject({
  id: z
    .string()
    .regex(/^\d{1,9}$/)
    .catch("0")
    .transform(Number),
});

/** An API token without its secret. Times are ISO dates and times. */
const apiToken = z.strictObject({
  id: z.number(),
  name: z.string(),
  scopes: z.array(z.string()),
  allowedNetworks: z.array(z.string()),
  state: z.enum(["valid", "expired", "revoked"]),
  /** name of the member, or of another creator */
  createdBy: z.string(),
  /** status of the member who created it; null for other creators */
  maker: z.enum(["active", "disabled", "removed"]).nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiToken = z.infer<typeof apiToken>;

/** The API tokens of an environment, newest first. */
export const apiTokenList = z.strictObject({ success: z.literal(1), apiTokens: z.array(apiToken) });
export type ApiTokenList = z.infer<typeof apiTokenList>;

/** A new API token with its secret, which is shown only once. */
export const createdApiToken = z.strictObject({ success: z.literal(1), token: z.string(), apiToken });
export type CreatedApiToken = z.infer<typeof createdApiToken>;
