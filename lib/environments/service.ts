import { prisma } from "@/lib/db/prisma";
import type { Environment } from "@/lib/members/caller";

/** All environments, in the order in which they were made. */
export async function listEnvironments(): Promise<Environment[]> {
  return prisma().environment.findMany({
    select: { id: true, slug: true, name: true, tag: true },
    orderBy: { id: "asc" },
  });
}
