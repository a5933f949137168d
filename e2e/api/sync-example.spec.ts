import { readFile } from "node:fs/promises";
import { SCOPES } from "@/lib/authority/scopes";
import { call } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { expect, query, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";
import { stage } from "../fixtures/stage";

// Runs examples/sync on the stage's service with a separate application database.

const CUSTOMERS = 5_000;
const SLUG = "sync-example";

const GROUPS = `
  SELECT provided_id, g.name, properties, state FROM user_group g JOIN environment e ON e.id = g.environment_id
  WHERE slug = '${SLUG}' ORDER BY provided_id`;
const HISTORY = `
  SELECT action, count(*)::int FROM audit_entry a JOIN environment e ON e.id = a.environment_id
  WHERE slug = '${SLUG}' GROUP BY action ORDER BY action`;

test("customers are synced: created, changed, suspended, resumed and deleted; a second run changes nothing", {
  tag: "@release",
}, async ({ createDatabase }) => {
  test.setTimeout(120_000);
  const { databaseUrl, secretKey, urls } = stage();
  await query(databaseUrl, "INSERT INTO environment (slug, name, tag) VALUES ($1, $1, 'Testing')", [SLUG]);
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
  const scopes = SCOPES.filter((scope) =>
    ["groups:read", "groups:write", "groups:create", "groups:delete"].includes(scope),
  );
  const token = await insertApiToken(settings, { environment: SLUG, scopes });
  const application = await createDatabase("empty");
  await query(application, await readFile("examples/sync/customers.sql", "utf8"));
  await query(
    application,
    `INSERT INTO customers (id, name, plan, seats, status, deleted_at)
     SELECT n, 'Customer ' || n, CASE WHEN n % 10 = 0 THEN 'pro' ELSE 'basic' END, n % 7,
       CASE WHEN n % 100 = 0 THEN 'suspended' ELSE 'active' END, CASE WHEN n % 50 = 1 THEN now() END
     FROM generate_series(1, ${CUSTOMERS}) AS n`,
  );
  const sync = async (more: Record<string, string> = {}) => {
    const env = { USER_GROUPS_URL: urls[0], USER_GROUPS_API_TOKEN: token, DATABASE_URL: application, ...more };
    const { code, stdout, stderr } = await run(process.execPath, ["--import", "tsx", "examples/sync/sync.ts"], { env });
    return { code, said: stdout.trim(), stderr };
  };
  const counts = (created: number, changed: number, deleted: number, suspended: number, resumed: number) =>
    `created ${created}, changed ${changed}, deleted ${deleted}, skipped 0, errors 0, suspended ${suspended}, resumed ${resumed}, failed 0`;
  /** The application's groups. */
  const expected = () =>
    query(
      application,
      `SELECT 'customer_' || id AS provided_id, name, json_build_object('plan', plan, 'seats', seats)::text AS properties, status AS state
       FROM customers WHERE deleted_at IS NULL ORDER BY ('customer_' || id) COLLATE "C"`,
    );
  const stored = async () =>
    (await query<{ properties: string }>(databaseUrl, GROUPS)).map((row) => ({
      ...row,
      properties: row.properties.replace(/[:,]/g, (sign) => (sign === ":" ? " : " : ", ")),
    }));
  const history = () => query<{ action: string; count: number }>(databaseUrl, HISTORY);

  expect(await sync()).toEqual({ code: 0, said: counts(4_900, 0, 0, 50, 0), stderr: "" });
  expect(await stored()).toEqual(await expected());
  const first = await history();
  expect(await sync()).toEqual({ code: 0, said: counts(0, 0, 0, 0, 0), stderr: "" });
  expect(await history()).toEqual(first);

  await query(application, "UPDATE customers SET plan = 'enterprise' WHERE id % 500 = 2");
  await query(application, "UPDATE customers SET status = 'active' WHERE id = 100");
  await query(application, "UPDATE customers SET status = 'suspended' WHERE id IN (3, 4, 5)");
  await query(application, "UPDATE customers SET deleted_at = now() WHERE id BETWEEN 1000 AND 1099");
  await query(application, "UPDATE customers SET deleted_at = NULL WHERE id = 1");
  await query(application, "INSERT INTO customers (id, name, plan, seats) VALUES (5001, 'New', 'basic', 1)");
  expect(await sync()).toEqual({ code: 0, said: counts(2, 9, 98, 3, 1), stderr: "" });
  expect(await stored()).toEqual(await expected());
  const second = await history();
  const of = (entries: typeof second, action: string) =>
    entries.find((one) => one.action === `user_group.${action}`)?.count ?? 0;
  const actions = ["created", "updated", "deleted", "suspended", "resumed"];
  expect(actions.map((action) => of(second, action))).toEqual([4_902, 9, 98, 53, 1]);
  expect(await sync()).toEqual({ code: 0, said: counts(0, 0, 0, 0, 0), stderr: "" });
  expect(await history()).toEqual(second);

  // An interrupted run left two open jobs, and someone has deleted a suspended customer's group.
  const upload = { kind: "import", file_name: "customers.jsonl", bytes: 1 };
  for (const _ of [1, 2]) expect((await call("POST", "/api/jobs", { token, body: upload })).status).toBe(200);
  const removal = await call("DELETE", "/api/user", { token, body: { user_group_id: "customer_200" } });
  expect(removal.status, removal.text).toBe(200);
  expect(await sync()).toEqual({ code: 0, said: counts(1, 0, 0, 1, 0), stderr: "" });
  expect(await stored()).toEqual(await expected());

  // One that cannot be suspended, as it has no group, holds up no other.
  await query(
    application,
    "INSERT INTO customers (id, name, plan, seats, status) VALUES (6000, '', 'basic', 1, 'suspended')",
  );
  await query(application, "UPDATE customers SET status = 'suspended' WHERE id = 10");
  const partly = await sync();
  expect(partly).toMatchObject({ code: 1, said: expect.stringMatching(/errors 1, suspended 1, resumed 0, failed 1$/) });
  expect(partly.stderr).toContain("The status of customer 6000 was not synced");
  const third = await history();

  // A query that loses most customers deletes none.
  await query(application, "UPDATE customers SET deleted_at = now() WHERE id > 2000");
  for (const most of [{}, { MAX_DELETIONS: "1" }]) {
    const refused = await sync(most);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("too_many_deletions");
  }
  expect(await history()).toEqual(third);
});
