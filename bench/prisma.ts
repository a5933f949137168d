// Compares ways to read one group on the service's pool: our text rows, Prisma's raw query and Prisma's model:
// `npx tsx bench/prisma.ts`, with a temporary database. Prints reads a second, the median of ten rounds.
import { closePool, openPool, readText } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { median } from "./quantile";
import { print } from "./report";
import { onStage } from "./stage";

const ROUNDS = 10;
const ROUND_MS = 1_000;
const CALLERS = [1, 32];
const CONNECTIONS = 16;
const GROUPS = 10_000;
const SAMPLES = 1_000;

const COLUMNS = "team_id, provided_id, name, properties, version, token_index, token_sealed, state, gen";
const text = `SELECT ${COLUMNS} FROM user_group WHERE environment_id = $1 AND provided_id = $2`;

interface Key {
  environmentId: number;
  providedId: string;
}

const WAYS: Record<string, (group: Key) => Promise<unknown>> = {
  "text rows": ({ environmentId, providedId }) => readText({ name: "bench", text }, [environmentId, providedId]),
  "Prisma, raw": ({ environmentId, providedId }) => prisma().$queryRawUnsafe(text, environmentId, providedId),
  "Prisma, model": (key) => prisma().group.findUnique({ where: { environmentId_providedId: key } }),
};

await onStage({ groups: GROUPS, print }, async ({ settings }) => {
  openPool(settings.DATABASE_URL, CONNECTIONS);
  const groups = await prisma().group.findMany({ select: { environmentId: true, providedId: true }, take: SAMPLES });
  for (const callers of CALLERS) {
    const rates = new Map<string, number[]>();
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, way] of Object.entries(WAYS)) {
        const rate = await measure(way, groups, callers);
        // The first round warms up.
        if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
      }
    }
    for (const [name, all] of rates) print(`${callers} callers, ${name}: ${Math.round(median(all))} reads/s`);
  }
  await prisma().$disconnect();
  await closePool();
});

/** Reads for a round with this many callers, and returns the number of reads a second. */
async function measure(way: (group: Key) => Promise<unknown>, groups: Key[], callers: number): Promise<number> {
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
