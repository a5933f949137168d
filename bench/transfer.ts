// Measures an export of groups and an import of as many: `npx tsx bench/transfer.ts [groups]`, on the production build,
// with a temporary database.
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { childrenOf } from "../e2e/fixtures/children";
import { print } from "./report";
import { onStage } from "./stage";
import { callsTo, exportGroups, importFile } from "./transfers";

const [, , groups = "100000"] = process.argv;
const LOOK_MS = 100;

await onStage({ groups: Number(groups), print }, async ({ ours: { url, pid } }) => {
  const callIn = await callsTo(url);
  const [pages = 0] = await childrenOf(pid, "pages");
  let file = Buffer.alloc(0);
  for (const format of ["csv", "jsonl"]) {
    await measure(`export, ${format}`, pages, async () => {
      file = Buffer.from(await buffer(await exportGroups(callIn("testing"), format)));
      return `${(file.length / 1e6).toFixed(1)} MB`;
    });
  }
  await importFile(callIn("production"), file, (what, work) => measure(what, pages, work));
});

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
