import { createHmac, randomBytes } from "node:crypto";
import { open, seal } from "@/lib/crypto/keyring";
import type { SecretPrefix } from "@/lib/crypto/random-token";
import { databaseNow } from "@/lib/db/clock";
import type { WebhookRow } from "@/lib/webhooks/stored";
import type { Prisma } from "@/prisma/generated/client";

const PREFIX: SecretPrefix = "whsec_";
const SECRET_BYTES = 32;

/** A new secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Binds a sealed secret to its webhook. */
export const secretContext = (id: number) => Buffer.from(`webhook ${id}`);

export function sealSecret(id: number, secret: string): Buffer {
  return seal(secret, secretContext(id));
}

function openSecret(id: number, sealed: Uint8Array): string {
  // Prisma reads bytes as a plain array, pg as a Buffer.
  return open(Buffer.from(sealed), secretContext(id)).toString();
}

/** The secrets with which a message is signed, the newest first. The previous ones are stored as one text. */
export async function secretsOf(webhook: WebhookRow, tx?: Prisma.TransactionClient): Promise<string[]> {
  const { id, secret_sealed, previous_secret_sealed: previous, previous_secret_until: until } = webhook;
  const current = openSecret(id, secret_sealed);
  if (!previous || !until || until <= (await databaseNow(tx))) return [current];
  return [current, ...openSecret(id, previous).split(" ")];
}

/**
 * The header `webhook-signature` (Standard Webhooks 1.0): one signature for each secret; the timestamp is in seconds.
 */
export function signaturesOf(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
}
