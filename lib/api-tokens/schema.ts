import { z } from "zod";
import { BLANK, isVisible } from "@/lib/json/visible-text";

const access = z.enum(["read", "write"], "must be read or write");

/** What a new API token takes; `expiresAt` is an ISO date and time with its offset, or null for never. */
export const newApiToken = z.strictObject({
  name: z
    .string("must be a string")
    .trim()
    .max(255, "must have at most 255 characters")
    .refine((text) => !/[\p{Cc}\p{Bidi_Control}]/u.test(text), "must not contain control characters")
    .refine(isVisible, BLANK),
  access,
  expiresAt: z.iso
    .datetime({ offset: true, error: "must be an ISO date and time, as in 2027-01-31T12:00:00Z, or null" })
    .transform((text) => new Date(text))
    .nullable(),
});
export type NewApiToken = z.infer<typeof newApiToken>;

/** An id that stands in a path; what can be none is taken for one that no API token has. */
export const apiTokenId = z.strictObject({
  id: z
    .string()
    .regex(/^\d{1,9}$/)
    .catch("0")
    .transform(Number),
});

/** An API token as it may be shown: all but the token. Times are ISO dates and times. */
const apiToken = z.strictObject({
  id: z.number(),
  name: z.string(),
  access,
  state: z.enum(["valid", "expired", "revoked"]),
  /** the name of the member, or whatever else made it */
  createdBy: z.string(),
  /** whether the member who made it can still sign in; null for whatever else made it */
  maker: z.enum(["active", "disabled", "removed"]).nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiToken = z.infer<typeof apiToken>;

/** The API tokens of an environment, the newest first. */
export const apiTokenList = z.strictObject({ success: z.literal(1), apiTokens: z.array(apiToken) });
export type ApiTokenList = z.infer<typeof apiTokenList>;

/** A new API token, with the token: it is shown this once. */
export const createdApiToken = z.strictObject({ success: z.literal(1), token: z.string(), apiToken });
export type CreatedApiToken = z.infer<typeof createdApiToken>;
