import { randomUUID } from "node:crypto";
import { hashPassword } from "better-auth/crypto";
import { record } from "@/lib/audit/service";
import { prisma } from "@/lib/db/prisma";
import type { Author } from "@/lib/db/statements";

interface FirstOwner {
  email: string;
  password: string;
}

/** Creates the first owner, for a set-up without a person; nothing once there are members. */
export async function createFirstOwner({ email, password }: FirstOwner, author: Author) {
  if ((await prisma().member.count()) > 0) return;
  // Hashing takes long on purpose: not while a transaction holds the lock.
  const hash = await hashPassword(password);
  await prisma().$transaction(async (tx) => {
    // Several processes may start at once: one creates, the others find it done.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('first owner'))`;
    if ((await tx.member.count()) > 0) return;
    const member = { id: randomUUID(), name: email, role: "owner" } as const;
    await tx.member.create({ data: { ...member, email, emailVerified: true } });
    await tx.account.create({
      data: { id: randomUUID(), userId: member.id, accountId: member.id, providerId: "credential", password: hash },
    });
    await record(tx, author, { action: "member.created", after: member });
  });
}
