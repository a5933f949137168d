import { PrismaPg } from "@prisma/adapter-pg";
import { once } from "@/lib/config/per-process";
import { throwLoss } from "@/lib/db/failures";
import { type Run, sharedPool } from "@/lib/db/pool";
import { type Prisma, PrismaClient } from "@/prisma/generated/client";

/** Prisma over the shared pool, for everything off the hot path. */
export const prisma = once(() => new PrismaClient({ adapter: new PrismaPg(sharedPool()) }));

/** Runs statements in a transaction of Prisma's. Throws an AppError where the author has lost their authority. */
export function runIn(tx: Prisma.TransactionClient): Run {
  return <Row>({ text }: { text: string }, values: unknown[]) =>
    tx.$queryRawUnsafe<Row[]>(text, ...values).catch(throwLoss);
}
