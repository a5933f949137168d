import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import type pg from "pg";
import { freePort } from "../e2e/fixtures/service-process";
import type { Server } from "./load";
import type { Stage } from "./stage";

/** The environment Testing, which has the groups. */
const ENVIRONMENT_ID = 2;

const TABLES = `
  CREATE TABLE fastify_group (
    id SERIAL PRIMARY KEY, environment_id INTEGER NOT NULL, provided_id TEXT NOT NULL, name TEXT NOT NULL, mapping JSONB NOT NULL,
    properties JSONB, token_index BYTEA NOT NULL UNIQUE, token_sealed BYTEA NOT NULL, created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now(), UNIQUE (environment_id, provided_id)
  );
  CREATE TABLE fastify_token (digest BYTEA PRIMARY KEY, environment_id INTEGER NOT NULL);
  CREATE TABLE fastify_history (
    id BIGSERIAL PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now(), group_id INTEGER NOT NULL, action TEXT NOT NULL,
    request_id TEXT NOT NULL, before JSONB, after JSONB
  );
  CREATE INDEX ON fastify_history (group_id, id);
  INSERT INTO fastify_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)
  SELECT environment_id, provided_id, name, mapping::jsonb, properties::jsonb, token_index, token_sealed FROM user_group`;

/** Starts the service for comparison, on its own tables in the same database. It rotates tokens by id. */
export async function startFastify({ ours, database, settings, bodies, atEnd }: Stage): Promise<Server> {
  await makeTables(database, ours.headers.Authorization ?? "");
  const port = await freePort();
  const program = fork(path.join(import.meta.dirname, "fastify.ts"), {
    execArgv: ["--import", "tsx"],
    env: {
      ...process.env,
      ...settings,
      PORT: String(port),
      ENVIRONMENT_ID: String(ENVIRONMENT_ID),
      NODE_ENV: "production",
    },
  });
  atEnd(() => program.kill());
  // It sends a message once it listens.
  await once(program, "message");
  const { calls, headers } = ours;
  const files = { groups: bodies.groups, rotations: bodies.groups };
  return { name: "fastify", url: `http://127.0.0.1:${port}`, pid: program.pid ?? 0, calls, headers, ...files };
}

/** Creates the tables of the service for comparison, with our groups and this Authorization header's API token. */
async function makeTables(database: pg.Client, authorization: string) {
  await database.query(TABLES);
  const digest = createHash("sha256").update(authorization).digest();
  await database.query("INSERT INTO fastify_token VALUES ($1, $2)", [digest, ENVIRONMENT_ID]);
  for (const table of ["fastify_group", "fastify_token"]) await database.query(`VACUUM (ANALYZE) ${table}`);
}
