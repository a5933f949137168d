import path from "node:path";
import { run } from "../e2e/fixtures/run";
import type { Sent, Shot } from "./load";

const SCRIPT = path.join(import.meta.dirname, "load.lua");

/**
 * Sends a shot with wrk, from one thread.
 * @throws when it is not installed (apt-get install wrk)
 */
export async function sendByWrk({ server, kind, connections, seconds, first, ...shot }: Shot): Promise<Sent> {
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
