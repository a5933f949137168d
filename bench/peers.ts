import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { freePort } from "../e2e/fixtures/service-process";
import { makeTables } from "./fastify-tables";
import type { Server } from "./load";
import type { Stage } from "./stage";

/** Starts the service for comparison, on tables of its own in the same database. It rotates tokens by id. */
export async function startFastify({ ours, database, settings, bodies, atEnd }: Stage): Promise<Server> {
  await makeTables(database, ours.headers.Authorization ?? "");
  const started = await startProgram("fastify.ts", settings, atEnd);
  const { calls, headers } = ours;
  return { name: "fastify", ...started, calls, headers, groups: bodies.groups, rotations: bodies.groups };
}

/** Starts a server that does nothing, which leaves node:http and the load generator. */
export async function startNodeAlone({ ours, atEnd }: Stage): Promise<Server> {
  return { ...ours, name: "node", ...(await startProgram("node-alone.ts", {}, atEnd)) };
}

/** Starts a program of this folder that listens on PORT and reports when it does. */
async function startProgram(file: string, settings: Record<string, string>, atEnd: Stage["atEnd"]) {
  const port = await freePort();
  const program = fork(path.join(import.meta.dirname, file), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, ...settings, PORT: String(port), NODE_ENV: "production" },
  });
  atEnd(() => program.kill());
  await once(program, "message");
  return { url: `http://127.0.0.1:${port}`, pid: program.pid ?? 0 };
}
