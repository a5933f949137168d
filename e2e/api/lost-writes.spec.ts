import { browserOf } from "../fixtures/cookie-client";
import { holdingLock } from "../fixtures/hold";
import { expect, query, test } from "../fixtures/own-service";

const OWNER = { email: "owner@example.com", password: "correct horse battery" };

test("S1: a loss is not accepted by an owner who is disabled while the change waits", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const url = await createDatabase();
  const { url: service } = await start({
    ...{ DATABASE_URL: url, SECRET_KEY: "6e".repeat(32) },
    ...{ ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: OWNER.password },
  });
  const owner = browserOf(service);
  await expect.poll(async () => (await owner.signIn(OWNER)).status).toBe(200);
  const [loss] = await query<{ id: number }>(
    url,
    "INSERT INTO lost_writes (host, writes, unchecked, changes, stops) VALUES ('db:5432', 1, 0, '[]', false) RETURNING id",
  );
  const accept = () => owner.post("/api/admin/lost-writes/accept", { ids: [loss?.id] });
  const open = async () => (await query(url, "SELECT FROM lost_writes WHERE accepted_at IS NULL")).length;
  const lock = await holdingLock(
    url,
    "SELECT pg_backend_pid() AS pid FROM lost_writes WHERE id = $1 FOR UPDATE",
    loss?.id,
  );
  const accepting = accept();
  await lock.waited();
  await query(url, "UPDATE member SET disabled_at = now()");
  await lock.release();
  expect((await accepting).status).toBe(401);
  expect(await open()).toBe(1);

  await query(url, "UPDATE member SET disabled_at = NULL");
  expect(await accept()).toMatchObject({ status: 200, json: { success: 1 } });
  expect(await open()).toBe(0);
});
