import { MessageChannel } from "node:worker_threads";
import type pg from "pg";
import { expect, test } from "vitest";
import { queryText } from "@/lib/db/text-query";

const LIMIT_MS = 10;

/** A client whose server answers at once; with `silent` never. */
function clientOf({ silent }: { silent: boolean }) {
  const { port1: server, port2: socket } = new MessageChannel();
  const query = (submitted: { handleReadyForQuery(): void }) => {
    socket.once("message", () => {
      submitted.handleReadyForQuery();
      socket.close();
    });
    if (silent) socket.close();
    else server.postMessage("ready");
  };
  return { connectionParameters: { query_timeout: LIMIT_MS }, query } as unknown as pg.ClientBase;
}

test("an answer that arrived while the process was blocked counts, even after the timeout", async () => {
  const rows = queryText(clientOf({ silent: false }), { text: "" });
  for (const end = performance.now() + 3 * LIMIT_MS; performance.now() < end; );
  expect(await rows).toEqual([]);
});

test("a statement without an answer ends in time", async () => {
  await expect(queryText(clientOf({ silent: true }), { text: "" })).rejects.toThrow("Query read timeout");
});
