import { apiTokenList } from "@/lib/api-tokens/schema";
import { type AdminClient, adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { expect, expectError, test } from "../fixtures/api";

/** Instants in UTC before the year 1 and after the year 9999, and the last that is accepted. */
const BEYOND = ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "0000-06-01T00:00:00Z"];
const LAST = "9999-12-31T23:59:59.999Z";

const newToken = (client: AdminClient, expiresAt: string) =>
  client.post("api-tokens", { name: `until ${expiresAt}`, scopes: ["groups:read"], expiresAt });

test("an API token cannot expire outside the years 1 to 9999 in UTC, and none is created", async ({ database }) => {
  const client = await adminElsewhere(database);
  for (const at of BEYOND) {
    const refused = await newToken(client, at);
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues[0].path).toEqual(["expiresAt"]);
  }
  expect((await newToken(client, LAST)).status).toBe(200);
  const { apiTokens } = apiTokenList.parse((await client.get("api-tokens")).json);
  expect(apiTokens.map(({ expiresAt }) => expiresAt)).toEqual([LAST]);
});

test("a stored expiry beyond the year 9999 breaks neither the list nor the replacement", async ({ database }) => {
  const client = await adminElsewhere(database);
  const { apiToken } = (await newToken(client, LAST)).json;
  await database.query("UPDATE api_token SET expires_at = '10000-01-01 13:59:59+00' WHERE id = $1", [apiToken.id]);
  const answer = await client.get("api-tokens");
  expect(answer.status, answer.text).toBe(200);
  expect(apiTokenList.parse(answer.json).apiTokens).toMatchObject([{ state: "valid", expiresAt: LAST }]);
  const replaced = await client.post(`api-tokens/${apiToken.id}/replace`, { overlapSeconds: 0 });
  expect(replaced.status, replaced.text).toBe(200);
  expect(replaced.json.apiToken).toMatchObject({ state: "valid", expiresAt: LAST });
});

test("queries and fields refuse instants outside these years", async ({ database }) => {
  const client = await adminElsewhere(database);
  const { providedId } = await makeGroup(client, "group");
  for (const at of BEYOND) {
    const answers = [
      await client.groups("", { updated_since: at }),
      await client.groups("/export", { format: "jsonl", updated_since: at }),
      await client.groups("/history", { from: at }),
      await client.groups("/history", { to: at }),
      await client.user("PATCH", { user_group_id: providedId, access_ends_at: at }),
    ];
    for (const answer of answers) expectError(answer, 422, "invalid_fields");
  }
  expect((await client.groups("", { updated_since: LAST })).json.user_groups).toEqual([]);
  expect((await client.groups("/history", { to: LAST })).status).toBe(200);
});
