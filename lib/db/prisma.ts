import { PrismaPg } from "@prisma/adapter-pg";
import { sharedPool } from "@/lib/db/pool";
import { processWide } from "@/lib/process-wide";
import { PrismaClient } from "@/prisma/generated/client";

/** Prisma over the one pool, for everything that is not on the hot path. */
export function prisma(): PrismaClient {
  return processWide("prisma", () => new PrismaClient({ adapter: new PrismaPg(sharedPool()) }));
}
