import { readFile } from "node:fs/promises";
import { PRESETS } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { detach, promote, test } from "../fixtures/failover";
import type { OwnPostgres } from "../fixtures/own-postgres";
import { expect, METRICS_TOKEN, query } from "../fixtures/own-service";
import type { ServiceProcess } from "../fixtures/service-process";

// A PostgreSQL and its standby behind one address, as with HAProxy or a Kubernetes service.

const SETTINGS = { SECRET_KEY: "8".repeat(64), METRICS_TOKEN };

test.skip(process.platform !== "linux", "needs Linux: reads /proc");

/** The servers with sessions of the service. */
async function whereServed(...servers: OwnPostgres[]): Promise<number[]> {
  const sessions = "SELECT FROM pg_stat_activity WHERE application_name ~ '^user-group-service [0-9]'";
  const counts = await Promise.all(servers.map(async ({ url }) => (await query(url, sessions)).length));
  return servers.filter((_, at) => counts[at]).map(({ port }) => port);
}

/** The failovers counted by a service. */
async function failovers({ url }: ServiceProcess): Promise<number> {
  const headers = { authorization: `Bearer ${SETTINGS.METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const counts = [...text.matchAll(/^database_failovers_total\S* (\d+)$/gm)].map(([, count]) => Number(count));
  expect(counts.length).toBeGreaterThan(0);
  return counts.reduce((sum, count) => sum + count, 0);
}

test("healthy sessions on a former primary end, and the failover is logged and counted once", async ({
  start,
  pair,
}) => {
  const { primary, standby, way, url } = pair;
  const service = await start({ ...SETTINGS, DATABASE_URL: url });
  const client = clientOf(service.url, await insertApiToken({ ...SETTINGS, DATABASE_URL: url }));
  const { json } = await client.get("kept", { name: "Kept" });
  expect(await whereServed(primary, standby)).toEqual([primary.port]);
  expect(await failovers(service)).toBe(0);

  // The former primary stays up with every session open.
  await detach(pair);
  await promote(standby);
  way.leadNewTo(standby.port);
  await expect.poll(() => whereServed(primary, standby), { timeout: 20_000 }).toEqual([standby.port]);
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect((await client.get("kept")).json.user_group).toEqual(json.user_group);
  expect((await client.put("kept", { name: "Changed" })).status).toBe(200);
  const named = "SELECT name FROM user_group WHERE provided_id = 'kept'";
  expect(await query(standby.url, named)).toEqual([{ name: "Changed" }]);
  expect(await query(primary.url, named)).toEqual([{ name: "Kept" }]);

  const lines = async () => (await readFile(service.log, "utf8")).match(/^.*the database has failed over.*$/gm) ?? [];
  await expect.poll(async () => (await lines()).length).toBe(1);
  expect(JSON.parse((await lines())[0] ?? "")).toMatchObject({ before: 1, timeline: 2 });
  expect(await failovers(service)).toBe(1);
});

test("a restart of the primary is not a failover, and changes continue", async ({ start, pair }) => {
  const { primary, url } = pair;
  const service = await start({ ...SETTINGS, DATABASE_URL: url });
  const client = clientOf(service.url, await insertApiToken({ ...SETTINGS, DATABASE_URL: url }));
  await client.get("kept");
  await primary.kill();
  await primary.start();
  await expect.poll(async () => (await client.put("kept", { name: "Changed" })).status).toBe(200);
  expect(await failovers(service)).toBe(0);
});

test("a session opened while the database was read-only serves no later change", async ({ start, createDatabase }) => {
  const settings = { ...SETTINGS, DATABASE_URL: await createDatabase(), WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };
  const service = await start(settings);
  const authorization = `Token ${await insertApiToken(settings, { scopes: PRESETS.full })}`;
  const post = async (path: string, body: object) => {
    const headers = { authorization, "content-type": "application/json" };
    return (await fetch(service.url + path, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };
  const webhook = { url: "https://127.0.0.1:9/", types: ["user_group.erased"] };
  // In one of our transactions.
  const batch = () => post("/api/user-groups/batch", { mode: "upsert", user_groups: [{ user_group_id: "one" }] });
  // In Prisma's transactions, which are not retried: several, as each periodic write discards one such session.
  const webhooks = () => Promise.all(Array.from({ length: 4 }, () => post("/api/webhooks", webhook)));
  const server = new URL(settings.DATABASE_URL);
  const name = server.pathname.slice(1);
  server.pathname = "postgres";
  await query(server.href, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await query(server.href, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", [name]);
  expect(await batch()).toBe(503);
  expect(await webhooks()).toEqual([503, 503, 503, 503]);
  await query(server.href, `ALTER DATABASE ${name} RESET default_transaction_read_only`);
  expect(await webhooks()).toEqual([200, 200, 200, 200]);
  expect(await batch()).toBe(200);
});
