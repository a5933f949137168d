import { z } from "zod";
import { PRESETS, type Preset, SCOPES } from "@/lib/authority/scopes";
import { answered, text } from "@/lib/json/answered";
import { instant } from "@/lib/json/instant";
import { nested } from "@/lib/json/nested";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";
import { visibleName } from "@/lib/json/visible-text";

const scopes = nested(
  z
    .array(z.enum(SCOPES, `must be one of ${SCOPES.join(", ")}`), "must be a list of scopes")
    .min(1, "must have at least one scope")
    .transform((given) => SCOPES.filter((scope) => given.includes(scope))),
);

const NOT_A_NETWORK = "must be a network, as in 203.0.113.0/24";
const network = z.union([z.cidrv4(), z.cidrv6()], NOT_A_NETWORK);
const MAX_NETWORKS = 50;

/** Networks in CIDR notation, as in 203.0.113.0/24 or 2001:db8::/32. */
const networks = nested(
  z
    .array(network, "must be a list of networks")
    .min(1, "must have at least one network; leave it out to accept any address")
    .max(MAX_NETWORKS, `must have at most ${MAX_NETWORKS} networks`),
);

/** The fields of a new API token; `expiresAt` is an ISO date and time with offset, or null for never. */
export const newApiToken = z.strictObject({
  name: visibleName(255),
  scopes,
  /** omitted for any address */
  allowedNetworks: networks.optional(),
  expiresAt: instant("must be an ISO date and time, as in 2027-01-31T12:00:00Z, or null").nullable(),
});
export type NewApiToken = z.infer<typeof newApiToken>;

/** Networks, one per line. */
const networkLines = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((line) => line !== ""))
  .refine((lines) => lines.every((line) => network.safeParse(line).success), `each line ${NOT_A_NETWORK}`)
  .refine(({ length }) => length <= MAX_NETWORKS, `must have at most ${MAX_NETWORKS} networks`);

/** The dashboard's form for networks alone. */
export const networksForm = z.strictObject({ allowedNetworks: networkLines });
export type NetworksFields = z.infer<typeof networksForm>;

/** The dashboard's form: a preset or some scopes, and networks, one per line. */
export const apiTokenForm = newApiToken
  .pick({ name: true, expiresAt: true })
  .extend({
    preset: z.enum([...(Object.keys(PRESETS) as [Preset, ...Preset[]]), "some"]),
    scopes: z.array(z.enum(SCOPES)),
    allowedNetworks: networkLines,
  })
  .refine(({ preset, scopes }) => preset !== "some" || scopes.length > 0, {
    path: ["scopes"],
    message: "choose at least one scope",
  });
export type ApiTokenFields = z.infer<typeof apiTokenForm>;
export type NewApiTokenInput = Pick<NewApiToken, "name" | "expiresAt" | "allowedNetworks"> & {
  scopes: readonly string[];
};

/** An API token's id from a path; an invalid one becomes an id that no token has. */
export const apiTokenId = z.strictObject({
  id: z
    .string()
    .regex(/^\d{1,9}$/)
    .catch("0")
    .transform(Number),
});

/** Ids of tokens or webhooks to end with their maker. */
export const idsToEnd = nested(
  z.array(z.int().min(1).max(LARGEST_NUMBER), "must be a list of ids").max(1_000),
).optional();

/** Webhooks that outlive their maker. */
export const madeWebhooks = z.array(
  z.strictObject({ id: z.number(), url: z.string(), description: z.string(), environment: z.string() }),
);
export type MadeWebhooks = z.infer<typeof madeWebhooks>;

/** The body that revokes an API token. */
export const apiTokenRevocation = apiTokenId.extend({ disableWebhooks: idsToEnd });

/** The answer of GET /api/admin/api-tokens/[id]/made. */
export const madeByApiToken = answered({ webhooks: madeWebhooks });

/** The networks that an API token is accepted from; null for any address. */
export const apiTokenNetworks = apiTokenId.extend({ allowedNetworks: networks.nullable() });

/** How long a replaced API token can stay valid, in seconds. */
export const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;

/** The replacement of an API token. */
export const apiTokenReplacement = apiTokenId.extend({
  overlapSeconds: z.literal(OVERLAPS, `must be one of ${OVERLAPS.join(", ")}`),
});
export type Overlap = (typeof OVERLAPS)[number];

/** The body with which an API token replaces itself. */
export const selfReplacement = z.strictObject({
  overlap_seconds: z
    .int("must be a whole number of seconds")
    .min(3_600, "must be at least 3600, which is an hour")
    .max(604_800, "must be at most 604800, which is 7 days")
    .meta({ description: "How long the old value stays valid, in seconds: 3600 to 604800.", examples: [86_400] }),
});

/** The new value of an API token that replaced itself, which is shown only once. */
export const selfReplacedAnswer = answered({
  api_token: text("The new value. Store it: it is not shown again.", "uga_test_…"),
  expires_at: z.iso.datetime().nullable().meta({ description: "When it expires, as the old one would have." }),
  previous_token_valid_until: z.iso.datetime().meta({ description: "When the old value stops being valid." }),
});

/** An API token without its secret. Times are ISO dates and times. */
const apiToken = z.strictObject({
  id: z.number(),
  name: z.string(),
  /**
   * how it begins and ends, such as "uga_test_…9fQ2"; older tokens only have the beginning, null for an operator's own
   */
  hint: z.string().nullable(),
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
  /** when it last asked about a viewer's token, and polled the revocations */
  askedAt: z.iso.datetime().nullable(),
  polledAt: z.iso.datetime().nullable(),
  /** id of the token that it replaced */
  replaces: z.number().nullable(),
  /** id of the token that replaced it */
  replacedBy: z.number().nullable(),
  /** requests refused because they came from outside its networks, and the last one */
  refused: z.strictObject({ count: z.number(), from: z.string(), at: z.iso.datetime() }).nullable(),
  /** days left, rounded up, of a token that is about to expire and has not been replaced */
  expiresInDays: z.number().nullable(),
});
export type ApiToken = z.infer<typeof apiToken>;

/**
 * An API token in a list, with its calls of the last 30 UTC days: the first day, and the count of each, today's last.
 */
const listedApiToken = apiToken.extend({
  calls: z.strictObject({ from: z.iso.date(), days: z.array(z.number()) }),
});
export type ListedApiToken = z.infer<typeof listedApiToken>;

/** The API tokens of an environment, newest first. */
export const apiTokenList = answered({ apiTokens: z.array(listedApiToken) });
export type ApiTokenList = z.infer<typeof apiTokenList>;

/** A new API token with its secret, which is shown only once. */
export const createdApiToken = answered({
  token: z.string(),
  apiToken,
  /** sentences about probable mistakes */
  warnings: z.array(z.string()),
});
export type CreatedApiToken = z.infer<typeof createdApiToken>;

/** A changed API token. */
export const changedApiToken = createdApiToken.omit({ token: true });
export type ChangedApiTokenAnswer = z.infer<typeof changedApiToken>;

/** A replaced API token's new value, which is shown only once. */
export const replacedApiToken = createdApiToken.extend({ previousValidUntil: z.iso.datetime() });
export type ReplacedApiToken = z.infer<typeof replacedApiToken>;
