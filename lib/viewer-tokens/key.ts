import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import { open, seal } from "@/lib/crypto/keyring";
import { isSecretSigned } from "@/lib/viewer-tokens/claims";
import type { ClaimTemplate } from "@/lib/viewer-tokens/settings-schema";

/** `typ` of viewer tokens, which verifiers require; the tokens of a template are ordinary JWTs. */
export const VIEWER_TOKEN_TYPE = "viewer+jwt";
const PLAIN_TYPE = "JWT";
const ALGORITHM = "ES256";
const HASHES = { HS256: "sha256", HS384: "sha384", HS512: "sha512" } as const;

/** A key that signs. */
export interface SigningKey {
  kid: string;
  /** null for viewer tokens */
  template: string | null;
  algorithm: "ES256" | keyof typeof HASHES;
  /** opened on first use: verifying needs no private key */
  privateKey(): KeyObject;
  /** undefined for a renderer's secret */
  publicJwk: JWK | undefined;
  /** by the database's clock, in milliseconds since 1970 */
  signsFrom: number;
  /** the encoded header of its tokens */
  header: string;
}

/** A new key as it is stored. */
export interface NewKey {
  kid: string;
  privateSealed: Buffer;
  publicJwk: string;
}

/** Makes a P-256 key, sealed for its environment. */
export async function generateKey(environmentId: number): Promise<NewKey> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = publicKey.export({ format: "jwk" }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  const publicJwk = JSON.stringify({ ...jwk, kid, alg: ALGORITHM, use: "sig" });
  return { kid, privateSealed: seal(der, keyContext(environmentId, kid)), publicJwk };
}

/** Binds a sealed private key to its environment and its id. */
export function keyContext(environmentId: number, kid: string): Buffer {
  return Buffer.from(`viewer key\0${environmentId}\0${kid}`);
}

interface StoredKey {
  kid: string;
  template: string | null;
  private_sealed: Buffer;
  /** null for a renderer's secret */
  public_jwk: string | null;
  signs_from: number;
}

/**
 * Makes a {@link SigningKey} of a stored key and its template's `form`. Its `privateKey` throws when the sealed key
 * belongs to another row, or the secret key that sealed it is not configured.
 */
export function openKey(
  environmentId: number,
  row: StoredKey,
  form?: Pick<ClaimTemplate, "signing" | "typ">,
): SigningKey {
  const { kid, template, private_sealed, public_jwk, signs_from: signsFrom } = row;
  const isSecret = public_jwk === null;
  let opened: KeyObject | undefined;
  const privateKey = () => {
    if (opened) return opened;
    const key = open(private_sealed, keyContext(environmentId, kid));
    opened = isSecret ? createSecretKey(key) : createPrivateKey({ key, format: "der", type: "pkcs8" });
    return opened;
  };
  const algorithm = isSecret && isSecretSigned(form) ? form.signing.algorithm : ALGORITHM;
  const typ = template === null ? VIEWER_TOKEN_TYPE : (form?.typ ?? PLAIN_TYPE);
  const header = encode(JSON.stringify({ alg: algorithm, typ, kid: isSecret ? undefined : kid }));
  const publicJwk = isSecret ? undefined : (JSON.parse(public_jwk) as JWK);
  return { kid, template, algorithm, privateKey, publicJwk, signsFrom, header };
}

/** Seals a renderer's secret as a new key. */
export function sealRendererSecret(environmentId: number, secret: string): { kid: string; sealed: Buffer } {
  const kid = randomBytes(16).toString("base64url");
  return { kid, sealed: seal(secret, keyContext(environmentId, kid)) };
}

/** The same key with the `typ` of an ordinary JWT, for tokens that verifiers of viewer tokens must refuse. */
export function plainly(key: SigningKey): SigningKey {
  return { ...key, header: encode(JSON.stringify({ alg: ALGORITHM, typ: PLAIN_TYPE, kid: key.kid })) };
}

/**
 * Signs claims, given as JSON text, in the compact form of RFC 7515. With node:crypto: through WebCrypto, as jose
 * signs, it takes twice the CPU time.
 */
export function signClaims({ header, algorithm, privateKey }: SigningKey, claims: string): string {
  const signed = `${header}.${encode(claims)}`;
  const key = privateKey();
  const signature =
    algorithm === "ES256"
      ? sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" })
      : createHmac(HASHES[algorithm], key).update(signed).digest();
  return `${signed}.${signature.toString("base64url")}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
