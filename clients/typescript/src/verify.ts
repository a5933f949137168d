import { createLocalJWKSet, decodeProtectedHeader, errors, type JWK, type JWTPayload, jwtVerify } from "jose";
import { readText } from "./read-text.js";

/** The claims of a valid viewer token. */
export interface ViewerClaims extends JWTPayload {
  /** your id of the group, for display */
  sub: string;
  /** the service's number for the group, never reused */
  team_id: number;
  /** the generation, for revocation */
  gen: number;
  /** the person who views: your id, or an object with an id */
  viewer?: string | ViewerPerson;
  /** identifies the person within the group, for revocation */
  viewer_key?: string;
  /** what may be shown; absent for everything */
  content?: string[];
  variables: Record<string, unknown>;
  mapping?: Record<string, unknown>;
  /** where the dashboard may be embedded; absent for anywhere */
  origins?: string[];
  preview?: true;
}

/** The person for whom a token was minted. */
export interface ViewerPerson {
  id: string;
  name?: string;
  email?: string;
  properties?: Record<string, unknown>;
}

/** Why a viewer token is not valid, or `keys_unavailable` when no keys could be read to check it. */
export type InvalidTokenReason =
  | "malformed"
  | "unknown_key"
  | "signature"
  | "expired"
  | "claims"
  | "content"
  | "revoked"
  | "keys_unavailable";

/** A viewer token that must not be served. */
export class InvalidViewerTokenError extends Error {
  override readonly name = "InvalidViewerTokenError";

