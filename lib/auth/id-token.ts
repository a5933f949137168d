import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";

/** Signatures that only the provider can make; with HS256, anyone with the client secret could. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
/** A token is issued in the code exchange, so it is recent. */
const MOST_AGE = "1 hour";
const CLOCK_SKEW_SECONDS = 60;

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
 * @throws with a message that names the claim, never its value
 */
export async function verifyIdToken(idToken: string | undefined, expected: Expected): Promise<IdTokenClaims> {
  const { issuer, clientId, keys, nonce } = expected;
  if (!idToken) throw new Error("there is no ID token");
  const { payload } = await jwtVerify(idToken, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ["sub", "exp", "iat"],
    maxTokenAge: MOST_AGE,
    clockTolerance: CLOCK_SKEW_SECONDS,
  });
  const { sub, aud, azp } = payload;
  if (typeof sub !== "string" || sub === "") throw new Error('the "sub" is not a string');
  if (nonce === undefined || payload.nonce !== nonce) throw new Error('the "nonce" does not match the request');
  if (azp !== undefined && azp !== clientId) throw new Error('the "azp" is another client');
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) throw new Error('several "aud" and no "azp"');
  return { ...payload, sub };
}
