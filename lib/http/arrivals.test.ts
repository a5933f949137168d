import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { routesOf } from "@/lib/endpoint/routes";
import { behindArrivals } from "@/lib/http/arrivals";
import { openServer } from "@/lib/http/front-door";

const CONNECTIONS = 20;

/** Opens connections that send a request each, tells when all have, and ends with the statuses of their answers. One gives up at once. */
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

/** A server that takes its requests in turn, and has them answered. */
function serverOf(mostMs: number, answer: (res: ServerResponse) => void): Server {
  const server = createServer();
  const inTurn = behindArrivals(server, mostMs);
  return server.on("request", (_req, res) => inTurn(() => answer(res)));
}

/** Our front door, which has nothing to answer itself. */
function frontDoor(answer: (res: ServerResponse) => void): Server {
  return openServer({ routes: routesOf({}), rest: ({ res }) => answer(res), addressOf: () => "" });
}

/** How many connections had been taken when the first request of those that came at once was worked on, how many were, and all answers. */
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
  // This thread stands still until they all wait to be taken.
  for (let seen = 0; seen < CONNECTIONS; seen = Atomics.load(sent, 0)) {
    if (Atomics.wait(sent, 0, seen, 5_000) === "timed-out") throw new Error("not all have sent their request");
  }
  const [answers] = await once(client, "message");
  server.close();
  return { takenAtFirst, worked, answers };
}

describe("requests of connections that came at once", () => {
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

  it("wait at the front door, where one that is given up meanwhile is not worked on", async () => {
    // So that nothing takes longer than it may, however busy the machine is.
    const clock = vi.spyOn(performance, "now").mockReturnValue(1);
    onTestFinished(() => clock.mockRestore());
    expect(await meetCrowd(frontDoor)).toEqual({ takenAtFirst: CONNECTIONS, worked: CONNECTIONS - 1, answers });
  });
});
