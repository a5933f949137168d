import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { closePool, openPool } from "@/lib/db/pool";
import { forgetPreviousSecrets, purgeDeliveries } from "@/lib/webhooks/service";
import { expect, query } from "../fixtures/own-service";
import { answering } from "../fixtures/receiver";
import { test } from "../fixtures/webhook-place";

test("a group erased while its events are being recorded leaves no delivery", { tag: "@release" }, async ({
  calls,
  settings,
  receive,
}) => {
  const receiver = await receive();
  const { webhook } = await calls.create(receiver, ["user_group.created"]);
  const arrived = new Promise<ServerResponse>((resolve) => {
    receiver.answer = resolve;
  });
  await calls.group("erased");
  const held = await arrived;
  receiver.answer = answering(200);
  await calls.remove("erased");
  const client = new pg.Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT environment_id, team_id FROM deleted_group");
    const { environment_id: environment, team_id: team } = rows[0];
    await client.query(
      `INSERT INTO audit_entry (environment_id, team_id, action, actor_type, actor_name)
       VALUES ($1, $2, 'user_group.erased', 'operator', 'e2e')`,
      [environment, team],
    );
    await client.query("SELECT erase_group($1, $2)", [environment, team]);
    held.writeHead(200).end();
    await sleep(500);
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
  await calls.group("other");
  await expect.poll(receiver.groups).toContain("other");
  await expect.poll(async () => (await calls.deliveries(webhook.id)).map(({ team_id }) => team_id)).toEqual([2]);
});

test("old deliveries and secrets are purged, and needed ones are kept", async ({ createDatabase }) => {
  const url = await createDatabase();
  const add = (webhook: number, count: number, state: string, age: string) =>
    query(
      url,
      `INSERT INTO webhook_delivery (webhook_id, message_id, type, body, state, created_at)
       SELECT $1, gen_random_uuid(), 'user_group.created', '{}', $2, now() - $3::interval FROM generate_series(1, $4)`,
      [webhook, state, age, count],
    );
  await query(
    url,
    `INSERT INTO webhook (environment_id, url, description, secret_sealed, previous_secret_sealed, previous_secret_until, epoch, xid, entry_id)
     SELECT 1, 'https://example.com/', '', '', 'old', now() + age, 1, 1, 1 FROM unnest(ARRAY [interval '-1 second', '1 minute']) AS age`,
  );
  await add(1, 3, "delivered", "15 days");
  await add(1, 2, "waiting", "15 days");
  await add(1, 4, "failed", "13 days");
  await add(2, 12_500, "delivered", "1 day");
  openPool(url, 2);
  try {
    await purgeDeliveries();
    await forgetPreviousSecrets();
  } finally {
    await closePool();
  }
  const kept = "SELECT webhook_id, state, count(*)::int FROM webhook_delivery GROUP BY 1, 2 ORDER BY 1, 2";
  expect(await query(url, kept)).toEqual([
    { webhook_id: 1, state: "failed", count: 4 },
    { webhook_id: 1, state: "waiting", count: 2 },
    { webhook_id: 2, state: "delivered", count: 10_000 },
  ]);
  const secrets = "SELECT id, previous_secret_sealed IS NULL AS gone FROM webhook ORDER BY id";
  expect(await query(url, secrets)).toEqual([
    { id: 1, gone: true },
    { id: 2, gone: false },
  ]);
});

test("erasing a group erases its deliveries", { tag: "@release" }, async ({ calls, receive }) => {
  const receiver = await receive();
  const { webhook } = await calls.create(receiver, null);
  for (const id of ["kept", "erased"]) await calls.group(id);
  await calls.remove("erased");
  await expect
    .poll(async () => (await calls.deliveries(webhook.id)).filter(({ team_id }) => team_id === 2).length)
    .toBe(2);
  await calls.purge(2);
  await expect
    .poll(async () =>
      (await calls.deliveries(webhook.id)).filter(({ team_id }) => team_id === 2).map(({ type }) => type),
    )
    .toEqual(["user_group.erased"]);
  expect(JSON.stringify(await calls.deliveries(webhook.id))).not.toContain('\\"erased\\"');
});
