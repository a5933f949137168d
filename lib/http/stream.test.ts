import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { Call } from "@/lib/endpoint/call";
import { sendStream } from "@/lib/http/stream";

test("the headers of a stream do not wait for its first piece, which may take minutes", async () => {
  let find = () => {};
  const found = new Promise<void>((resolve) => {
    find = resolve;
  });
  async function* pieces() {
    yield "";
    await found;
    yield "a row";
  }
  let timeout: number | undefined;
  const server = createServer((req, res) => {
    sendStream({ call: { requestId: "id" } as Call, req, res }, { status: 200, headers: {}, body: pieces() });
    timeout = req.socket.timeout;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { "Accept-Encoding": "gzip" } });
  expect([response.status, timeout ?? 0]).toEqual([200, 0]);
  find();
  expect(await response.text()).toBe("a row");
  server.close();
});
