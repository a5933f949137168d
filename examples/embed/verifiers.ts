import { createVerifier, InvalidViewerTokenError } from "@user-groups/client/verify";
import { errors, jwtVerify } from "jose";
import type { KnownRevocations } from "./revocations";

/** What a renderer learns from a token. */
interface Viewer {
  region: unknown;
  /** where the dashboard may be embedded; undefined for anywhere */
  origins?: string[] | undefined;
}

/** @throws for a token that is not valid */
export type Verify = (token: string) => Promise<Viewer>;

/** For viewer tokens: verified offline, and refused within a second of their revocation. */
export function viewerTokens(issuer: string, revocations: KnownRevocations): Verify {
  const { verify } = createVerifier({ issuer, ...revocations });
  return async (token) => {
    const { variables, origins } = await verify(token);
    return { region: variables.region, origins };
  };
}

/**
 * For tokens of a claim template, as Metabase, Superset or Lightdash verify theirs: by a secret, and nothing else. They
 * are valid until they expire.
 */
export function secretTokens(secret: string): Verify {
  const key = new TextEncoder().encode(secret);
  const options = { algorithms: ["HS256"], audience: "orders", requiredClaims: ["exp", "region"] };
  return async (token) => {
    const { payload } = await jwtVerify(token, key, options);
    return { region: payload.region };
  };
}

/** The status and reason of a refusal; undefined for other errors. */
export function refusalOf(error: unknown): { status: number; reason: string; message: string } | undefined {
  if (error instanceof errors.JOSEError) return { status: 401, reason: error.code, message: error.message };
  if (!(error instanceof InvalidViewerTokenError)) return undefined;
  const { reason, message } = error;
  return { status: reason === "keys_unavailable" ? 503 : 401, reason, message };
}
