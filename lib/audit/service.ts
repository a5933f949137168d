import type { Author } from "@/lib/db/statements";
import type { Prisma } from "@/prisma/generated/client";

interface Event {
  action: string;
  environmentId?: number;
  before?: object;
  after?: object;
}

/** Records a change in the transaction that makes it; neither state may hold a secret. */
export async function record(tx: Prisma.TransactionClient, author: Author, { before, after, ...event }: Event) {
  await tx.auditEntry.create({
    data: {
      ...event,
      ...author,
      before: before ? JSON.stringify(before) : null,
      after: after ? JSON.stringify(after) : null,
    },
  });
}
