import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { expect, METRICS_TOKEN, SECRET_KEY, test } from "../fixtures/own-service";

const FEW_FILES = ["sh", "-c", "ulimit -n 1024; exec ./user-groups start"];
const REQUEST = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Opens connections from 127.0.0.1 that each send these bytes; `open` has the ones still open. */
async function openMany(url: string, count: number, bytes: string) {
  const { port, hostname } = new URL(url);
  const open = new Set<Socket>();
  for (let n = 0; n < count; n++) {
    const socket = connect({ port: Number(port), host: hostname });
    open.add(socket);
    for (const event of ["close", "error"]) socket.on(event, () => open.delete(socket));
    socket.resume();
    if (bytes) socket.write(bytes);
    if (n % 50 === 49) await sleep(20);
  }
  return {
    open,
    end() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** A request from another address, over a new connection. */
async function askElsewhere(url: string, path = "/healthz", headers: Record<string, string> = {}) {
  const dispatcher = new Agent({ localAddress: "127.0.0.2" });
  const answer = await request(url + path, { dispatcher, headers, reset: true, headersTimeout: 5_000 });
  return { status: answer.statusCode, text: await answer.body.text() };
}

for (const [what, bytes] of [
  ["that say nothing", ""],
  ["that are idle after a request", REQUEST],
  ["that send a request slowly", REQUEST.slice(0, 20)],
  ["that never send the body they announce", "POST /api/viewer HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"],
] as const) {
  test(`1,600 connections from one address ${what} do not block others from a service with 1,024 files`, {
    tag: bytes === REQUEST ? [] : "@release",
  }, async ({ start, createDatabase }) => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, METRICS_TOKEN };
    const service = await start(settings, { command: FEW_FILES });
    const many = await openMany(service.url, 1_600, bytes);
    try {
      for (let n = 0; n < 5; n++) expect((await askElsewhere(service.url)).status).toBe(200);
      expect((await askElsewhere(service.url, "/sign-in")).status).toBe(200);
      const { text } = await askElsewhere(service.url, "/metrics", { authorization: `Bearer ${METRICS_TOKEN}` });
      const value = (name: string) =>
        Number(new RegExp(`^${name}\\{.*process="api".*\\} (\\d+)$`, "m").exec(text)?.[1]);
      expect(value("http_connections")).toBeGreaterThan(100);
      expect(value("http_connections")).toBeLessThan(1_024);
      expect(text).toMatch(/^http_connections_closed_total\{reason="(room|refused)",process="api"\} [1-9]/m);
      await expect
        .poll(() => readFile(service.log, "utf8"))
        .toContain('"msg":"connection limit reached: connections were closed');
    } finally {
      many.end();
    }
  });
}

test("the longest idle connection makes room, never one with a request in progress", async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, MAX_CONNECTIONS: "20" };
  const service = await start(settings);
  const client = clientOf(service.url, await insertApiToken(settings));
  const slow = await openMany(service.url, 1, "POST /api/user HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{");
  const old = await openMany(service.url, 5, REQUEST);
  await sleep(100);
  const young = await openMany(service.url, 5, REQUEST);
  await sleep(100);
  const silent = await openMany(service.url, 4, "");
  await sleep(100);
  expect([slow, old, young, silent].map(({ open }) => open.size)).toEqual([1, 5, 5, 4]);
  const more = await openMany(service.url, 5, REQUEST);
  await expect.poll(() => old.open.size).toBe(0);
  expect([slow, young, silent, more].map(({ open }) => open.size)).toEqual([1, 5, 4, 5]);
  for (let n = 0; n < 3; n++) expect((await client.get("group")).status).toBe(200);
  expect(slow.open.size).toBe(1);
  const [answered] = slow.open;
  let answer = "";
  answered?.on("data", (bytes: Buffer) => {
    answer += bytes;
  });
  answered?.write("}");
  await expect.poll(() => answer).toContain("HTTP/1.1 401");
  for (const { end } of [slow, old, young, silent, more]) end();
});

test("pipelined page requests on a few connections leave file descriptors for everyone else", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY }, { command: FEW_FILES });
  const { open, end } = await openMany(service.url, 6, "GET /nope HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(16));
  try {
    for (const socket of open) socket.pause();
    for (let n = 0; n < 10; n++) {
      expect((await askElsewhere(service.url)).status).toBe(200);
      await sleep(200);
    }
    expect(await readFile(service.log, "utf8")).not.toContain("EMFILE");
  } finally {
    end();
  }
});

test("bodies that arrive slowly are held up to a limit in total", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  const head = "POST /api/viewer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 262144\r\n\r\n";
  const { open, end } = await openMany(service.url, 600, head + "x".repeat(262_000));
  let answered = 0;
  for (const socket of open) {
    socket.once("data", (bytes: Buffer) => {
      if (bytes.toString("latin1", 9, 12) === "401") answered += 1;
    });
  }
  try {
    // Those beyond the limit immediately, the others when their time is over.
    await expect.poll(() => answered).toBeGreaterThan(50);
    expect(answered).toBeLessThan(150);
    await expect.poll(() => answered, { timeout: 15_000 }).toBe(600);
  } finally {
    end();
  }
});

test("connections that read nothing make room", { tag: "@release" }, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, MAX_CONNECTIONS: "20", TRUSTED_PROXIES: "0" };
  const service = await start(settings);
  const asked = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(16);
  const { open, end } = await openMany(service.url, 15, asked);
  try {
    for (const socket of open) socket.pause();
    // Until it has answered them, it would close one.
    await sleep(1_000);
    const isAnotherKept = async () => {
      const mine = await openMany(service.url, 1, REQUEST);
      await sleep(500);
      const isKept = mine.open.size === 1;
      mine.end();
      return isKept;
    };
    expect(await isAnotherKept()).toBe(false);
    await expect.poll(isAnotherKept, { timeout: 40_000 }).toBe(true);
  } finally {
    end();
  }
});

test("strangers with a made-up session have few large bodies kept, and none of another address's", async ({
  start,
  createDatabase,
}) => {
  const service = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  const session = "Host: localhost\r\nCookie: a=b\r\nX-Environment: testing\r\nContent-Type: application/json\r\n";
  const head = `POST /api/user-groups/batch HTTP/1.1\r\n${session}Content-Length: 4000000\r\n\r\n`;
  const many = await openMany(service.url, 30, head + "x".repeat(100_000));
  const answers: string[] = [];
  for (const socket of many.open) socket.on("data", (bytes: Buffer) => answers.push(bytes.toString().slice(9, 12)));
  try {
    await expect.poll(() => answers.filter((status) => status === "429").length).toBe(26);
    const headers = { cookie: "a=b", "x-environment": "testing", "content-type": "application/json" };
    const dispatcher = new Agent({ localAddress: "127.0.0.2" });
    const sent = {
      dispatcher,
      headers,
      method: "POST",
      body: `{"mode":"${"x".repeat(1_000_000)}"}`,
      reset: true,
    } as const;
    expect((await request(`${service.url}/api/user-groups/batch`, sent)).statusCode).toBe(401);
    expect((await request(`${service.url}/api/user`, { ...sent, method: "PUT", body: "{}" })).statusCode).toBe(401);
  } finally {
    many.end();
  }
});
