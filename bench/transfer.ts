// Times an export, an import, a change to every group and its undo, and GET while each of them runs:
// `npx tsx bench/transfer.ts [groups]`, on the production build, with a temporary database.
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { childrenOf } from "../e2e/fixtures/children";
import { startGenerator } from "./open-loop";
import { median } from "./quantile";
import { print } from "./report";
import { onStage } from "./stage";
import type { Kept } from "./timetable";
import { callsTo, changeAll, exportGroups, importFile } from "./transfers";

const [, , groups = "100000"] = process.argv;
const LOOK_MS = 100;
/** Requests per second during the work, in timetables of this many seconds. */
const READS = { rate: 500, seconds: 2 };
const QUIET_ROUNDS = 10;

await onStage({ groups: Number(groups), print }, async ({ ours, atEnd }) => {
  const testing = await callsTo(ours.url);
  const production = await callsTo(ours.url, "production");
  const keep = startGenerator(atEnd);
  const read = () => keep({ server: ours, ...READS });
  const [pages = 0] = await childrenOf(ours.pid, "pages");
  let file = Buffer.alloc(0);
  for (const format of ["csv", "jsonl"]) {
    await measure(`export, ${format}`, pages, async () => {
      file = Buffer.from(await buffer(await exportGroups(testing, format)));
      return `${(file.length / 1e6).toFixed(1)} MB`;
    });
  }
  // The first round warms up.
  await read();
  printReads("quiet", await readWhile(read, (rounds) => rounds < QUIET_ROUNDS));
  const measureWithReads = async (what: string, work: () => Promise<string>) => {
    let isDone = false;
    const reads = readWhile(read, () => !isDone);
    await measure(what, pages, work);
    isDone = true;
    printReads(what, await reads);
  };
  await importFile(production, file, measureWithReads);
  await changeAll(testing, measureWithReads);
});

/** Reads groups on timetables for as long as asked. */
async function readWhile(read: () => Promise<Kept>, goesOn: (rounds: number) => boolean): Promise<Kept[]> {
  const rounds: Kept[] = [];
  while (goesOn(rounds.length)) rounds.push(await read());
  return rounds;
}

function printReads(what: string, rounds: Kept[]) {
  const middle = (pick: (kept: Kept) => number) => median(rounds.map(pick)).toFixed(2);
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
  print(
    `  GET meanwhile (${what}): p50 ${middle(({ p50 }) => p50)} ms, p99 ${middle(({ p99 }) => p99)} ms, ${errors} errors`,
  );
}

/** Prints how long the work takes, and the peak memory of the process that does it. */
async function measure(what: string, pid: number, work: () => Promise<string>) {
  const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
  const before = resident();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, resident());
  }, LOOK_MS);
  const start = performance.now();
  const result = await work();
  clearInterval(timer);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  print(`${what.padEnd(20)} ${seconds.padStart(6)} s   ${before.toFixed(0)} → ${most.toFixed(0)} MiB   ${result}`);
}
