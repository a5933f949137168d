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
  const port = await freePort();
  const program = fork(path.join(import.meta.dirname, "fastify.ts"), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, ...settings, PORT: String(port), NODE_ENV: "production" },
  });
  atEnd(() => program.kill());
  // It reports when it listens.
  await once(program, "message");
  const { calls, headers } = ours;
  const files = { groups: bodies.groups, rotations: bodies.groups };
  return { name: "fastify", url: `http://127.0.0.1:${port}`, pid: program.pid ?? 0, calls, headers, ...files };
}
