// Starts the product and two renderers, three servers with origins of their own; README.md explains the settings.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { UserGroupsClient } from "@user-groups/client";
import type { Express } from "express";
import pg from "pg";
import { begin } from "./begin";
import { bundle } from "./bundle";

const {
  USER_GROUPS_URL = "http://localhost:3000",
  ENVIRONMENT = "testing",
  BACKEND_API_TOKEN,
  RENDERER_API_TOKEN,
  SETTINGS_API_TOKEN,
  DATABASE_URL,
  PRODUCT_URL = "http://localhost:4000",
  RENDERER_URL = "http://localhost:4001",
  SECOND_RENDERER_URL = "http://localhost:4002",
  EXPIRES_IN = "900",
} = process.env;
if (!BACKEND_API_TOKEN || !RENDERER_API_TOKEN || !SETTINGS_API_TOKEN || !DATABASE_URL) {
  throw new Error("Set BACKEND_API_TOKEN, RENDERER_API_TOKEN, SETTINGS_API_TOKEN and DATABASE_URL.");
}

const clientWith = (apiToken: string) => new UserGroupsClient({ baseUrl: USER_GROUPS_URL, apiToken });
const database = new pg.Pool({ connectionString: DATABASE_URL });
await database.query(await readFile(path.join(import.meta.dirname, "sales.sql"), "utf8"));
const urls = { product: PRODUCT_URL, sales: RENDERER_URL, orders: SECOND_RENDERER_URL };
const apps = await begin({
  clients: {
    backend: clientWith(BACKEND_API_TOKEN),
    renderer: clientWith(RENDERER_API_TOKEN),
    settings: clientWith(SETTINGS_API_TOKEN),
  },
  issuer: `${USER_GROUPS_URL}/e/${ENVIRONMENT}`,
  database,
  urls,
  expiresIn: Number(EXPIRES_IN),
  scripts: { page: await bundle("page.ts"), dashboard: await bundle("dashboard.ts") },
});
for (const name of ["sales", "orders", "product"] as const) await listen(urls[name], apps[name]);
process.stdout.write(`Open ${PRODUCT_URL}\n`);

async function listen(url: string, app: Express) {
  const { hostname, port } = new URL(url);
  await once(app.listen(Number(port), hostname), "listening");
}
