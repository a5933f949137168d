// The bare server for comparison: node:http and pg, one named prepared statement per request, and nothing else:
// no validation, no credential, no sealing, no history. It has a table of its own, with the same columns and indexes.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import pg from "pg";
import { statementsOn } from "./bare-statements";

interface Body {
  user_group_id: string;
  name?: string;
}

const statements = statementsOn("bare_group");
const CALLS: Record<string, { name: string; text: string; values(body: Body): unknown[] }> = {
  GET: { name: "find", text: statements.any, values: ({ user_group_id }) => [user_group_id] },
  PATCH: { name: "create", text: statements.fresh, values: withToken },
  PUT: { name: "update", text: statements.named, values: ({ user_group_id, name }) => [user_group_id, name] },
  POST: { name: "rotate", text: statements.next, values: withToken },
};

function withToken({ user_group_id }: Body) {
  return [user_group_id, randomBytes(32), randomBytes(86)];
}

// Connections stay open between turns, like ours.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, idleTimeoutMillis: 0 });

const server = createServer(async (req, res) => {
  const call = CALLS[req.method ?? ""];
  if (!call) throw new Error(`unsupported method ${req.method}`);
  const { name, text } = call;
  const body = JSON.parse(await read(req));
  const { rows } = await pool.query({ name, text, values: call.values(body) });
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

server.listen(Number(process.env.PORT), "127.0.0.1", () => process.send?.("listening"));
