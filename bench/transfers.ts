import { setTimeout as sleep } from "node:timers/promises";
import { type JobAnswer, PIECE_BYTES } from "@/lib/jobs/schema";
import { signInTo } from "./list-latency";

const LOOK_MS = 100;

/** Calls of the owner to a service, in Testing. */
type Call = (method: string, path: string, body?: object) => Promise<Response>;

/** Signs in and returns how to call the service. */
export async function callsTo(url: string): Promise<Call> {
  const cookie = await signInTo(url);
  return (method, path, body) =>
    fetch(`${url}/api/${path}`, {
      method,
      headers: { cookie, "x-environment": "testing", ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
}

/** Exports all groups; returns the answer's bytes as they come. */
export async function exportGroups(call: Call, format: string): Promise<ReadableStream<Uint8Array>> {
  const { body, status } = await call("GET", `user-groups/export?format=${format}`);
  if (status !== 200 || !body) throw new Error(`the export answered ${status}`);
  return body;
}

/** Imports a file of JSON lines; `step` runs each step, named, and each returns what it did. */
export async function importFile(
  call: Call,
  file: Buffer,
  step: (what: string, work: () => Promise<string>) => Promise<unknown>,
) {
  const send = async (method: string, path: string, body?: object) => {
    const answer = (await (await call(method, path, body)).json()) as JobAnswer;
    if (!answer.job) throw new Error(JSON.stringify(answer));
    return answer.job;
  };
  let job = await send("POST", "jobs", { kind: "import", file_name: "groups.jsonl", bytes: file.length });
  await step("import, file sent", async () => {
    for (let n = 0; n * PIECE_BYTES < file.length; n++) {
      const content = file.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES).toString("base64");
      job = await send("PUT", `jobs/${job.id}/pieces/${n}`, { content });
    }
    return job.state;
  });
  const wait = async (state: string) => {
    for (; job.state === state; await sleep(LOOK_MS)) job = await send("GET", `jobs/${job.id}`);
    return `${job.state}: ${JSON.stringify(state === "checking" ? job.planned : job.done)}`;
  };
  await step("import, dry run", () => wait("checking"));
  job = await send("POST", `jobs/${job.id}/apply`, {});
  await step("import, applied", () => wait("applying"));
}
