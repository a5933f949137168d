import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sendByAutocannon } from "./load-autocannon";
import { sendByWrk } from "./load-wrk";
import { findProgram } from "./programs";

/** A kind of request: a group that exists, one that does not, a new name, a rotation. */
export type Kind = "any" | "fresh" | "named" | "next";

/** What is sent, and how: each connection sends its next request as soon as it has its answer. */
export interface Load {
  /** mix: 90 any, 5 fresh, 4 named, 1 next */
  kind: Kind | "mix";
  connections: number;
  seconds: number;
}

/** What carries load, and is measured. */
export interface Contender {
  name: string;
  run(load: Load): Promise<Measured>;
}

/**
 * What a run of requests came to: times in milliseconds, CPU in seconds, RSS in MiB of the process afterwards;
 * null where there is no one process.
 */
export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  requests: number;
  cpu: number | null;
  rss: number | null;
}

/** A server that runs, and how it is called. */
export interface Server {
  name: string;
  /** without a path */
  url: string;
  pid: number;
  /** "METHOD /path" for each kind of request */
  calls: Record<Kind, string>;
  headers: Record<string, string>;
  /** a file with a body a line, each of which names a group */
  groups: string;
  /** a file with a body a line, each of which rotates a group's token once */
  rotations: string;
  /** writes that file anew, where each may be sent once only */
  renewRotations?(): Promise<void>;
}

/** A shot of load at a server. */
export interface Shot extends Load {
  server: Server;
  /** how many of the rotations have been sent before */
  first: number;
  /** no other shot has this number */
  run: string;
}

/** What a load generator has to say of a shot, times in milliseconds; `rotated` counts on from the shot's `first`. */
export interface Sent {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  errors: number;
  rotated: number;
}

const TOOLS = { wrk: sendByWrk, autocannon: sendByAutocannon };
export type Tool = keyof typeof TOOLS;
const TICKS_PER_SECOND = 100;

let shots = 0;
/** How far each file of rotations is used up: no token may be sent twice. */
const rotated = new Map<string, number>();

/**
 * The load generator to use: wrk where it is installed, unless another is asked for.
 * @throws when there is none of that name
 */
export function chooseTool(name = findProgram("wrk") ? "wrk" : "autocannon"): Tool {
  if (name === "wrk" || name === "autocannon") return name;
  throw new Error(`--load takes wrk or autocannon, not ${name}.`);
}

/** A server as a contender. */
export function contend(server: Server, tool: Tool): Contender {
  const { name, pid, rotations, renewRotations } = server;
  return {
    name,
    async run(load) {
      shots += 1;
      if (load.kind === "next" && rotated.get(rotations) && renewRotations) {
        // What a contender was still carrying out when its load ended has ended too by then.
        await sleep(1_000);
        await renewRotations();
        rotated.set(rotations, 0);
      }
      const before = cpuSeconds(pid);
      const shot = { ...load, server, first: rotated.get(rotations) ?? 0, run: `${Date.now()}${shots}` };
      const { requests, seconds, p50, p99, errors, ...sent } = await TOOLS[tool](shot);
      rotated.set(rotations, sent.rotated);
      const cpu = cpuSeconds(pid) - before;
      return { perSecond: requests / seconds, p50, p99, errors, requests, cpu, rss: residentMebibytes(pid) };
    },
  };
}

/** CPU seconds so far of a process and of its children, user and system time: with WORKERS it is children that answer. */
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
