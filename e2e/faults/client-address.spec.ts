import { once } from "node:events";
import { connect } from "node:net";
import { request } from "undici";
import { examine } from "../../lib/doctor/examine";
import { insertApiToken } from "../fixtures/api-token";
import { expect, METRICS_TOKEN, SECRET_KEY, test } from "../fixtures/own-service";
import { missingProxies, startCaddy } from "../fixtures/proxies";

/** The answer to a request with these headers, and the client address the service saw. */
async function ask(url: string, token: string, lines: string[]): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const usual = ["Host: localhost", `Authorization: Token ${token}`, "Connection: close"];
  socket.write(["GET /api/diagnosis HTTP/1.1", ...usual, ...lines, "", ""].join("\r\n"));
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes;
  });
  await once(socket, "close");
  return { status: Number(text.split(" ")[1]), text };
}

test("requests whose X-Forwarded-For lacks its proxies' entries are refused, except probes", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN, TRUSTED_PROXIES: "2" };
  const service = await start(settings);
  const token = await insertApiToken(settings);
  const seen = await ask(service.url, token, ["X-Forwarded-For: 203.0.113.9, 10.0.0.1"]);
  expect(seen).toMatchObject({ status: 200, text: expect.stringContaining('"address":"203.0.113.9"') });
  for (const lines of [[], ["X-Forwarded-For:"], ["X-Forwarded-For: 203.0.113.9"], ["X-Forwarded-For: , 10.0.0.1"]]) {
    const refused = await ask(service.url, token, lines);
    expect(refused, lines.join()).toMatchObject({ status: 400, text: expect.stringContaining("TRUSTED_PROXIES") });
  }
  for (const path of ["/healthz", "/readyz"]) expect((await request(service.url + path)).statusCode).toBe(200);
  const authorization = `Bearer ${METRICS_TOKEN}`;
  expect((await request(`${service.url}/metrics`, { headers: { authorization } })).statusCode).toBe(200);
  const page = await request(`${service.url}/sign-in`, { headers: { accept: "text/html" } });
  expect(page).toMatchObject({ statusCode: 400, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(await page.body.text()).toContain("<p>X-Forwarded-For has fewer addresses than TRUSTED_PROXIES (2).");
  const found = await examine(new URL(service.url), token);
  expect(found).toContainEqual(
    expect.objectContaining({ name: "address", state: "wrong", todo: expect.stringContaining("TRUSTED_PROXIES=0") }),
  );
});

test("no number of headers hides a request's origin, directly or through Caddy", async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, TRUSTED_PROXIES: "1" };
  const service = await start(settings);
  const token = await insertApiToken(settings);
  // Caddy sorts headers alphabetically, so X-Forwarded-For comes after all of these.
  const headers = (count: number) => Array.from({ length: count }, () => "X-A: x");
  const direct = await ask(service.url, token, [...headers(1_100), "X-Forwarded-For: 203.0.113.9"]);
  expect(direct).toMatchObject({ status: 431, text: expect.stringContaining("headers_too_large") });
  const few = await ask(service.url, token, [...headers(190), "X-Forwarded-For: 203.0.113.9"]);
  expect(few).toMatchObject({ status: 200, text: expect.stringContaining('"address":"203.0.113.9"') });

  test.skip((await missingProxies()).includes("caddy"), "Caddy is not installed");
  const caddy = await startCaddy(new URL(service.url));
  try {
    expect((await ask(caddy.url, token, headers(1_100))).status).toBe(431);
    const seen = await ask(caddy.url, token, [...headers(190), "X-Forwarded-For: 203.0.113.9"]);
    expect(seen).toMatchObject({ status: 200, text: expect.stringContaining('"address":"127.0.0.1"') });
  } finally {
    await caddy.stop();
  }
});

test("pages accept as many headers as the API", { tag: "@release" }, async ({ start, createDatabase }) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  const { port, hostname } = new URL(service.url);
  for (const [count, status] of [
    [200, 200],
    [201, 431],
  ] as const) {
    const lines = [
      "Host: localhost",
      "Connection: close",
      ...Array.from({ length: count - 2 }, (_, at) => `X-${at}: x`),
    ];
    const socket = connect(Number(port), hostname);
    socket.write(["GET /sign-in HTTP/1.1", ...lines, "", ""].join("\r\n"));
    const [first] = await once(socket, "data");
    expect(String(first)).toContain(`HTTP/1.1 ${status} `);
    socket.destroy();
  }
});
