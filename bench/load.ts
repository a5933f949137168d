import { readFileSync } from "node:fs";
import path from "node:path";
import { run } from "../e2e/fixtures/run";

/** What is sent, one kind of request or all of them. */
export type Kind = "any" | "fresh" | "named" | "next" | "mix";

/** What requests are measured against. */
export interface Contender {
  name: string;
  /** the whole address, path included */
  url: string;
  pid: number;
  /** by which method each of any, fresh, named and next is sent */
  methods: [string, string, string, string];
  headers: string[];
  /** files with a body a line */
  groups: string;
  rotations: string;
}

/** What a run of requests came to: times in milliseconds, CPU in seconds of the process alone, RSS in MiB afterwards. */
export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  requests: number;
  cpu: number;
  rss: number;
}

interface Load {
  kind: Kind;
  connections: number;
  seconds: number;
}

const SCRIPT = path.join(import.meta.dirname, "load.lua");
const TICKS_PER_SECOND = 100;

let runs = 0;
/** How many groups of each contender have been rotated: no token may be sent twice. */
const rotated = new Map<string, number>();

/** Sends requests over this many connections, each with its next one as soon as it has its answer. */
export async function load(contender: Contender, { kind, connections, seconds }: Load): Promise<Measured> {
  runs += 1;
  const { name, url, pid, methods, headers, groups, rotations } = contender;
  const first = rotated.get(name) ?? 0;
  const before = cpuSeconds(pid);
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s"];
  for (const header of ["Content-Type: application/json", ...headers]) args.push("-H", header);
  args.push("-s", SCRIPT, url, "--", kind, methods.join(","), groups, rotations, String(first), `${Date.now()}${runs}`);
  const { code, stdout, stderr } = await run("wrk", args);
  const line = /^\{"requests".*$/m.exec(stdout)?.[0];
  if (code !== 0 || !line) throw new Error(`wrk ended with ${code}: ${stderr || stdout}`);
  const { requests, microseconds, p50, p99, errors, ...counted } = JSON.parse(line);
  rotated.set(name, counted.rotated);
  return {
    perSecond: (requests / microseconds) * 1e6,
    p50: p50 / 1000,
    p99: p99 / 1000,
    errors,
    requests,
    cpu: cpuSeconds(pid) - before,
    rss: residentMebibytes(pid),
  };
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function residentMebibytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
