// Measures batches: `npx tsx bench/batch.ts [groups]`, on the production build, with a temporary database. Prints groups a second
// for new and for changed ones, and the p99 of GET existing without and with one lane of batches.
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { MAX_BATCH } from "@/lib/groups/batch-schema";
import { quantile } from "./quantile";
import { print } from "./report";
import { onStage } from "./stage";

const [, , groups = "20000"] = process.argv;
const BATCHES = 40;
const LANES = [1, 2];
/** GET existing: connections, and milliseconds of each measurement */
const READERS = 8;
const READ_MS = 6_000;
const ROUNDS = 3;

await onStage({ groups: Number(groups), print }, async ({ ours: { url, headers, groups: bodies } }) => {
  const dispatcher = new Agent({ connections: 64 });
  const send = async (path: string, body: string) => {
    const answer = await request(url + path, { method: "POST", headers, body, dispatcher });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(text);
    return text;
  };
  let runs = 0;
  const upsert = async (stem: string, batch: number, version: number, expected: string) => {
    const user_groups = Array.from({ length: MAX_BATCH }, (_, n) => ({
      user_group_id: `${stem}-${batch}-${n}`,
      name: `Customer ${n}`,
      mapping: { 40: String(n), 134: "386" },
      properties: { plan: "pro", seats: n, region: "eu-west", version },
    }));
    const text = await send("/api/user-groups/batch", JSON.stringify({ mode: "upsert", user_groups }));
    const count = text.split(`"outcome":"${expected}"`).length - 1;
    if (count !== MAX_BATCH) throw new Error(`${count} of ${MAX_BATCH} were ${expected}: ${text.slice(0, 500)}`);
  };

  for (const lanes of LANES) {
    const stem = `bench-${runs++}`;
    for (const [version, expected] of ["created", "changed", "same"].entries()) {
      // The same a second time changes nothing.
      const written = Math.min(version, 1);
      const start = performance.now();
      const queue = Array.from({ length: BATCHES }, (_, n) => n);
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
            await upsert(stem, next, written, expected);
          }
        }),
      );
      const seconds = (performance.now() - start) / 1_000;
      const perSecond = Math.round((BATCHES * MAX_BATCH) / seconds);
      print(`upsert, ${expected.padEnd(8)} ${lanes} lane${lanes > 1 ? "s" : " "}  ${perSecond} groups/s`);
    }
  }

  const existing = readFileSync(bodies, "utf8").trim().split("\n");
  const read = async (during: () => Promise<void>) => {
    const took: number[] = [];
    const end = performance.now() + READ_MS;
    const isOver = () => performance.now() >= end;
    let isEnding = false;
    const lane = (async () => {
      while (!isEnding) await during();
    })();
    await Promise.all(
      Array.from({ length: READERS }, async (_, reader) => {
        for (let n = reader; !isOver(); n += READERS) {
          const start = performance.now();
          await send("/api/user/get-or-create", existing[n % existing.length] ?? "");
          took.push(performance.now() - start);
        }
      }),
    );
    isEnding = true;
    await lane;
    return {
      perSecond: Math.round(took.length / (READ_MS / 1_000)),
      p50: quantile(took, 0.5),
      p99: quantile(took, 0.99),
    };
  };
  const idle = () => new Promise<void>((resolve) => setTimeout(resolve, 50));
  const line = (what: string, { perSecond, p50, p99 }: Awaited<ReturnType<typeof read>>) =>
    print(`${what.padEnd(34)} ${String(perSecond).padStart(6)}/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms`);
  for (let round = 0; round < ROUNDS; round++) {
    let batch = 0;
    const stem = `bench-${runs++}`;
    const without = await read(idle);
    line("GET existing", without);
    const created = await read(() => upsert(stem, batch++, 0, "created"));
    line("GET existing, while groups are created", created);
    let next = 0;
    const changed = await read(() => upsert(stem, next++ % batch, next + 1, "changed"));
    line("GET existing, while groups are changed", changed);
    print(
      `p99, with / without: ${(created.p99 / without.p99).toFixed(2)} new, ${(changed.p99 / without.p99).toFixed(2)} changed`,
    );
  }
  await dispatcher.close();
});
