import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { behindArrivals } from "@/lib/http/arrivals";

const CONNECTIONS = 40;

/** Opens connections that send a request each, tells when all have, and ends with the statuses of their answers. */
const CLIENT = `
  const { connect } = require("node:net");
  const { parentPort, workerData: { port, sent } } = require("node:worker_threads");
  const answers = Array.from({ length: ${CONNECTIONS} }, () => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", () => {
        if (Atomics.add(sent, 0, 1) === ${CONNECTIONS - 1}) Atomics.notify(sent, 0);
      });
    });
    socket.once("data", (data) => { socket.destroy(); resolve(String(data).split(" ")[1]); });
  }));
  Promise.all(answers).then((all) => parentPort.postMessage(all));
`;

/** How many connections had been taken when the first request of those that came at once was worked on, and all answers. */
async function meetCrowd(mostMs?: number) {
  const server = createServer();
  let [taken, takenAtFirst] = [0, 0];
  server.on("connection", () => taken++);
  const inTurn = behindArrivals(server, mostMs);
  server.on("request", (_req, res) => {
    inTurn(() => {
      takenAtFirst ||= taken;
      res.end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const client = new Worker(CLIENT, { eval: true, workerData: { port, sent } });
  await once(client, "online");
  // This thread stands still until they all wait to be taken.
  for (let seen = 0; seen < CONNECTIONS; seen = Atomics.load(sent, 0)) Atomics.wait(sent, 0, seen, 5_000);
  const [answers] = await once(client, "message");
  server.close();
  return { takenAtFirst, answers };
}

describe("requests of connections that came at once", () => {
  const answers = Array(CONNECTIONS).fill("200");

  it("wait until all of these have been taken", async () => {
    expect(await meetCrowd(10_000)).toEqual({ takenAtFirst: CONNECTIONS, answers });
  });

  it("wait no longer than they may", async () => {
    const crowd = await meetCrowd(0);
    expect(crowd.answers).toEqual(answers);
    expect(crowd.takenAtFirst).toBeLessThan(CONNECTIONS / 2);
  });
});
