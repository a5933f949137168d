// The bare server that ours is measured against: node:http and pg, one named prepared statement a request, and nothing else:
// no validation, no credential, no sealing, no history. It has a table of its own, with the same columns and indexes.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

const COLUMNS = "team_id, provided_id, name, properties, version";
const STATEMENTS = {
  GET: { name: "find", text: `SELECT ${COLUMNS} FROM bare_group WHERE environment_id = 2 AND provided_id = $1` },
  PATCH: {
    name: "create",
    text: `INSERT INTO bare_group (environment_id, provided_id, name, mapping, token_index, token_sealed)
           VALUES (2, $1, $1, '{}', $2, $3) ON CONFLICT (environment_id, provided_id) DO NOTHING RETURNING ${COLUMNS}`,
  },
  PUT: {
    name: "update",
    text: `UPDATE bare_group SET name = $2, version = version + 1, updated_at = now()
           WHERE environment_id = 2 AND provided_id = $1 RETURNING ${COLUMNS}`,
  },
  POST: {
    name: "rotate",
    text: `UPDATE bare_group SET token_index = $2, token_sealed = $3, version = version + 1, rotated_at = now()
           WHERE environment_id = 2 AND provided_id = $1 RETURNING ${COLUMNS}`,
  },
};
type Method = keyof typeof STATEMENTS;

const VALUES: Record<Method, (body: { user_group_id: string; name?: string }) => unknown[]> = {
  GET: ({ user_group_id }) => [user_group_id],
  PATCH: ({ user_group_id }) => [user_group_id, randomBytes(32), randomBytes(86)],
  PUT: ({ user_group_id, name }) => [user_group_id, name],
  POST: ({ user_group_id }) => [user_group_id, randomBytes(32), randomBytes(86)],
};

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const server = createServer(async (req, res) => {
  const method = req.method as Method;
  const body = JSON.parse(await read(req));
  const { rows } = await pool.query({ ...STATEMENTS[method], values: VALUES[method](body) });
  const answer = JSON.stringify({ success: 1, user_group: rows[0] });
  res.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(answer) }).end(answer);
});

function read(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => resolve(Buffer.concat(chunks).toString()));
    req.on("error", reject);
  });
}

server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
