import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../e2e/fixtures/run";

/** A kind of request: an existing group, a new one, a new name, a rotation. */
export type Kind = "any" | "fresh" | "named" | "next";

/** A load: each connection sends its next request as soon as it has its answer. */
export interface Load {
  /** mix: 90 any, 5 fresh, 4 named, 1 next */
  kind: Kind | "mix";
  connections: number;
  seconds: number;
}

/** A server under load. */
export interface Contender {
  name: string;
  run(load: Load): Promise<Measured>;
}

/** The result of a run: times in milliseconds, CPU in seconds, RSS in MiB of the process afterwards. */
export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  requests: number;
  cpu: number;
  rss: number;
}

/** A running server, and its calls. */
export interface Server {
  name: string;
  /** without a path */
  url: string;
  pid: number;
  /** "METHOD /path" for each kind of request */
  calls: Record<Kind, string>;
  headers: Record<string, string>;
  /** a file with one body per line, each naming a group */
  groups: string;
  /** a file with one body per line, each rotating a group's token once */
  rotations: string;
  /** rewrites that file, for a server on which each line works only once */
  renewRotations?(): Promise<void>;
}

/** A shot of load for one server. */
interface Shot extends Load {
  server: Server;
  /** number of rotations already sent */
  first: number;
  /** unique number of the shot */
  run: string;
}

/** wrk's report of a shot, times in milliseconds; `rotated` continues from the shot's `first`. */
interface Sent {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  errors: number;
  rotated: number;
}

const SCRIPT = path.join(import.meta.dirname, "load.lua");
const TICKS_PER_SECOND = 100;

let shots = 0;
/** How many lines of each rotations file are used: no token may be sent twice. */
const rotated = new Map<string, number>();

/** A server as a contender. */
export function contend(server: Server): Contender {
  const { name, pid, rotations, renewRotations } = server;
  return {
    name,
    async run(load) {
      shots += 1;
      if (load.kind === "next" && rotated.get(rotations) && renewRotations) {
        // Lets a contender finish work that is still running when its load ends.
        await sleep(1_000);
        await renewRotations();
        rotated.set(rotations, 0);
      }
      const before = cpuSeconds(pid);
      const shot = { ...load, server, first: rotated.get(rotations) ?? 0, run: `${Date.now()}${shots}` };
      const { requests, seconds, p50, p99, errors, ...sent } = await sendByWrk(shot);
      rotated.set(rotations, sent.rotated);
      const cpu = cpuSeconds(pid) - before;
      return { perSecond: requests / seconds, p50, p99, errors, requests, cpu, rss: residentMebibytes(pid) };
    },
  };
}

/**
 * Sends a shot with wrk, from one thread.
 * @throws when it is not installed (apt-get install wrk)
 */
async function sendByWrk({ server, kind, connections, seconds, first, ...shot }: Shot): Promise<Sent> {
  const { any, fresh, named, next } = server.calls;
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s"];
  for (const [name, value] of Object.entries(server.headers)) args.push("-H", `${name}: ${value}`);
  args.push("-s", SCRIPT, server.url, "--", kind, [any, fresh, named, next].join(","));
  args.push(server.groups, server.rotations, String(first), shot.run);
  const { code, stdout, stderr } = await run("wrk", args);
  const line = /^\{"requests".*$/m.exec(stdout)?.[0];
  if (code !== 0 || !line) throw new Error(`wrk exited with ${code}: ${stderr || stdout}`);
  const { requests, microseconds, p50, p99, errors, rotated } = JSON.parse(line);
  return { requests, seconds: microseconds / 1e6, p50: p50 / 1000, p99: p99 / 1000, errors, rotated };
}

/** CPU seconds so far of a process and its children, user and system time. */
export function cpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const own = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  return children.reduce((sum, child) => sum + cpuSeconds(child), own);
}

function residentMebibytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
