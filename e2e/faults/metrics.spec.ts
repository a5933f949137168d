import { PRESETS } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { pagesOf } from "../fixtures/children";
import { clientOf } from "../fixtures/client";
import { apply, dryRun } from "../fixtures/jobs";
import { expect, METRICS_TOKEN, SECRET_KEY, test } from "../fixtures/own-service";
import { answering, makeCertificate, receiverOf } from "../fixtures/receiver";

/** The sum of the series with these labels. */
function seriesSum(exposition: string, name: string, labels: Record<string, string>): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = exposition.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const found = lines.filter((line) => wanted.every((pair) => line.includes(pair)));
  return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

async function scrape(url: string, token: string = METRICS_TOKEN): Promise<Response> {
  return fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
}

test("metrics are off without METRICS_TOKEN, and need it otherwise", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const silent = await start(settings);
  expect((await scrape(silent.url)).status).toBe(404);
  await silent.stop();

  const service = await start({ ...settings, METRICS_TOKEN });
  for (const response of [
    await fetch(`${service.url}/metrics`),
    await scrape(service.url, `${METRICS_TOKEN}!`),
    await fetch(`${service.url}/metrics`, { headers: { authorization: `Token ${METRICS_TOKEN}` } }),
  ]) {
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.json()).toMatchObject({ success: 0, error: { code: "unauthorized" } });
  }
  const short = await start({ ...settings, METRICS_TOKEN: "short" }, { until: "spawned" });
  expect(await short.exited).toBe(1);
  expect(short.said()).toContain("METRICS_TOKEN: must be 16 to 255");
});

test("requests are counted by route and status, changes by kind, with the pool and the event loop", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN };
  const service = await start(settings);
  const apiToken = await insertApiToken(settings);
  const client = clientOf(service.url, apiToken);
  const created = await client.get("first");
  const token: string = created.json.user_group.token;
  await client.get("first");
  const rotated = await client.rotate(token);
  expect((await client.rotate(token)).status).toBe(404);
  expect((await clientOf(service.url, "uga_test_none").get("first")).status).toBe(401);
  for (const asked of [rotated.json.user_group.token, token]) {
    const headers = { authorization: `Token ${apiToken}`, "content-type": "application/json" };
    const body = JSON.stringify({ token: asked });
    expect((await fetch(`${service.url}/api/viewer`, { method: "POST", headers, body })).status).toBe(200);
  }
  // Callers choose the path, but never the number of series.
  for (const path of ["/api/elsewhere", "/api/elsewhere/2", "/some-page", "/another", "/sign-in"]) {
    await (await fetch(service.url + path, { redirect: "manual" })).text();
  }

  const response = await scrape(service.url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  const requests = (labels: Record<string, string>) => seriesSum(text, "http_request_duration_seconds_count", labels);
  expect(requests({ method: "GET", route: "/api/user", status: "200" })).toBe(2);
  expect(requests({ method: "GET", route: "/api/user", status: "401" })).toBe(1);
  expect(requests({ method: "POST", route: "/api/user", status: "200" })).toBe(1);
  expect(requests({ method: "POST", route: "/api/user", status: "404" })).toBe(1);
  expect(requests({ route: "/api/", status: "404" })).toBe(2);
  expect(requests({ process: "pages", route: "/", status: "307" })).toBe(2);
  // One is the /robots.txt request at startup, which waits for the pages.
  expect(requests({ process: "pages", route: "/", status: "200" })).toBe(2);
  expect(seriesSum(text, "http_request_duration_seconds_bucket", { route: "/api/user", le: "+Inf" })).toBe(5);
  expect(seriesSum(text, "user_group_changes_total", { change: "created" })).toBe(1);
  expect(seriesSum(text, "user_group_changes_total", { change: "rotated" })).toBe(1);
  expect(seriesSum(text, "viewer_refusals_total", { reason: "unknown" })).toBe(1);
  expect(text).toMatch(/^viewer_refusals_total\{reason="suspended",process="api"\} 0$/m);
  expect(seriesSum(text, "db_pool_connections", { process: "api", state: "max" })).toBeGreaterThan(1);
  expect(seriesSum(text, "db_pool_wait_seconds_count", { process: "api" })).toBeGreaterThanOrEqual(4);
  expect(text).toMatch(/^db_pool_waiting\{process="api"\} 0$/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds\{process="api"\} \d/m);
  for (const secret of [token, rotated.json.user_group.token, apiToken, METRICS_TOKEN]) {
    expect(text).not.toContain(secret);
  }
});

