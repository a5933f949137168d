import { APIError } from "better-auth/api";
import { verifyPassword } from "better-auth/crypto";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";

/** A code's half minute, plus the ones before and after, which are accepted too. */
const CODE_MS = 90_000;

interface Proof {
  password: unknown;
  /** from the authenticator, or a backup code */
  code: unknown;
  headers: Headers | undefined;
}

/** better-auth's verification of a code. */
export interface Verifier {
  verifyTOTP(call: { body: { code: string }; headers: Headers }): Promise<unknown>;
  verifyBackupCode(call: { body: { code: string; disableSession: boolean }; headers: Headers }): Promise<unknown>;
}

/**
 * Requires the second factor before it is removed or its backup codes are replaced: the password may have been
 * stolen.
 * @throws {APIError} `INVALID_PASSWORD`, `INVALID_CODE` or `INVALID_BACKUP_CODE`
 */
export async function proveSecondFactor(
  verifier: Verifier,
  userId: string,
  { password, code, headers = new Headers() }: Proof,
) {
  const where = { userId, providerId: "credential" };
  const hash = (await prisma().account.findFirst({ where, select: { password: true } }))?.password;
  // First, so that a wrong password does not use up a code.
  if (!hash || !(await verifyPassword({ hash, password: String(password ?? "") }))) {
    throw new APIError("BAD_REQUEST", { code: "INVALID_PASSWORD", message: "Invalid password" });
  }
  const typed = String(code ?? "").trim();
  if (typed !== "" && !/^\d+$/.test(typed)) {
    await verifier.verifyBackupCode({ body: { code: typed, disableSession: true }, headers });
    return;
  }
  await verifier.verifyTOTP({ body: { code: typed }, headers });
  if (!(await spendCode(userId, typed))) throw codeSpent();
}

/** Uses up a code for as long as it is valid; false when it was used before (RFC 6238, 5.2). */
export async function spendCode(userId: string, code: string): Promise<boolean> {
  const id = `totp ${userId} ${code}`;
  const now = await databaseNow();
  const expiresAt = new Date(now.getTime() + CODE_MS);
  await prisma().verification.deleteMany({ where: { id, expiresAt: { lte: now } } });
  const spent = { id, identifier: "spent code", value: "", expiresAt };
  return (await prisma().verification.createMany({ data: spent, skipDuplicates: true })).count === 1;
}

/** The error for a reused code; at sign-in the attempt is over, so it has another code there. */
export function codeSpent(code = "INVALID_CODE"): APIError {
  return new APIError("UNAUTHORIZED", { code, message: "This code has already been used. Wait for the next one." });
}
