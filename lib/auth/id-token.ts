import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { OidcReason } from "@/lib/auth/oidc-reason";
import { OidcRefusal } from "@/lib/auth/sign-in-attempt";

/** Signatures that only the provider can make; with HS256, anyone with the client secret could. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** A token is issued in the code exchange, so it is recent. */
const MAX_AGE = "1 hour";
const CLOCK_SKEW_SECONDS = 60;
/** OpenID Connect Core 1.0, 2. */
const LONGEST_SUB = 255;

/** Refused claims for which the sign-in page has a sentence. */
const REASONS = new Map<string, OidcReason>([
  ...["exp", "iat", "nbf"].map((claim): [string, OidcReason] => [claim, "id_token_time"]),
  ...["aud", "azp", "iss"].map((claim): [string, OidcReason] => [claim, "id_token_client"]),
]);

/** The expected claims of an ID token. */
interface Expected {
  issuer: string;
  clientId: string;
  keys: JWTVerifyGetKey;
  /** from the authorization request */
  nonce: string | undefined;
}

type IdTokenClaims = JWTPayload & { sub: string };

/**
 * Verifies an ID token as OpenID Connect Core 1.0, 2 and 3.1.3.7, requires.
 * @throws {OidcRefusal} with a message that names the claim, never its value
 */
export async function verifyIdToken(idToken: string | undefined, expected: Expected): Promise<IdTokenClaims> {
  try {
    return await verify(idToken, expected);
  } catch (error) {
    const isOfClaim = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
    const reason = (isOfClaim && REASONS.get(error.claim)) || "id_token";
    throw new OidcRefusal(reason, error instanceof Error ? error.message : "unknown");
  }
}

async function verify(idToken: string | undefined, expected: Expected): Promise<IdTokenClaims> {
  const { issuer, clientId, keys, nonce } = expected;
  if (!idToken) throw new Error("there is no ID token");
  const { payload } = await jwtVerify(idToken, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ["sub", "exp", "iat"],
    maxTokenAge: MAX_AGE,
    clockTolerance: CLOCK_SKEW_SECONDS,
  });
  const { sub, aud, azp } = payload;
  const refuse = (claim: string, message: string) => new errors.JWTClaimValidationFailed(message, payload, claim);
  if (typeof sub !== "string" || sub === "" || sub.length > LONGEST_SUB) {
    throw refuse("sub", `the "sub" is not a text of at most ${LONGEST_SUB} characters`);
  }
  if (nonce === undefined || payload.nonce !== nonce) throw refuse("nonce", 'the "nonce" does not match the request');
  if (azp !== undefined && azp !== clientId) throw refuse("azp", 'the "azp" is another client');
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) throw refuse("azp", 'several "aud" and no "azp"');
  return { ...payload, sub };
}
