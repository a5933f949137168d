import { createHash, randomInt } from "node:crypto";
import { z } from "zod";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import type { Prisma } from "@/prisma/generated/client";

const DAY_MS = 86_400_000;
const PREFIX = "link-code ";
/** Without letters and digits that look alike. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const LENGTH = 8;

/** An account at the provider that nothing ties to a member. */
const identity = z.object({
  issuer: z.string(),
  subject: z.string(),
  email: z.string().nullable(),
  verified: z.boolean(),
});
export type UnlinkedIdentity = z.infer<typeof identity>;

/**
 * Stores an identity for a day, for an owner to link. Returns its code, which the person sees on the sign-in page and
 * gives to the owner. The code only names the identity, and grants nothing.
 */
export async function codeFor(one: UnlinkedIdentity): Promise<string> {
  const digest = createHash("sha256").update(JSON.stringify([one.issuer, one.subject]));
  const id = `${PREFIX}${digest.digest("base64url")}`;
  const letters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
  const value = JSON.stringify(one);
  const expiresAt = new Date((await databaseNow()).getTime() + DAY_MS);
  const create = { id, identifier: `${PREFIX}${letters}`, value, expiresAt };
  const { identifier } = await prisma().verification.upsert({ where: { id }, create, update: { value, expiresAt } });
  const code = identifier.slice(PREFIX.length);
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Finds the identity of a code, however it was typed; undefined if it is unknown or expired. */
export async function findIdentity(tx: Prisma.TransactionClient, code: string): Promise<UnlinkedIdentity | undefined> {
  const where = { identifier: identifierOf(code), expiresAt: { gt: await databaseNow(tx) } };
  const row = await tx.verification.findFirst({ where });
  return row ? identity.parse(JSON.parse(row.value)) : undefined;
}

/** Uses up a code, within the transaction. */
export async function spendLinkCode(tx: Prisma.TransactionClient, code: string) {
  await tx.verification.deleteMany({ where: { identifier: identifierOf(code) } });
}

function identifierOf(code: string): string {
  return `${PREFIX}${code.toUpperCase().replaceAll(/[^0-9A-Z]/g, "")}`;
}
