import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { freePort } from "../e2e/fixtures/service-process";
import type { Server } from "./load";
import type { Stage } from "./stage";

/** Starts the bare server on a table of its own. */
export async function startBare({ database, settings, bodies, atEnd }: Stage): Promise<Server> {
  await database.query("CREATE TABLE bare_group (LIKE user_group INCLUDING ALL)");
  await database.query("INSERT INTO bare_group SELECT * FROM user_group");
  await database.query("VACUUM (ANALYZE) bare_group");
  const started = await startProgram("bare.ts", settings, atEnd);
  return {
    name: "bare",
    ...started,
    calls: { any: "GET /", fresh: "PATCH /", named: "PUT /", next: "POST /" },
    headers: { "Content-Type": "application/json" },
    groups: bodies.groups,
    rotations: bodies.groups,
  };
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
