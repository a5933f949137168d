import type { ClientBase } from "pg";
import { type Bound, bindingOf } from "@/lib/crypto/api-token";
import { type Statement, write } from "@/lib/db/pool";

// API tokens made before bindings, and by an older release that still runs beside this one, have none. They are bound
// as they are found, for a week after the migration: the role that serves cannot make that week begin again.

const MIGRATION = "20261124193000_api_token_binding";
const IS_TIME = `EXISTS (
  SELECT FROM _prisma_migrations WHERE migration_name = '${MIGRATION}' AND finished_at > now() - interval '7 days')`;

const BIND: Statement = {
  name: "bind_api_tokens",
  text: `
    UPDATE api_token t SET binding = u.binding
    FROM unnest($1::int[], $2::int[], $3::access[], $4::bytea[], $5::bytea[]) AS u(id, environment_id, access, index, binding)
    WHERE t.id = u.id AND t.environment_id = u.environment_id AND t.access = u.access AND t.token_index = u.index
      AND t.binding IS NULL AND ${IS_TIME}
    RETURNING t.id`,
};

interface Unbound extends Bound {
  id: number;
  index: Buffer;
}

function columns(tokens: Unbound[]): unknown[] {
  return [
    tokens.map(({ id }) => id),
    tokens.map(({ environmentId }) => environmentId),
    tokens.map(({ access }) => access),
    tokens.map(({ index }) => index),
    tokens.map((token) => bindingOf(token.index, token)),
  ];
}

/** Binds all API tokens that have no binding, while it is time for that. */
export async function bindApiTokens(client: ClientBase) {
  const { rows } = await client.query<Unbound>(
    `SELECT id, environment_id AS "environmentId", access, token_index AS index FROM api_token
     WHERE binding IS NULL AND ${IS_TIME}`,
  );
  if (rows.length > 0) await client.query(BIND.text, columns(rows));
}

/** Binds one that was shown just now; false when it is too late for that. */
export async function bindLate(token: Unbound): Promise<boolean> {
  return (await write(BIND, columns([token]))).length > 0;
}
