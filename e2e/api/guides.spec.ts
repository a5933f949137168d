import { cp } from "node:fs/promises";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { PRESETS } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { GUIDE_APPS, inFrontOf, serve } from "../fixtures/guide-apps";
import { expect, query, test } from "../fixtures/own-service";
import { makeCertificate } from "../fixtures/receiver";
import { freePort } from "../fixtures/service-process";

// Runs the examples of docs/guides with a service that sends them webhooks.

const SECRET_KEY = "5".repeat(64);
const SLUG = "guides";

/** The cookies that an answer sets, as a browser sends them back. */
const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

/** Signs up like the framework's form or page; returns the customer's id and the session's cookies. */
async function signUp(name: keyof typeof GUIDE_APPS, url: string, fields: { name: string; plan: string }) {
  let response: Response;
  if (name === "django") {
    const form = await fetch(`${url}/sign-up`);
    const [, token = ""] = /name="csrfmiddlewaretoken" value="(\w+)"/.exec(await form.text()) ?? [];
    const body = new URLSearchParams({ ...fields, csrfmiddlewaretoken: token });
    response = await fetch(`${url}/sign-up`, { method: "POST", headers: { Cookie: cookiesOf(form) }, body });
  } else {
    const headers = { "Content-Type": "application/json" };
    response = await fetch(`${url}/sign-up`, { method: "POST", headers, body: JSON.stringify(fields) });
  }
  const text = await response.text();
  expect(response.status, text).toBe(201);
  return { customer: JSON.parse(text).customer as string, Cookie: cookiesOf(response) };
}

for (const [name, app] of Object.entries(GUIDE_APPS) as [keyof typeof GUIDE_APPS, (typeof GUIDE_APPS)["next"]][]) {
  test(`${name}: a customer signs up, sees a dashboard, and is suspended and resumed by webhook`, async ({
    start,
    createDatabase,
    folder,
  }) => {
    test.skip(Boolean(app.missing), app.missing);
    const certificate = await makeCertificate(folder);
    const DATABASE_URL = await createDatabase();
    const settings = { DATABASE_URL, SECRET_KEY };
    const networks = { NODE_EXTRA_CA_CERTS: certificate.file, WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };
    const service = await start({ ...settings, ...networks });
    await query(DATABASE_URL, "INSERT INTO environment (slug, name, tag) VALUES ($1, $1, 'Testing')", [SLUG]);
    const full = await insertApiToken(settings, { environment: SLUG, scopes: PRESETS.full });
    const send = async (method: string, path: string, body?: object) => {
      const headers = { Authorization: `Token ${full}`, "Content-Type": "application/json" };
      const response = await fetch(service.url + path, { method, headers, body: body ? JSON.stringify(body) : null });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      return JSON.parse(text);
    };

    const port = await freePort();
    // Outside the checkout, so that Next does not take its files for the example's.
    const copy = path.join(folder, name);
    await cp(path.join("examples", name), copy, { recursive: true });
    const proxy = await inFrontOf(port, certificate);
    const hook = { url: `${proxy.url}/webhooks/user-groups`, types: ["user_group.*"] };
    const { secret } = await send("POST", "/api/webhooks", hook);
    const url = `http://127.0.0.1:${port}`;
    const running = await serve(await app.prepare(copy, port), {
      cwd: copy,
      url: `${url}/`,
      settings: {
        USER_GROUPS_URL: service.url,
        USER_GROUPS_API_TOKEN: await insertApiToken(settings, { environment: SLUG, scopes: PRESETS.backend }),
        WEBHOOK_SECRET: secret,
        RENDERER_URL: "https://dashboards.example.com/dashboard",
      },
    });
    try {
      const { customer, Cookie } = await signUp(name, url, { name: "Acme", plan: "pro" });
      const listed = await send("GET", `/api/user-groups?user_group_id=${customer}`);
      expect(listed.user_groups).toMatchObject([{ name: "Acme", properties: { plan: "pro" } }]);

      const look = async (headers: Record<string, string> = { Cookie }) => {
        const response = await fetch(`${url}/dashboard`, { headers, redirect: "manual" });
        return { status: response.status, text: await response.text() };
      };
      const page = await look();
      expect(page.status, running.said()).toBe(200);
      expect(page.text).toContain('action="https://dashboards.example.com/dashboard"');
      expect(page.text).not.toMatch(/ug[at]_/);
      const [, viewerToken] = /name="viewer_token" value="(eyJ[\w.-]+)"/.exec(page.text) ?? [];
      const asked = await send("POST", "/api/viewer", { token: viewerToken });
      expect(asked).toMatchObject({
        active: true,
        user_group: { provided_id: customer },
        viewer_token: { viewer: customer },
      });
      expect([307, 401]).toContain((await look({})).status);

      const forged = { type: "user_group.suspended", data: { provided_id: customer } };
      const headers = {
        "Content-Type": "application/json",
        "webhook-id": "1",
        "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
        "webhook-signature": "v1,AAAA",
      };
      const body = JSON.stringify(forged);
      expect((await fetch(`${url}/webhooks/user-groups`, { method: "POST", headers, body })).status).toBe(400);
      expect((await look()).text).not.toContain("suspended");

      await send("POST", "/api/user-groups/suspend", { user_group_id: customer });
      await expect.poll(async () => (await look()).text).toContain("Your access is suspended.");
      await send("POST", "/api/user-groups/resume", { user_group_id: customer });
      await expect.poll(async () => (await look()).text).toContain('name="viewer_token"');

      // A retried event arrives after the next one.
      const now = new Date();
      const late = {
        "Content-Type": "application/json",
        "webhook-id": "msg_late",
        "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
        "webhook-signature": new Webhook(secret).sign("msg_late", now, body),
      };
      const received = await fetch(`${url}/webhooks/user-groups`, { method: "POST", headers: late, body });
      expect(received.status, running.said()).toBe(204);
      expect((await look()).text).toContain('name="viewer_token"');
      const { deliveries } = await send("GET", "/api/webhooks/deliveries?webhook_id=1&state=failed");
      expect(deliveries).toEqual([]);
    } finally {
      await running.stop();
      await proxy.close();
    }
  });
}
