import { call, expect, expectError, newId, type Response, test } from "../fixtures/api";
import { bodyOf, chunkedHead, exchange, head, LAST_CHUNK, openWire, usual } from "../fixtures/raw";

test.describe("invalid HTTP/1.1", () => {
  const rows: Record<string, { send: () => Promise<Response>; status: number; code: string }> = {
    "no Host header": {
      send: () => exchange("GET /healthz HTTP/1.1\r\n\r\n"),
      status: 400,
      code: "bad_request",
    },
    "two Host headers": {
      send: () => exchange(head("GET", [...usual(), "Host: evil.example"])),
      status: 400,
      code: "bad_request",
    },
    "two equal Host headers": {
      send: () => exchange(head("GET", [...usual(), "Host: localhost"])),
      status: 400,
      code: "bad_request",
    },
    "headers over 16 KiB": {
      send: () => exchange(head("GET", [...usual(), `X-Long: ${"x".repeat(17_000)}`])),
      status: 431,
      code: "headers_too_large",
    },
    "headers of 3 MB": {
      send: () => exchange(head("GET", [...usual(), `X-Long: ${"x".repeat(3_000_000)}`])),
      status: 431,
      code: "headers_too_large",
    },
    "201 headers": {
      send: () => exchange(head("GET", [...usual(), ...Array.from({ length: 198 }, (_, at) => `X-${at}: x`)])),
      status: 431,
      code: "headers_too_large",
    },
    "one header 1,100 times": {
      send: () => exchange(head("GET", [...usual(), ...Array.from({ length: 1_100 }, () => "X-A:")])),
      status: 431,
      code: "headers_too_large",
    },
    "3,000 headers": {
      send: () => exchange(head("GET", [...usual(), ...Array.from({ length: 3_000 }, (_, at) => `X-${at}: x`)])),
      status: 431,
      code: "headers_too_large",
    },
    "a target over 16 KiB": {
      send: () => exchange(head("GET", usual(), `/api/user?user_group_id=${"x".repeat(17_000)}`)),
      status: 431,
      code: "headers_too_large",
    },
    "both Content-Length and Transfer-Encoding": {
      send: () => exchange(head("GET", [...usual(), "Content-Length: 2", "Transfer-Encoding: chunked"]), LAST_CHUNK),
      status: 400,
      code: "bad_request",
    },
    "a compressed transfer coding": {
      send: () => exchange(head("POST", [...usual(), "Transfer-Encoding: gzip, chunked"]), "2\r\n{}\r\n", LAST_CHUNK),
      status: 501,
      code: "not_implemented",
    },
    "a Transfer-Encoding that does not end in chunked": {
      send: () => exchange(head("POST", [...usual(), "Transfer-Encoding: gzip"]), "{}"),
      status: 501,
      code: "not_implemented",
    },
    "two Content-Lengths": {
      send: () => exchange(head("GET", [...usual(), "Content-Length: 2", "Content-Length: 3"]), "{}"),
      status: 400,
      code: "bad_request",
    },
    "a negative Content-Length": {
      send: () => exchange(head("GET", [...usual(), "Content-Length: -1"])),
      status: 400,
      code: "bad_request",
    },
    "a chunk without a length": {
      send: () => exchange(chunkedHead(), "zz\r\n{}\r\n"),
      status: 400,
      code: "bad_request",
    },
    "a NUL in a header": {
      send: () => exchange(head("GET", [...usual(), "X-A: b\u0000"])),
      status: 400,
      code: "bad_request",
    },
    "the HTTP/2 preface": {
      send: () => exchange("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      status: 400,
      code: "bad_request",
    },
    "HTTP/3.0": { send: () => exchange("GET /api/user HTTP/3.0\r\n\r\n"), status: 400, code: "bad_request" },
    "3 MB of garbage": { send: () => exchange(Buffer.alloc(3_000_000, 1)), status: 405, code: "method_not_allowed" },
    "a TLS handshake": {
      send: () => exchange("\x16\x03\x01\x02\x00\x01\x00"),
      status: 405,
      code: "method_not_allowed",
    },
  };
  for (const [title, { send, status, code }] of Object.entries(rows)) {
    test(`${title}: ${status}`, async () => {
      expectError(await send(), status, code);
      expect((await call("GET", "/healthz")).status).toBe(200);
    });
  }

  for (const [title, bytes] of Object.entries({
    garbage: "garbage\r\n\r\n",
    CONNECT: "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
  })) {
    test(`a client that keeps the connection open after ${title} is disconnected`, async () => {
      const wire = await openWire();
      wire.send(bytes);
      expect((await wire.answer()).status).toBe(405);
      await wire.ended;
      const sending = setInterval(() => wire.send("x"), 200);
      await wire.closed;
      clearInterval(sending);
    });
  }
});

test("an h2c upgrade offered by Java's HttpClient is ignored, also after a page has been served", async () => {
  await call("GET", "/");
  const id = newId();
  const offer = ["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"];
  for (const created of [true, false]) {
    const body = bodyOf(id);
    const { status, json: answer } = await exchange(
      head("GET", [...usual(), ...offer, `Content-Length: ${body.length}`]),
      body,
    );
    expect({ status, created: answer.new_user_group }).toEqual({ status: 200, created });
  }
});

test("HTTP/1.0 needs no Host, and an unknown Expect is ignored", async () => {
  expect((await exchange("GET /healthz HTTP/1.0\r\n\r\n")).status).toBe(200);
  expect((await exchange("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n")).status).toBe(200);
});
