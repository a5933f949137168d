// Compares ways to read one group on the service's pool: our text rows, Prisma's raw query and Prisma's model:
// `DATABASE_URL=… npx tsx bench/prisma.ts`, on a database with groups. Prints reads a second, the median of ten rounds.
import { env } from "@/lib/config/env";
import { closePool, openPool, readText } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { median } from "./quantile";

const ROUNDS = 10;
const ROUND_MS = 1_000;
const CALLERS = [1, 32];
const CONNECTIONS = 16;
const SAMPLES = 1_000;

const COLUMNS = "team_id, provided_id, name, properties, version, token_index, token_sealed, state, gen";
const text = `SELECT ${COLUMNS} FROM user_group WHERE environment_id = $1 AND provided_id = $2`;

openPool(env().DATABASE_URL ?? "", CONNECTIONS);
const groups = await prisma().group.findMany({
  select: { environmentId: true, providedId: true },
  orderBy: { teamId: "asc" },
  take: SAMPLES,
});
if (groups.length === 0) throw new Error("The database has no group.");

const WAYS: Record<string, (group: (typeof groups)[number]) => Promise<unknown>> = {
  "text rows": ({ environmentId, providedId }) => readText({ name: "bench", text }, [environmentId, providedId]),
  "Prisma, raw": ({ environmentId, providedId }) => prisma().$queryRawUnsafe(text, environmentId, providedId),
  "Prisma, model": (key) => prisma().group.findUnique({ where: { environmentId_providedId: key } }),
};

/** Reads for a round with this many callers, and returns the number of reads a second. */
async function measure(way: (typeof WAYS)[string], callers: number): Promise<number> {
  const end = performance.now() + ROUND_MS;
  let reads = 0;
  const read = async () => {
    while (performance.now() < end) {
      const group = groups[reads++ % groups.length];
      if (group) await way(group);
    }
  };
  await Promise.all(Array.from({ length: callers }, read));
  return (reads / ROUND_MS) * 1_000;
}

for (const callers of CALLERS) {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, way] of Object.entries(WAYS)) {
      const rate = await measure(way, callers);
      // The first round warms up.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  for (const [name, all] of rates) {
    process.stdout.write(`${callers} callers, ${name}: ${Math.round(median(all))} reads/s\n`);
  }
}
await prisma().$disconnect();
await closePool();
