import { mkdirSync, writeFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import path from "node:path";
import { WebSocket } from "undici";
import { freePort } from "../e2e/fixtures/service-process";
import { contend, type Tool } from "./load";
import { circumstances, print, RESULTS } from "./report";
import { onStage } from "./stage";

const LOAD = { kind: "any", connections: 32 } as const;
const [WARM_UP_SECONDS, SECONDS] = [8, 10];
const INTERVAL_MICROSECONDS = 200;
const SHOWN = 20;

/** Profiles the service while it answers GET existing over 32 connections, and prints where the time went. */
export async function profile({ tool, groups }: { tool: Tool; groups: number }) {
  const port = await freePort();
  await onStage({ groups, print, nodeOptions: [`--inspect=127.0.0.1:${port}`] }, async ({ ours }) => {
    const { run } = contend(ours, tool);
    await run({ ...LOAD, seconds: WARM_UP_SECONDS });
    const inspector = await inspect(port);
    await inspector.send("Profiler.enable");
    await inspector.send("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS });
    await inspector.send("Profiler.start");
    const { perSecond } = await run({ ...LOAD, seconds: SECONDS });
    const { profile } = (await inspector.send("Profiler.stop")) as Profiler.StopReturnType;
    inspector.close();
    mkdirSync(RESULTS, { recursive: true });
    const { date, commit } = circumstances();
    const file = path.join(RESULTS, `${date}-${commit.slice(0, 7)}.cpuprofile`);
    writeFileSync(file, JSON.stringify(profile));
    print(`\nGET existing, 32 connections, profiled: ${perSecond.toFixed(0)} req/s\n`);
    printSelfTimes(profile);
    print(`\nWritten to ${path.relative(process.cwd(), file)}. Open it in Chromium's developer tools.`);
  });
}

type Frame = Profiler.Profile["nodes"][number]["callFrame"];

interface Inspector {
  send(method: string, params?: object): Promise<unknown>;
  close(): void;
}

/** Connects to a process's inspector (Chrome DevTools protocol). */
async function inspect(port: number): Promise<Inspector> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  if (!target) throw new Error("the service has no inspector");
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  return {
    send(method, params = {}) {
      last += 1;
      socket.send(JSON.stringify({ id: last, method, params }));
      return new Promise((resolve) => waiting.set(last, resolve));
    },
    close: () => socket.close(),
  };
}

function printSelfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const parts = new Map<string, number>();
  let [busy, idle] = [0, 0];
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    const time = timeDeltas[at] ?? 0;
    if (!frame || frame.functionName === "(idle)") {
      idle += time;
      continue;
    }
    busy += time;
    const [name, part] = [nameOf(frame), partOf(frame)];
    functions.set(name, (functions.get(name) ?? 0) + time);
    parts.set(part, (parts.get(part) ?? 0) + time);
  }
  const shares = (times: Map<string, number>) => {
    for (const [name, time] of [...times].sort(([, one], [, other]) => other - one).slice(0, SHOWN)) {
      print(`${((time / busy) * 100).toFixed(1).padStart(6)} %  ${name}`);
    }
  };
  print(`Idle ${((idle / (busy + idle)) * 100).toFixed(1)} % of the time. Of the rest, self time by function:`);
  shares(functions);
  print("\nand by owner of the code:");
  shares(parts);
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const place = url.replace(/^file:\/\//, "").replace(`${process.cwd()}/`, "");
  return `${functionName || "(anonymous)"}${place ? `  ${place}:${lineNumber + 1}` : ""}`;
}

function partOf({ functionName, url }: Frame): string {
  if (functionName === "(garbage collector)") return "garbage collection";
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (dependency) return dependency;
  if (url.startsWith("node:")) return "Node's own JavaScript";
  return url === "" ? "native code: system calls, cryptography, the engine" : "this service";
}
