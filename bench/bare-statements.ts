import type { Kind } from "./load";

const COLUMNS = "team_id, provided_id, name, properties, version";

/** One statement for each kind of request, on a table with the columns and indexes of user_group. */
export function statementsOn(table: string): Record<Kind, string> {
  return {
    any: `SELECT ${COLUMNS} FROM ${table} WHERE environment_id = 2 AND provided_id = $1`,
    fresh: `INSERT INTO ${table} (environment_id, provided_id, name, mapping, token_index, token_sealed)
      VALUES (2, $1, $1, '{}', $2, $3) ON CONFLICT (environment_id, provided_id) DO NOTHING RETURNING ${COLUMNS}`,
    named: `UPDATE ${table} SET name = $2, version = version + 1, updated_at = now()
      WHERE environment_id = 2 AND provided_id = $1 RETURNING ${COLUMNS}`,
    next: `UPDATE ${table} SET token_index = $2, token_sealed = $3, version = version + 1, rotated_at = now()
      WHERE environment_id = 2 AND provided_id = $1 RETURNING ${COLUMNS}`,
  };
}
