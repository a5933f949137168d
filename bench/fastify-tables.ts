import { createHash } from "node:crypto";
import type pg from "pg";

/** Testing's, which has the groups. */
export const ENVIRONMENT_ID = 2;

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

/** Makes the tables of the service for comparison, with our groups, and one API token, of this Authorization header. */
export async function makeTables(database: pg.Client, authorization: string) {
  await database.query(TABLES);
  const digest = createHash("sha256").update(authorization).digest();
  await database.query("INSERT INTO fastify_token VALUES ($1, $2)", [digest, ENVIRONMENT_ID]);
  for (const table of ["fastify_group", "fastify_token"]) await database.query(`VACUUM (ANALYZE) ${table}`);
}
