import { setTimeout as sleep } from "node:timers/promises";
import { type Job, type JobAnswer, type JobState, PIECE_BYTES } from "@/lib/jobs/schema";
import { signInTo } from "./list-latency";

const LOOK_MS = 100;

/** Calls of the owner to a service, in an environment. */
type Call = (method: string, path: string, body?: object) => Promise<Response>;

/** Signs in and returns how to call the service. */
export async function callsTo(url: string, environment = "testing"): Promise<Call> {
  const cookie = await signInTo(url);
  return (method, path, body) =>
    fetch(`${url}/api/${path}`, {
      method,
      headers: { cookie, "x-environment": environment, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
}

/** Exports all groups; returns the answer's bytes as they come. */
export async function exportGroups(call: Call, format: string): Promise<ReadableStream<Uint8Array>> {
  const { body, status } = await call("GET", `user-groups/export?format=${format}`);
  if (status !== 200 || !body) throw new Error(`the export answered ${status}`);
  return body;
}

/** Runs a step, named, that returns what it did. */
type Step = (what: string, work: () => Promise<string>) => Promise<unknown>;

/** Imports a file of JSON lines. */
export async function importFile(call: Call, file: Buffer, step: Step) {
  let job = await askFor(call, "POST", "jobs", { kind: "import", file_name: "groups.jsonl", bytes: file.length });
  await step("import, file sent", async () => {
    for (let n = 0; n * PIECE_BYTES < file.length; n++) {
      const content = file.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES).toString("base64");
      job = await askFor(call, "PUT", `jobs/${job.id}/pieces/${n}`, { content });
    }
    return job.state;
  });
  await step("import, dry run", () => waitFor(call, job.id, ["checking"]));
  await askFor(call, "POST", `jobs/${job.id}/apply`, {});
  await step("import, applied", () => waitFor(call, job.id, ["applying"]));
}

async function askFor(call: Call, method: string, path: string, body?: object): Promise<Job> {
  const answer = (await (await call(method, path, body)).json()) as JobAnswer;
  if (!answer.job) throw new Error(JSON.stringify(answer));
  return answer.job;
}

/** Waits for the job to leave the states, and returns its counts. */
async function waitFor(call: Call, id: number, states: JobState[]): Promise<string> {
  for (;;) {
    const { state, planned, done } = await askFor(call, "GET", `jobs/${id}`);
    if (!states.includes(state)) return `${state}: ${JSON.stringify(state === "checked" ? planned : done)}`;
    await sleep(LOOK_MS);
  }
}
