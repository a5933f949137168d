import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { expect, test } from "../fixtures/own-service";

const SECRET_KEY = "0123456789abcdef".repeat(4);

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  resource: { attributes: Span["attributes"] };
}

interface Export {
  resourceSpans: {
    resource: Span["resource"];
    scopeSpans: { spans: Omit<Span, "resource">[] }[];
  }[];
}

/** A minimal OTLP/HTTP collector that keeps what it receives. */
async function collector() {
  const spans: Span[] = [];
  const server = createServer(async (req, res) => {
    const { resourceSpans } = (await json(req)) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, resource })));
    }
    res.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, close: () => server.close() };
}

const attributeOf = (from: Pick<Span, "attributes"> | undefined, key: string) => {
  const value = from?.attributes.find((attribute) => attribute.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

test("a request continues the caller's trace, with its statements below it, through to the pages", async ({
  start,
  createDatabase,
}) => {
  const { url, spans, close } = await collector();
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const service = await start(settings);
  const apiToken = await insertApiToken(settings);
  const client = clientOf(service.url, apiToken);
  const { json } = await client.get("traced-group");
  const [traceId, parent] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  await client.put("traced-group", { name: "New" }, { traceparent: `00-${traceId}-${parent}-01` });
  const pageTrace = "1bf7651916cd43dd8448eb211c80319c";
  await fetch(`${service.url}/sign-in`, { headers: { traceparent: `00-${pageTrace}-${parent}-01` } });
  // Pending spans are sent before the process ends.
  expect(await service.stop()).toBe(0);
  close();

  const put = spans.find((span) => span.name === "PUT /api/user");
  expect(put).toMatchObject({ traceId, parentSpanId: parent, kind: 2 });
  expect(attributeOf(put, "http.response.status_code")).toBe(200);
  expect(attributeOf(put, "url.path")).toBe("/api/user");
  const statements = spans.filter((span) => span.traceId === traceId && span.kind === 3);
  expect(statements.map(({ name }) => name)).toEqual(["update_groups"]);
  for (const statement of statements) expect(statement.parentSpanId).toBe(put?.spanId);

  const ofPage = spans.filter((span) => span.traceId === pageTrace);
  const front = ofPage.find((span) => span.parentSpanId === parent);
  expect(attributeOf(front, "http.route")).toBe("/");
  const behind = ofPage.filter((span) => span.parentSpanId === front?.spanId);
  expect(behind.length).toBeGreaterThan(0);

  const all = JSON.stringify(spans);
  for (const secret of [apiToken, json.user_group.token, "traced-group", "New"]) expect(all).not.toContain(secret);
});

test("every process reports service name, version and a unique id, unless the environment sets others", async ({
  start,
  createDatabase,
}) => {
  const { url, spans, close } = await collector();
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const [first, second] = [await start(settings), await start(settings)];
  const named = await start({ ...settings, OTEL_RESOURCE_ATTRIBUTES: "service.version=blue,service.instance.id=a1" });
  for (const service of [first, second, named]) {
    // Spans from the front door and from the pages.
    for (let times = 0; times < 2; times++) await fetch(`${service.url}/sign-in`);
    expect(await service.stop()).toBe(0);
  }
  close();
  const seen = new Set(
    spans.map(({ resource }) =>
      ["service.name", "service.version", "service.instance.id"].map((key) => attributeOf(resource, key)).join(" "),
    ),
  );
  expect(seen.delete("user-group-service blue a1")).toBe(true);
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
  expect([...seen]).toEqual(
    Array.from({ length: 4 }, () => expect.stringMatching(`^user-group-service ${version} ${uuid}$`)),
  );
});

test("a collector that does not answer delays neither requests nor the stop", async ({ start, createDatabase }) => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const client = clientOf(service.url, await insertApiToken(settings));
  for (let n = 0; n < 50; n++) expect((await client.get(`group-${n}`)).status).toBe(200);
  const begin = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - begin).toBeLessThan(10_000);
  server.closeAllConnections();
  server.close();
});

test("periodic tasks are not traced", async ({ start, createDatabase }) => {
  const { url, spans, close } = await collector();
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const service = await start(settings);
  // Longer than the periods of all but the hourly tasks.
  await sleep(2_500);
  expect(await service.stop()).toBe(0);
  close();
  const alone = spans.filter(({ kind, parentSpanId }) => kind === 3 && !parentSpanId);
  expect(alone.map(({ name }) => name)).toEqual([]);
});

test("however a token is spelled in a path, neither log nor trace contains it", async ({ start, createDatabase }) => {
  const { url, spans, close } = await collector();
  const secret = "4TqZ0mWc9xLrB7nYvK2sGdHj8PfUe3AaXi1Co6VtNwMbQkRyE";
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const service = await start(settings);
  const percent = (text: string) => text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  const paths = [
    `/%75ga_test_${secret}`,
    `/UGA_TEST_${secret}`,
    `/%2575ga_test_${secret}`,
    `/sign-in/ugt_${secret}`,
    `/api/%75gt%5f${secret}`,
    `/${secret}`,
    `/${percent(`ugl_${secret}`)}`,
    `/${percent(percent(`ugt_${secret}`))}`,
    `/${"long/".repeat(32)}${secret}`,
    `/an-ordinary-page?next=${secret}`,
  ];
  for (const path of paths) await request(service.url + path);
  expect(await service.stop()).toBe(0);
  close();
  const said = (await readFile(service.log, "utf8")) + JSON.stringify(spans);
  expect(said).toContain("/an-ordinary-page");
  for (let at = 0; at + 12 <= secret.length; at++) {
    for (const spelt of [secret.slice(at, at + 12), percent(secret.slice(at, at + 12))]) {
      expect(said).not.toContain(spelt);
      expect(said).not.toContain(percent(spelt));
    }
  }
});
