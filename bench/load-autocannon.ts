import { readFileSync } from "node:fs";
import autocannon from "autocannon";
import type { Kind, Sent, Shot } from "./load";
import { quantile } from "./quantile";

interface Made {
  call: string;
  body: string;
}

/** Sends a shot with autocannon, from this process: a fallback for wrk, as it costs more itself. */
export async function sendByAutocannon({ server, kind, connections, seconds, first, run }: Shot): Promise<Sent> {
  const groups = groupsOf(server.groups);
  // Rewritten between shots.
  const rotations = kind === "next" || kind === "mix" ? linesOf(server.rotations) : [];
  let [count, rotated] = [0, first];
  const anyGroup = () => groups[Math.floor(Math.random() * groups.length)] ?? "";
  const bodies: Record<Kind, () => string> = {
    any: anyGroup,
    fresh: () => JSON.stringify({ user_group_id: `fresh-${run}-${++count}` }),
    named: () => `${anyGroup().slice(0, -1)},"name":"name ${run} ${++count}"}`,
    // Once used up they repeat, and ours refuses them: they count as errors.
    next: () => rotations[rotated++ % rotations.length] ?? "",
  };
  const make = (): Made => {
    const one = kind === "mix" ? drawn() : kind;
    return { call: server.calls[one], body: bodies[one]() };
  };
  const times: number[] = [];
  const result = await new Promise<{ requests: number; seconds: number; errors: number }>((resolve, reject) => {
    const setupRequest = <T>(request: T) => {
      const { call, body } = make();
      const [method = "", path = ""] = call.split(" ");
      return { ...request, method, path, body };
    };
    const options = { url: server.url, connections, duration: seconds, timeout: 10, headers: server.headers };
    const shooting = autocannon(
      { ...options, requests: [{ setupRequest }] },
      (error, { requests, duration, ...ended }) => {
        if (error) reject(error);
        else resolve({ requests: requests.total, seconds: duration, errors: ended.errors + ended.non2xx });
      },
    );
    // Its own histogram has a resolution of a millisecond.
    shooting.on("response", (_client, _status, _bytes, milliseconds: number) => times.push(milliseconds));
  });
  return { ...result, p50: quantile(times, 0.5), p99: quantile(times, 0.99), rotated };
}

function drawn(): Kind {
  const dice = Math.random() * 100;
  if (dice < 90) return "any";
  if (dice < 95) return "fresh";
  return dice < 99 ? "named" : "next";
}

const read = new Map<string, string[]>();

function groupsOf(file: string): string[] {
  const lines = read.get(file) ?? linesOf(file);
  read.set(file, lines);
  return lines;
}

function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n");
}
