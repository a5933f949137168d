import { z } from "zod";
import { answered } from "@/lib/json/answered";
import { templateName } from "@/lib/viewer-tokens/settings-schema";

/**
 * A set of keys: an environment's, or a claim template's. An invalid name is not found, like an unknown one.
 */
export const keySetPlace = z.strictObject({
  slug: z.string().max(40).catch("-"),
  template: templateName.optional().catch("-"),
});

/** The body that rotates a key. */
export const keyRotation = z.strictObject({ template: templateName.nullable().default(null) });

/** The body that revokes a key. */
export const keyRevocation = z.strictObject({ kid: z.string("must be a string").max(255, "is not a key's kid") });

const time = z.iso.datetime();

const keyState = z.enum(["signs", "waits", "retired", "ended", "revoked"]);
export type KeyState = z.infer<typeof keyState>;

/** An environment's keys. */
export const keyListAnswer = answered({
  keys: z.array(
    z.strictObject({
      kid: z.string(),
      /** null for viewer tokens */
      template: z.string().nullable(),
      state: keyState,
      published_at: time,
      signs_from: time,
      /** null while it has no successor */
      ends_at: time.nullable(),
      revoked_at: time.nullable(),
    }),
  ),
});

const ISSUER = "https://groups.example.com/e/testing";

/** The metadata that OpenID Connect Discovery 1.0 requires, for an issuer without sign-in. */
export const discoveryAnswer = z.strictObject({
  issuer: z.url().meta({ examples: [ISSUER] }),
  jwks_uri: z.url().meta({ examples: [`${ISSUER}/.well-known/jwks.json`] }),
  response_types_supported: z.array(z.literal("id_token")),
  subject_types_supported: z.array(z.literal("public")),
  id_token_signing_alg_values_supported: z.array(z.literal("ES256")),
});

/** A public key (RFC 7517). */
export const publicKeySet = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal("EC"),
      crv: z.literal("P-256"),
      x: z.string().meta({ "x-example": "f83OJ3D2…" }),
      y: z.string().meta({ "x-example": "x_FEzRu9…" }),
      kid: z.string().meta({ "x-example": "Lw0c…" }),
      alg: z.literal("ES256"),
      use: z.literal("sig"),
    }),
  ),
});
