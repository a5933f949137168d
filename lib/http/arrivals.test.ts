import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { routesOf } from "@/lib/endpoint/routes";
import { behindArrivals } from "@/lib/http/arrivals";
import { openServer } from "@/lib/http/front-door";

const CONNECTIONS = 20;

/** Opens connections that send a request each, reports when all have, and ends with the answers' statuses. One aborts immediately. */
const CLIENT = `
  const { connect } = require("node:net");
  const { parentPort, workerData: { port, sent } } = require("node:worker_threads");
  const answers = Array.from({ length: ${CONNECTIONS} }, (_, i) => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", () => {
        if (i === 0) { socket.destroy(); resolve("given up"); }
        if (Atomics.add(sent, 0, 1) === ${CONNECTIONS - 1}) Atomics.notify(sent, 0);
      });
    });
    socket.once("data", (data) => { socket.destroy(); resolve(String(data).split(" ")[1]); });
  }));
  Promise.all(answers).then((all) => parentPort.postMessage(all));
`;

/** A server that queues its requests and answers them. */
function serverOf(mostMs: number, answer: (res: ServerResponse) => void): Server {
  const server = createServer();
  const inTurn = behindArrivals(server, mostMs);
  return server.on("request", (_req, res) => inTurn(() => answer(res)));
}

/** Our front door, without routes of its own. */
function frontDoor(answer: (res: ServerResponse) => void): Server {
  return openServer({ routes: routesOf({}), rest: ({ res }) => answer(res), addressOf: () => "" });
}

/** The number of connections accepted before the first request was processed, the number processed, and all answers. */
async function meetCrowd(open: (answer: (res: ServerResponse) => void) => Server) {
  let [taken, takenAtFirst, worked] = [0, 0, 0];
  const server = open((res) => {
    takenAtFirst ||= taken;
    worked++;
    res.writeHead(200).end();
  });
  server.on("connection", () => taken++);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const client = new Worker(CLIENT, { eval: true, workerData: { port, sent } });
  await once(client, "online");
  // Blocks this thread until all of them wait to be accepted.
  for (let seen = 0; seen < CONNECTIONS; seen = Atomics.load(sent, 0)) {
    if (Atomics.wait(sent, 0, seen, 5_000) === "timed-out") throw new Error("not all have sent their request");
  }
  const [answers] = await once(client, "message");
  server.close();
  return { takenAtFirst, worked, answers };
}

describe("requests of simultaneous connections", () => {
  const answers = ["given up", ...Array(CONNECTIONS - 1).fill("200")];

  it("wait until all of these have been taken", async () => {
    const crowd = await meetCrowd((answer) => serverOf(10_000, answer));
    expect(crowd).toEqual({ takenAtFirst: CONNECTIONS, worked: CONNECTIONS, answers });
  });

  it("wait no longer than they may", async () => {
    const crowd = await meetCrowd((answer) => serverOf(0, answer));
    expect(crowd.answers).toEqual(answers);
    expect(crowd.takenAtFirst).toBeLessThan(CONNECTIONS / 2);
  });

  it("wait at the front door, where an aborted one is not processed", async () => {
    // Freeze the clock, so that no time limit is reached.
    const clock = vi.spyOn(performance, "now").mockReturnValue(1);
    onTestFinished(() => clock.mockRestore());
    expect(await meetCrowd(frontDoor)).toEqual({ takenAtFirst: CONNECTIONS, worked: CONNECTIONS - 1, answers });
  });
});
