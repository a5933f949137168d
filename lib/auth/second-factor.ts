import { APIError } from "better-auth/api";
import { verifyPassword } from "better-auth/crypto";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";

/** The half minute of a code with the one before and the one after, which are taken as well. */
const CODE_MS = 90_000;

interface Proof {
  password: unknown;
  /** of the authenticator, or one of the backup codes */
  code: unknown;
  headers: Headers | undefined;
}

/** How better-auth verifies a code. */
export interface Verifier {
  verifyTOTP(call: { body: { code: string }; headers: Headers }): Promise<unknown>;
  verifyBackupCode(call: { body: { code: string; disableSession: boolean }; headers: Headers }): Promise<unknown>;
}

/**
 * Asks for the second factor before it is removed or its backup codes are replaced: the password alone may be what was
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
  // First, so that a wrong password uses no code up.
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

/** Uses up a code for as long as it would be good; false when somebody has before (RFC 6238, 5.2). */
export async function spendCode(userId: string, code: string): Promise<boolean> {
  const id = `totp ${userId} ${code}`;
  const now = await databaseNow();
  const expiresAt = new Date(now.getTime() + CODE_MS);
  await prisma().verification.deleteMany({ where: { id, expiresAt: { lte: now } } });
  const spent = { id, identifier: "spent code", value: "", expiresAt };
  return (await prisma().verification.createMany({ data: spent, skipDuplicates: true })).count === 1;
}

/** The refusal of a code that was used before. */
export function codeSpent(): APIError {
  return new APIError("UNAUTHORIZED", {
    code: "INVALID_CODE",
    message: "This code was used before: wait for the next.",
  });
}