  constructor(
    readonly reason: InvalidTokenReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface VerifierOptions {
  /**
   * the issuer, such as `https://groups.example.com/e/production`: its keys are read from `/.well-known/jwks.json`
   * below it
   */
  issuer: string;
  /** the audience that tokens must have; default the issuer */
  audience?: string | string[];
  /** the lowest valid generation of a group, if known: from `/api/revocations` */
  lowestGeneration?: (teamId: number) => number | undefined;
  /** the time before which a person's tokens were revoked, if any: `before` from `/api/revocations` */
  viewerEndedBefore?: (teamId: number, viewerKey: string) => string | undefined;
  /** in place of the global `fetch` */
  fetch?: typeof globalThis.fetch;
}

/** The content that you are about to show. */
export interface Shown {
  /** its id; refuses a token whose `content` does not list it */
  content?: string;
  /** accepts a token without `content`, which may show everything */
  allowUnlimited?: boolean;
}

export interface Verifier {
  /** @throws {InvalidViewerTokenError} */
  verify(token: string, shown?: Shown): Promise<ViewerClaims>;
}

/** The only algorithm: a token cannot choose one. */
const ALGORITHM = "ES256";
const TYPE = "viewer+jwt";
/** Tolerated difference between clocks, in seconds. */
const SKEW = 60;
/** The only accepted spelling of a token: jose ignores white space, and unused bits in the last character. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;
const MAX_TOKEN_LENGTH = 8_192;

const KEYS_BOUNDS = { maxBytes: 65_536, timeout: 5_000 };
/** How long keys are cached if the answer does not say, and at most, in milliseconds. */
const USUAL_AGE = 300_000;
const LONGEST_AGE = 3_600_000;
/** How long keys stay usable while newer ones cannot be read: as long as a token can live. */
const LONGEST_OUTAGE = 86_400_000;
/**
 * How long until keys are read again after a failure, or for an unknown key: strangers' tokens must not cause requests.
 * Longer than reading takes.
 */
const PAUSE = 10_000;

/** Verifies viewer tokens of one environment offline, with its public keys. Keep one verifier for all requests. */
export function createVerifier(options: VerifierOptions): Verifier {
  const keys = keysOf(options);
  return { verify: (token, shown) => verifyWith(keys, token, { ...options, ...shown }) };
}

const sources = new WeakMap<object, Map<string, KeySource>>();
const MAX_SOURCES = 100;

/**
 * Verifies a viewer token offline. Each issuer's keys are read once and cached, as are failures to read them; with your
 * own `fetch`, they are cached for as long as you pass the same function.
 * @throws {InvalidViewerTokenError}
 */
export async function verifyViewerToken(token: string, options: VerifierOptions & Shown): Promise<ViewerClaims> {
  const { fetch = globalThis.fetch } = options;
  const ofReader = sources.get(fetch) ?? new Map<string, KeySource>();
  sources.set(fetch, ofReader);
  const keys = ofReader.get(options.issuer) ?? keysOf(options);
  if (!ofReader.has(options.issuer) && ofReader.size >= MAX_SOURCES) ofReader.clear();
  ofReader.set(options.issuer, keys);
  return verifyWith(keys, token, options);
}

/** By default, uses the global `fetch` at the time of the call, as programs may replace it. */
function keysOf({ issuer, fetch = (input, init) => globalThis.fetch(input, init) }: VerifierOptions): KeySource {
  return new KeySource(`${issuer.replace(/\/+$/, "")}/.well-known/jwks.json`, fetch);
}

async function verifyWith(
  keys: KeySource,
  token: string,
  { issuer, audience = issuer, lowestGeneration, viewerEndedBefore, content, allowUnlimited }: VerifierOptions & Shown,
): Promise<ViewerClaims> {
  const kid = kidOf(token);
  const { payload } = await jwtVerify(token, (await keys.withKey(kid)).find, {
    issuer,
    audience,
    algorithms: [ALGORITHM],
    typ: TYPE,
    clockTolerance: SKEW,
    requiredClaims: ["sub", "iat", "exp", "jti", "team_id", "gen"],
  }).catch((error: unknown) => {
    throw invalid(error);
  });
  const claims = checkClaims(payload);
  const { team_id, gen, viewer_key, iat = 0 } = claims;
  const lowest = lowestGeneration?.(team_id) ?? gen;
  const before = viewer_key === undefined ? undefined : viewerEndedBefore?.(team_id, viewer_key);
  if (gen < lowest || (before !== undefined && !(iat > Math.floor(Date.parse(before) / 1_000)))) {
    throw new InvalidViewerTokenError("revoked", "The viewer token was revoked.");
  }
  if (content !== undefined && !(claims.content?.includes(content) ?? allowUnlimited)) {
    throw new InvalidViewerTokenError("content", `The viewer token may not show ${content}.`);
  }
  return claims;
}

/** The id of the key that a viewer token names. */
function kidOf(token: string): string {
  try {
    if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) throw new TypeError("not a signed token");
    const { kid, alg, typ } = decodeProtectedHeader(token);
    if (alg === ALGORITHM && typ === TYPE && typeof kid === "string") return kid;
  } catch (error) {
    throw invalid(error);
  }
  throw new InvalidViewerTokenError(
    "malformed",
    `This is not a viewer token: its typ must be ${TYPE}, its alg ${ALGORITHM}.`,
  );
}

/** The meanings of jose's errors, except those about claims. */
const REFUSALS = [
  [errors.JWTExpired, "expired", "The viewer token has expired."],
  [errors.JWKSNoMatchingKey, "unknown_key", "The viewer token's key is unknown: is it another environment's token?"],
  [errors.JWSSignatureVerificationFailed, "signature", "The viewer token's signature is wrong."],
] as const;
const NOT_ONE = [Error, "malformed", "This is not a viewer token."] as const;

function invalid(cause: unknown): InvalidViewerTokenError {
  if (cause instanceof errors.JWTClaimValidationFailed) {
    const value = JSON.stringify(cause.payload[cause.claim]);
    const message = `The viewer token's ${cause.claim} is not the expected one: ${value}.`;
    return new InvalidViewerTokenError("claims", message, { cause });
  }
  const [, reason, message] = REFUSALS.find(([kind]) => cause instanceof kind) ?? NOT_ONE;
  return new InvalidViewerTokenError(reason, message, { cause });
}

function checkClaims(payload: JWTPayload): ViewerClaims {
  const { team_id, gen, iat = 0, variables, content = [] } = payload;
  if (iat > Date.now() / 1_000 + SKEW) {
    throw new InvalidViewerTokenError("claims", "The viewer token was issued in the future: is this clock slow?");
  }
  const isWhole = Number.isInteger(team_id) && Number.isInteger(gen) && Array.isArray(content);
  if (isWhole && typeof variables === "object" && variables !== null) return payload as ViewerClaims;
  throw new InvalidViewerTokenError("claims", "The viewer token's claims are not those of a viewer token.");
}

interface Keys {
  ids: Set<string | undefined>;
  find: ReturnType<typeof createLocalJWKSet>;
}

/** An issuer's public keys, read when needed and cached for as long as the issuer says. */
class KeySource {
  #keys: Keys | undefined;
  #failure: InvalidViewerTokenError | undefined;
  #freshUntil = 0;
  /** until then, keys are not read again for an unknown key or after a failure */
  #pausedUntil = 0;
  #reading: Promise<void> | undefined;

