// The service for comparison: what a good developer writes on Fastify in a day. The statement that finds or changes the
// group also checks the API token; a change and its record in the history are one statement. As in our service, bodies
// are validated, requests logged and tokens sealed. It has no limits, scopes, definitions, search, events, counts of
// use, or shared statements.
import { createHash, randomUUID } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import { newToken, openToken, storeToken } from "@/lib/crypto/group-token";
import { setKeys } from "@/lib/crypto/keyring";

const ENVIRONMENT_ID = Number(process.env.ENVIRONMENT_ID);

interface Body {
  user_group_id: string;
  name?: string;
  mapping?: object;
  properties?: object | null;
}

interface Row {
  id: number | null;
  provided_id: string;
  name: string;
  properties: object | null;
  token_index: Buffer;
  token_sealed: Buffer;
}

const COLUMNS = "id, provided_id, name, properties, token_index, token_sealed";
const CALLER = "SELECT environment_id FROM fastify_token WHERE digest = $1";
const recorded = (action: string) => `recorded AS (
  INSERT INTO fastify_history (group_id, action, request_id, before, after)
  SELECT changed.id, '${action}', $3, to_jsonb(was), to_jsonb(changed) FROM changed LEFT JOIN was USING (id))`;
const updating = (action: string, set: string) => `
  WITH was AS (
    SELECT g.* FROM fastify_group g WHERE environment_id = (${CALLER}) AND provided_id = $2 FOR UPDATE
  ), changed AS (
    UPDATE fastify_group g SET ${set}, updated_at = now() FROM was WHERE g.id = was.id RETURNING g.*
  ), ${recorded(action)}
  SELECT ${COLUMNS} FROM changed`;

const FIND = `SELECT ${COLUMNS} FROM (${CALLER}) AS caller LEFT JOIN fastify_group g ON g.environment_id = caller.environment_id AND provided_id = $2`;
const CREATE = `
  WITH was AS (SELECT * FROM fastify_group WHERE false), changed AS (
    INSERT INTO fastify_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)
    SELECT environment_id, $2, $4, $5::jsonb, $6::jsonb, $7, $8 FROM (${CALLER}) AS caller
    ON CONFLICT (environment_id, provided_id) DO NOTHING RETURNING *
  ), ${recorded("created")}
  SELECT ${COLUMNS} FROM changed`;
const UPDATE = updating(
  "updated",
  "name = coalesce($4, g.name), mapping = coalesce($5::jsonb, g.mapping), properties = coalesce($6::jsonb, g.properties)",
);
const ROTATE = updating("rotated", "token_index = $4, token_sealed = $5");

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
const schema = {
  body: {
    type: "object",
    required: ["user_group_id"],
    properties: {
      user_group_id: { type: "string", minLength: 1, maxLength: 255 },
      name: { type: "string", minLength: 1, maxLength: 255 },
      mapping: { type: "object" },
      properties: { type: ["object", "null"] },
    },
  },
};

const { DATABASE_URL, SECRET_KEY = "", PORT } = process.env;
setKeys(Buffer.from(SECRET_KEY, "hex"), undefined);
// Connections stay open between turns, like ours.
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, idleTimeoutMillis: 0 });
const app = Fastify({ exposeHeadRoutes: false, logger: { file: "/dev/null" }, genReqId: () => randomUUID() });
app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });

type Asked = { body: Body; id: string; headers: { authorization?: string } };
const digest = ({ headers }: Asked) =>
  createHash("sha256")
    .update(headers.authorization ?? "")
    .digest();
async function one(name: string, text: string, values: unknown[]): Promise<Row | undefined> {
  return (await pool.query<Row>({ name, text, values })).rows[0];
}
function sealed(providedId: string) {
  const { tokenIndex, tokenSealed } = storeToken(newToken(), { environmentId: ENVIRONMENT_ID, providedId });
  return [tokenIndex, tokenSealed];
}
function answer({ id: team_id, provided_id, name, properties, token_index, token_sealed }: Row) {
  const place = { environmentId: ENVIRONMENT_ID, providedId: provided_id };
  const token = openToken({ ...place, tokenIndex: token_index, tokenSealed: token_sealed });
  return { success: 1, user_group: { team_id, token, name, provided_id, properties } };
}
const refused = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });

app.get("/api/user", { schema }, async (request) => {
  const asked = request as Asked;
  const { user_group_id: id, name = id, mapping = {}, properties = null } = asked.body;
  const found = await one("find", FIND, [digest(asked), id]);
  if (!found) throw refused(401, "unauthorized");
  if (found.id !== null) return { new_user_group: false, ...answer(found) };
  const values = [digest(asked), id, asked.id, name, json(mapping), json(properties), ...sealed(id)];
  const created = await one("create", CREATE, values);
  if (created) return { new_user_group: true, ...answer(created) };
  const winner = await one("find", FIND, [digest(asked), id]);
  if (!winner) throw refused(503, "unavailable");
  return { new_user_group: false, ...answer(winner) };
});
app.put("/api/user", { schema }, async (request) => {
  const asked = request as Asked;
  const { user_group_id: id, name = null, mapping, properties } = asked.body;
  const changed = await one("update", UPDATE, [digest(asked), id, asked.id, name, json(mapping), json(properties)]);
  if (!changed) throw refused(404, "unknown_user_group");
  return answer(changed);
});
app.post("/api/user", { schema }, async (request) => {
  const asked = request as Asked;
  const { user_group_id: id } = asked.body;
  const changed = await one("rotate", ROTATE, [digest(asked), id, asked.id, ...sealed(id)]);
  if (!changed) throw refused(404, "unknown_user_group");
  return answer(changed);
});

await app.listen({ port: Number(PORT), host: "127.0.0.1" });
process.send?.("listening");
