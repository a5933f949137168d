// Measures an export of groups and an import of as many: `npx tsx bench/transfer.ts [groups]`, on the production build, with
// a temporary database.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ImportAnswer, PIECE_BYTES } from "@/lib/imports/schema";
import { childrenOf } from "../e2e/fixtures/children";
import { signInTo } from "./list-latency";
import { print } from "./report";
import { onStage } from "./stage";

const [, , groups = "100000"] = process.argv;
const LOOK_MS = 100;

await onStage({ groups: Number(groups), print }, async ({ ours: { url, pid } }) => {
  const cookie = await signInTo(url);
  const [pages = 0] = await childrenOf(pid, "pages");
  const call = (environment: string, method: string, path: string, body?: object) =>
    fetch(`${url}/api/${path}`, {
      method,
      headers: { cookie, "x-environment": environment, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  let file = Buffer.alloc(0);
  for (const format of ["csv", "jsonl"]) {
    await measure(`export, ${format}`, pages, async () => {
      const answer = await call("testing", "GET", `user-groups/export?format=${format}`);
      file = Buffer.from(await answer.arrayBuffer());
      return `${(file.length / 1e6).toFixed(1)} MB`;
    });
  }
  const about = (answer: ImportAnswer) => answer.import;
  const send = async (method: string, path: string, body?: object) =>
    about(await (await call("production", method, path, body)).json());
  let job = await send("POST", "imports", { file_name: "groups.jsonl", bytes: file.length });
  await measure("import, file sent", pages, async () => {
    for (let n = 0; n * PIECE_BYTES < file.length; n++) {
      const content = file.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES).toString("base64");
      job = await send("PUT", `imports/${job.id}/pieces/${n}`, { content });
    }
    return job.state;
  });
  const wait = async (state: string) => {
    for (; job.state === state; await sleep(LOOK_MS)) job = await send("GET", `imports/${job.id}`);
    return `${job.state}: ${JSON.stringify(state === "checking" ? job.planned : job.done)}`;
  };
  await measure("import, dry run", pages, () => wait("checking"));
  job = await send("POST", `imports/${job.id}/apply`, {});
  await measure("import, applied", pages, () => wait("applying"));
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
