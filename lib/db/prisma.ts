import { PrismaPg } from "@prisma/adapter-pg";
import { once } from "@/lib/config/once";
import { sharedPool } from "@/lib/db/pool";
import { PrismaClient } from "@/prisma/generated/client";

/** Prisma over the shared pool, for everything off the hot path. */
export const prisma = once(() => new PrismaClient({ adapter: new PrismaPg(sharedPool()) }));
