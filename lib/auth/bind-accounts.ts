import { env } from "@/lib/config/env";
import { prisma } from "@/lib/db/prisma";
import { log } from "@/lib/telemetry/log";

/** Sets OIDC_ISSUER on accounts linked by 0.9.0, which stored no issuer: a later issuer must not get them. */
export async function bindAccounts() {
  const { OIDC_ISSUER: issuer } = env();
  if (!issuer) return;
  const where = { providerId: "oidc", issuer: null };
  if (!(await prisma().account.findFirst({ where, select: { id: true } }))) return;
  const { count } = await prisma().account.updateMany({ where, data: { issuer } });
  log().info({ accounts: count, issuer }, "linked accounts without an issuer now have OIDC_ISSUER");
}
