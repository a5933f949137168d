import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import { open, seal } from "@/lib/crypto/keyring";

/** `typ` of viewer tokens, which verifiers require; the tokens of a template are ordinary JWTs. */
export const VIEWER_TOKEN_TYPE = "viewer+jwt";
const ALGORITHM = "ES256";

/** A key that signs. */
export interface SigningKey {
  kid: string;
  /** null for viewer tokens */
  template: string | null;
  /** opened when it first signs: what only verifies needs no secret */
  privateKey(): KeyObject;
  publicJwk: JWK;
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
  public_jwk: string;
  signs_from: number;
}

/**
 * A stored key. Its `privateKey` throws when what is sealed does not belong to its row, or its secret key is not
 * configured.
 */
export function openKey(environmentId: number, row: StoredKey): SigningKey {
  const { kid, template, private_sealed, public_jwk, signs_from: signsFrom } = row;
  let opened: KeyObject | undefined;
  const privateKey = () => {
    if (opened) return opened;
    const der = open(private_sealed, keyContext(environmentId, kid));
    opened = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    return opened;
  };
  const typ = template === null ? VIEWER_TOKEN_TYPE : "JWT";
  const header = encode(JSON.stringify({ alg: ALGORITHM, typ, kid }));
  return { kid, template, privateKey, publicJwk: JSON.parse(public_jwk), signsFrom, header };
}

/**
 * Signs claims, given as JSON text, in the compact form of RFC 7515. With node:crypto: through WebCrypto, as jose
 * signs, it takes twice the CPU time.
 */
export function signClaims({ header, privateKey }: SigningKey, claims: string): string {
  const signed = `${header}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey(), dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
