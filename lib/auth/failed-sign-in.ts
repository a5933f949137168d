import { record } from "@/lib/audit/service";
import { prisma } from "@/lib/db/prisma";
import type { Prisma } from "@/prisma/generated/client";

type Reason = "password" | "code" | "disabled";

interface FailedSignIn {
  /** undefined when no member has the typed address */
  member: { id: string; name: string } | undefined;
  reason: Reason;
  address: string;
  requestId: string | null;
}

const MAX_ADDRESSES = 5;

/**
 * Records a failed sign-in. The first per minute, member and reason enters the history immediately; the rest follow
 * as one entry after the minute ({@link recordFurtherFailures}), so that a flood cannot fill it.
 */
export async function recordFailure({ member, reason, address, requestId }: FailedSignIn) {
  await prisma().$transaction(async (tx) => {
    const [counted] = await tx.$queryRaw<{ attempts: number }[]>`
      INSERT INTO sign_in_failure AS f (member_id, reason, minute)
      VALUES (${member?.id ?? ""}, ${reason}, date_trunc('minute', now()))
      ON CONFLICT (member_id, reason, minute) DO UPDATE SET
        attempts = f.attempts + 1,
        addresses = CASE
          WHEN ${address}::text = ANY(f.addresses) OR cardinality(f.addresses) > ${MAX_ADDRESSES} THEN f.addresses
          ELSE f.addresses || ${address}::text
        END
      RETURNING attempts`;
    if (counted?.attempts === 0) await recordAs(tx, member, requestId, { reason, address, attempts: 1 });
  });
}

/** Records the failures of past minutes, beyond the first of each. */
export async function recordFurtherFailures() {
  await prisma().$transaction(async (tx) => {
    const failures = await tx.$queryRaw<{ member_id: string; reason: Reason; attempts: number; addresses: string[] }[]>`
      DELETE FROM sign_in_failure WHERE minute < date_trunc('minute', now())
      RETURNING member_id, reason, attempts, addresses`;
    if (failures.length === 0) return;
    const ids = failures.map(({ member_id }) => member_id);
    const members = await tx.member.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
    for (const { member_id, reason, attempts, addresses } of failures) {
      if (attempts === 0) continue;
      const member = members.find(({ id }) => id === member_id);
      await recordAs(tx, member, null, { reason, address: listed(addresses), attempts });
    }
  });
}

function listed(addresses: string[]): string {
  const shown = addresses.slice(0, MAX_ADDRESSES).join(", ");
  return addresses.length > MAX_ADDRESSES ? `${shown} and others` : shown;
}

async function recordAs(
  tx: Prisma.TransactionClient,
  member: FailedSignIn["member"],
  requestId: string | null,
  failure: { reason: Reason; address: string; attempts: number },
) {
  const visitor = { actorType: "visitor", actorId: null, actorName: failure.address, requestId } as const;
  await record(tx, visitor, { action: "member.sign_in_failed", after: { ...member, ...failure } });
}
