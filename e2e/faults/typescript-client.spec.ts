import { mergeTests } from "@playwright/test";
import { insertApiToken } from "../fixtures/api-token";
import { expect, test as ownService } from "../fixtures/own-service";
import { wayTo } from "../fixtures/tcp-forwarder";
import { withClient } from "../fixtures/typescript-client";

const test = mergeTests(ownService, withClient);
const SECRET_KEY = "6".repeat(64);

test("the client waits as a 503 or 429 asks, within its deadline", { tag: "@release" }, async ({
  start,
  createDatabase,
  built,
}) => {
  const straight = await createDatabase();
  const { way, url } = await wayTo(straight);
  const settings = { DATABASE_URL: url, SECRET_KEY, RATE_LIMIT_REQUESTS: "40" };
  const { url: baseUrl } = await start(settings);
  const apiToken = await insertApiToken({ ...settings, DATABASE_URL: straight });
  const client = new built.module.UserGroupsClient({ baseUrl, apiToken, deadline: 5_000 });
  const { user_group } = await client.getOrCreate({ user_group_id: "first" });

  await way.cut();
  const hasty = new built.module.UserGroupsClient({ baseUrl, apiToken, retries: 0 });
  await expect(hasty.rotate(user_group.token)).rejects.toMatchObject({
    status: 503,
    code: "unavailable",
    retryAfter: 1,
  });
  const rotation = client.rotate(user_group.token);
  await way.open();
  const rotated = await rotation;
  expect(rotated.user_group.token).not.toBe(user_group.token);

  await client.getOrCreate({ user_group_id: "second" });
  const refused = await client.getOrCreate({ user_group_id: "third" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 429, code: "rate_limited", retryAfter: expect.any(Number) });
  expect((refused as { retryAfter: number }).retryAfter).toBeGreaterThan(5);
  await way.cut();
});
