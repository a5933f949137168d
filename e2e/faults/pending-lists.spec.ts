import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { expect, query, SECRET_KEY, test } from "../fixtures/own-service";

const PENDING = `
  SELECT sum(pending_tuples)::int AS tuples FROM pg_index JOIN pg_class ON oid = indexrelid CROSS JOIN pgstatginindex(oid)
  WHERE indrelid = 'group_search'::regclass AND relam = (SELECT oid FROM pg_am WHERE amname = 'gin')`;

test("pending entries of the search indexes are soon merged, by one of two instances", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const services = [await start(settings), await start(settings)];
  const [first, second] = services.map(({ url }) => url);
  const token = await insertApiToken(settings);
  const clients = [clientOf(first ?? "", token), clientOf(second ?? "", token)];
  await query(settings.DATABASE_URL, "CREATE EXTENSION pgstattuple");
  const pending = async () => (await query<{ tuples: number }>(settings.DATABASE_URL, PENDING))[0]?.tuples;
  // While one instance cleans up, the others do nothing.
  const other = new pg.Client({ connectionString: settings.DATABASE_URL });
  await other.connect();
  await other.query("SELECT pg_advisory_lock(hashtext('clean pending lists'))");
  for (const client of clients) await client.get("group", { name: "Acme" });
  await sleep(1_500);
  expect(await pending()).toBeGreaterThan(0);
  await other.end();
  await expect.poll(pending).toBe(0);
  for (const [i, client] of clients.entries()) {
    await expect(async () => {
      expect((await client.get(`${i}-${Date.now()}`, { name: "Acme" })).status).toBe(200);
      expect(await pending()).toBeGreaterThan(0);
    }).toPass();
    await expect.poll(pending).toBe(0);
  }
  for (const service of services) {
    expect(await service.stop()).toBe(0);
    expect(await readFile(service.log, "utf8")).not.toContain("cleanPendingLists");
  }
});
