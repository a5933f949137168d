import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { run } from "../e2e/fixtures/run";
import { freePort, startService } from "../e2e/fixtures/service-process";
import type { Server } from "./load";
import type { Stage } from "./stage";

const NEXT = "node_modules/next/dist/bin/next";
const PLAIN = "bench/plain-way";

/** Starts the bare server, on a table of its own. */
export async function startBare({ database, settings, bodies, atEnd }: Stage): Promise<Server> {
  await database.query("CREATE TABLE bare_group (LIKE user_group INCLUDING ALL)");
  await database.query("INSERT INTO bare_group SELECT * FROM user_group");
  await database.query("VACUUM (ANALYZE) bare_group");
  const port = await freePort();
  const bare = fork(path.join(import.meta.dirname, "bare.ts"), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, DATABASE_URL: settings.DATABASE_URL, PORT: String(port), NODE_ENV: "production" },
  });
  atEnd(() => bare.kill());
  await once(bare, "message");
  return {
    name: "bare",
    url: `http://127.0.0.1:${port}`,
    pid: bare.pid ?? 0,
    calls: { any: "GET /", fresh: "PATCH /", named: "PUT /", next: "POST /" },
    headers: { "Content-Type": "application/json" },
    groups: bodies.groups,
    rotations: bodies.groups,
  };
}

/** Builds and starts the plain way: the same calls through Next's own pipeline and Prisma's models, on our tables. */
export async function startPlain({ ours, settings, atEnd }: Stage): Promise<Server> {
  const built = await run(process.execPath, [NEXT, "build", PLAIN], { env: { NEXT_TELEMETRY_DISABLED: "1" } });
  if (built.code !== 0) throw new Error(`the plain way cannot be built: ${built.stderr || built.stdout}`);
  const service = await startService(
    { ...settings, NEXT_TELEMETRY_DISABLED: "1" },
    { until: "alive", command: [process.execPath, NEXT, "start", PLAIN, "--hostname", "127.0.0.1"] },
  );
  atEnd(() => service.stop());
  return {
    ...ours,
    name: "plain",
    url: service.url,
    pid: service.pid,
    // Next drops the body of a GET.
    calls: { ...ours.calls, any: "POST /api/user/get-or-create", fresh: "POST /api/user/get-or-create" },
  };
}