  constructor(
    readonly url: string,
    readonly fetch: typeof globalThis.fetch,
  ) {}

  /** The keys, after reading them again if they lack this one. @throws {InvalidViewerTokenError} */
  async withKey(kid: string): Promise<Keys> {
    const isKnown = this.#keys?.ids.has(kid) ?? false;
    const now = performance.now();
    if ((!isKnown || now >= this.#freshUntil) && now >= this.#pausedUntil) this.#reading = this.#read();
    // Known keys stay usable while newer ones are read, but after a quiet time, a key may have been revoked long ago.
    const isOld = !this.#failure && now >= this.#freshUntil + PAUSE;
    if (!isKnown || isOld) await this.#ended();
    // An unknown key may be a newer one.
    if (this.#failure && !this.#keys?.ids.has(kid)) throw this.#failure;
    if (this.#keys && performance.now() < this.#freshUntil + LONGEST_OUTAGE) return this.#keys;
    throw this.#failure ?? keysUnavailable(this.url);
  }

  /** Waits for the reading, which in Cloudflare's runtime ends silently with the request that started it. */
  async #ended(): Promise<void> {
    if (!this.#reading) return;
    const reading = this.#reading;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lost = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        if (this.#reading === reading) this.#reading = undefined;
        this.#failure ??= keysUnavailable(this.url);
        resolve();
      }, KEYS_BOUNDS.timeout);
    });
    await Promise.race([reading, lost]);
    clearTimeout(timer);
  }

  /** Never rejects: the failure is stored for callers, and known keys stay. */
  async #read(): Promise<void> {
    this.#pausedUntil = performance.now() + PAUSE;
    try {
      const { text, headers } = await readText(this.fetch, this.url, KEYS_BOUNDS);
      this.#keys = ownKeys(JSON.parse(text));
      this.#failure = undefined;
      this.#freshUntil = performance.now() + ageOf(headers.get("Cache-Control"));
    } catch (error) {
      this.#failure = keysUnavailable(this.url, error);
    }
  }
}

/** Only keys for the one algorithm: no other key can verify a token. */
function ownKeys(given: unknown): Keys {
  const { keys } = given as { keys?: JWK[] };
  if (!Array.isArray(keys)) throw new TypeError("not a key set");
  const own = keys.filter(isOwnKey);
  return { ids: new Set(own.map(({ kid }) => kid)), find: createLocalJWKSet({ keys: own.map(copyKey) }) };
}

function isOwnKey({ kty, crv, alg, use = "sig", kid, x, y }: JWK): boolean {
  const isComplete = [kid, x, y].every((text) => typeof text === "string");
  return isComplete && kty === "EC" && crv === "P-256" && alg === ALGORITHM && use === "sig";
}

/** Only these members: others could be nested too deep for jose to copy. */
function copyKey({ kty, crv, alg, kid, x, y }: JWK): JWK {
  return { kty, crv, alg, kid, x, y } as JWK;
}

function ageOf(cacheControl: string | null): number {
  if (cacheControl === null) return USUAL_AGE;
  if (/no-store|no-cache/.test(cacheControl)) return 0;
  const [, seconds] = /max-age=(\d+)/.exec(cacheControl) ?? [];
  return seconds === undefined ? USUAL_AGE : Math.min(Number(seconds) * 1_000, LONGEST_AGE);
}

function keysUnavailable(url: string, cause?: unknown): InvalidViewerTokenError {
  const why = cause instanceof Error ? ` (${cause.message})` : "";
  const message = `The issuer's keys cannot be read from ${url}${why}: check the issuer.`;
  return new InvalidViewerTokenError("keys_unavailable", message, { cause });
}
