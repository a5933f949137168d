import { PrismaPg } from "@prisma/adapter-pg";
import { once } from "@/lib/config/once";
import { sharedPool } from "@/lib/db/pool";
import { PrismaClient } from "@/prisma/generated/client";

/** Prisma over the one pool, for everything that is not on the hot path. */
export const prisma = once(() => new PrismaClient({ adapter: new PrismaPg(sharedPool()) }));
