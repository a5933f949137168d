import { expect, test } from "vitest";
import type { Answer, Call } from "@/lib/endpoint/call";
import { nextHandler } from "@/lib/endpoint/next-handler";
import { AppError } from "@/lib/errors";

const URL = "http://localhost/api/things/a/b?limit=1";
const ANSWER: Answer = { status: 200, headers: { "Set-Cookie": ["a=1", "b=2"] }, body: "done" };

/** Sends a request, and notes the call that it becomes. */
async function send(init: RequestInit, { hasHead = true, answer = ANSWER, maxBody = 4 } = {}) {
  const calls: (Call & { sent?: string; error?: unknown })[] = [];
  const handler = nextHandler(
    async (call) => {
      const outcome = await call.readBody().then(
        (body) => ({ sent: Buffer.from(body).toString() }),
        (error: unknown) => ({ error }),
      );
      calls.push({ ...call, ...outcome });
      return answer;
    },
    { maxBody, hasHead },
  );
  const response = await handler(new Request(URL, init), { params: Promise.resolve({ all: ["a", "b"] }) });
  return { response, text: await response.text(), calls };
}

test("a request becomes a call, and its answer a response", async () => {
  const { response, text, calls } = await send({ method: "POST", body: "1234", headers: { "X-Other": "x" } });
  expect(calls).toMatchObject([
    { method: "POST", path: "/api/things/a/b", query: "limit=1", parameters: { all: "a/b" }, sent: "1234" },
  ]);
  expect(calls[0]?.headers["x-other"]).toBe("x");
  expect([response.status, text]).toEqual([200, "done"]);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(response.headers.get("X-Request-Id")).toBe(calls[0]?.requestId);
});

test("an answer in pieces is streamed, and 204 has no body", async () => {
  async function* pieces() {
    yield "one ";
    yield "two";
  }
  expect((await send({}, { answer: { ...ANSWER, body: pieces() } })).text).toBe("one two");
  const { response } = await send({}, { answer: { ...ANSWER, status: 204 } });
  expect([response.status, response.body]).toEqual([204, null]);
});

test("HEAD runs GET without a body, unless the endpoint has none", async () => {
  const { response, text, calls } = await send({ method: "HEAD" });
  expect([response.status, text, calls[0]?.method]).toEqual([200, "", "GET"]);
  const refused = await send({ method: "HEAD" }, { hasHead: false });
  expect([refused.response.status, refused.response.headers.get("Allow")]).toEqual([405, "GET, OPTIONS"]);
  expect(refused.calls).toEqual([]);
  expect((await send({ method: "GET" }, { hasHead: false })).text).toBe("done");
});

test.each([{}, { "Content-Length": "5" }])("a body that is too large is refused, with headers %j", async (headers) => {
  const { calls } = await send({ method: "POST", body: "12345", headers: headers as Record<string, string> });
  expect(calls[0]?.error).toBeInstanceOf(AppError);
  expect(calls[0]?.error).toMatchObject({ code: "body_too_large" });
});