test("webhooks, imports and problems are counted by outcome, from zero", { tag: "@release" }, async ({
  start,
  createDatabase,
  folder,
}) => {
  const certificate = await makeCertificate(folder);
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN };
  const networks = { NODE_EXTRA_CA_CERTS: certificate.file, WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };
  const service = await start({ ...settings, ...networks });
  const authorization = `Token ${await insertApiToken(settings, { scopes: PRESETS.full })}`;
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(service.url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: {}, text, json: JSON.parse(text) };
  };
  const count = async (name: string, labels: Record<string, string>) => {
    const text = await (await scrape(service.url)).text();
    expect(text).toContain(`\n${name}{`);
    return seriesSum(text, name, labels);
  };
  expect(await count("webhook_attempts_total", {})).toBe(0);
  expect(await count("webhooks_disabled_total", { reason: "gone" })).toBe(0);
  expect(await count("jobs_ended_total", {})).toBe(0);
  expect(await count("definition_findings_total", {})).toBe(0);
  expect(await count("service_processes_killed_total", {})).toBe(0);

  const receiver = await receiverOf(certificate);
  await send("POST", "/api/webhooks", { url: receiver.url, types: ["user_group.created"] });
  await send("POST", "/api/user/upsert", { user_group_id: "first" });
  await expect.poll(() => count("webhook_attempts_total", { outcome: "delivered" })).toBe(1);
  receiver.answer = answering(410);
  await send("POST", "/api/user/upsert", { user_group_id: "second" });
  await expect.poll(() => count("webhook_attempts_total", { outcome: "failed" })).toBe(1);
  await expect.poll(() => count("webhooks_disabled_total", { reason: "gone" })).toBe(1);
  await receiver.close();

  const { id } = await dryRun({ send }, "user_group_id,name\nthird,Third\n");
  expect((await apply({ send }, id)).state).toBe("done");
  await dryRun({ send }, "this is no table");
  await expect.poll(() => count("jobs_ended_total", { outcome: "done" })).toBe(1);
  await expect.poll(() => count("jobs_ended_total", { outcome: "failed" })).toBe(1);

  const silent = await receiverOf(certificate);
  silent.answer = () => undefined;
  await send("POST", "/api/webhooks", { url: silent.url });
  await send("POST", "/api/user/upsert", { user_group_id: "waiting" });
  // It is counted every 10 s.
  const lag = async () => seriesSum(await (await scrape(service.url)).text(), "webhook_lag_seconds", {});
  await expect.poll(lag, { timeout: 20_000 }).toBeGreaterThan(0);
  await silent.close();
});

test("requests of both processes are counted; a replaced pages process counts from zero", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN };
  const service = await start(settings);
  const ask = async (path: string, count: number) => {
    for (let n = 0; n < count; n++) await (await fetch(service.url + path)).text();
  };
  const answered = async (labels: Record<string, string>) =>
    seriesSum(await (await scrape(service.url)).text(), "http_request_duration_seconds_count", labels);
  const ofApi = () => answered({ process: "api", route: "/healthz" });
  const ofPages = () => answered({ process: "pages", route: "/api/admin/session" });
  await ask("/healthz", 20);
  await ask("/api/admin/session", 20);
  // A process too busy to report is in the next sum.
  await expect.poll(ofPages).toBe(20);
  const before = await ofApi();
  expect(before).toBeGreaterThanOrEqual(20);
  const [victim = 0] = await pagesOf(service.pid);
  process.kill(victim, "SIGKILL");
  await expect.poll(async () => (await fetch(`${service.url}/sign-in`)).status, { timeout: 30_000 }).toBe(200);
  expect(await ofPages()).toBe(0);
  await ask("/api/admin/session", 1);
  await expect.poll(ofPages).toBe(1);
  expect(await ofApi()).toBe(before);
});
