import { request } from "undici";
import { SCOPES } from "@/lib/authority/scopes";
import type { Response } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { expect, SECRET_KEY, test } from "../fixtures/own-service";

test("with one connection for changes, refusals have their reason and webhooks get second secrets", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, DATABASE_POOL_SIZE: "2" };
  const { url } = await start(settings);
  const token = await insertApiToken(settings, { scopes: SCOPES });
  const call = async (method: "DELETE" | "GET" | "POST", path: string, body: object, more = {}) => {
    const headers = { authorization: `Token ${token}`, "content-type": "application/json", ...more };
    const answer = await request(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    const json = (await answer.body.json()) as Response["json"];
    return json.error?.code ?? json.webhook?.id ?? answer.statusCode;
  };
  const acme = { user_group_id: "acme" };
  const changes = [await call("GET", "/api/user", acme), await call("DELETE", "/api/user", acme)];
  expect([...changes, await call("GET", "/api/user", acme)]).toEqual([200, 200, 200]);
  expect(await call("POST", "/api/user-groups/restore", acme)).toBe("conflict");
  const unknown = { user_group_id: "unknown" };
  expect(await call("POST", "/api/user-groups/restore", unknown)).toBe("unknown_user_group");
  const once = { "idempotency-key": "k" };
  expect(await call("POST", "/api/user-groups/rotate", unknown, once)).toBe("unknown_user_group");
  const id = await call("POST", "/api/webhooks", { url: "https://receiver.example/hook" });
  // The second time, an earlier secret is read.
  for (let count = 0; count < 2; count++) expect(await call("POST", "/api/webhooks/rotate-secret", { id })).toBe(id);
});
