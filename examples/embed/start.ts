// Starts the product and the renderer, two servers with origins of their own; README.md explains the settings.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { UserGroupsClient } from "@user-groups/client";
import type { Express } from "express";
import pg from "pg";
import { CUSTOMERS, groupOf } from "./customers";
import { createProduct } from "./product";
import { createRenderer } from "./renderer";
import { followRevocations } from "./revocations";

const {
  USER_GROUPS_URL = "http://localhost:3000",
  ENVIRONMENT = "testing",
  BACKEND_API_TOKEN,
  RENDERER_API_TOKEN,
  DATABASE_URL,
  PRODUCT_URL = "http://localhost:4000",
  RENDERER_URL = "http://localhost:4001",
  EXPIRES_IN = "900",
} = process.env;
if (!BACKEND_API_TOKEN || !RENDERER_API_TOKEN || !DATABASE_URL) {
  throw new Error("Set BACKEND_API_TOKEN, RENDERER_API_TOKEN and DATABASE_URL.");
}

const backend = new UserGroupsClient({ baseUrl: USER_GROUPS_URL, apiToken: BACKEND_API_TOKEN });
const asRenderer = new UserGroupsClient({ baseUrl: USER_GROUPS_URL, apiToken: RENDERER_API_TOKEN });
const database = new pg.Pool({ connectionString: DATABASE_URL });

await database.query(await readFile(path.join(import.meta.dirname, "sales.sql"), "utf8"));
for (const [customer, { name }] of Object.entries(CUSTOMERS)) {
  await backend.upsert({ user_group_id: groupOf(customer), name });
}

await listen(
  RENDERER_URL,
  await createRenderer({
    issuer: `${USER_GROUPS_URL}/e/${ENVIRONMENT}`,
    database,
    revocations: await followRevocations(asRenderer),
  }),
);
const options = { userGroups: backend, rendererUrl: RENDERER_URL, expiresIn: Number(EXPIRES_IN) };
await listen(PRODUCT_URL, await createProduct(options));
process.stdout.write(`Open ${PRODUCT_URL}\n`);

async function listen(url: string, app: Express) {
  const { hostname, port } = new URL(url);
  await once(app.listen(Number(port), hostname), "listening");
}
