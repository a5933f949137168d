import { PrismaPg } from "@prisma/adapter-pg";
import { setKeys } from "@/lib/crypto/keyring";
import { type Prisma, PrismaClient } from "@/prisma/generated/client";

setKeys(Buffer.from(process.env.SECRET_KEY ?? "", "hex"), undefined);

/** Prisma as in its guide, with a pool as large as ours. */
export const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL ?? "", max: 10 }),
});

/** A transaction over several calls. */
export type Transaction = Prisma.TransactionClient;
