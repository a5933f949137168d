import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { routesOf } from "@/lib/endpoint/routes";
import { behindArrivals } from "@/lib/http/arrivals";
import { openServer } from "@/lib/http/front-door";

const CONNECTIONS = 20;

/**
 * Opens connections that send a request each, reports when all have, and ends with the answers' statuses. One aborts
 * immediately.
 */
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

/** Announces a body, ends the connection instead, and has others arrive behind it; reports the answer's status. */
const HALF = `
  const { connect } = require("node:net");
  const { parentPort, workerData: { port, sent } } = require("node:worker_threads");
  const report = () => { Atomics.add(sent, 0, 1); Atomics.notify(sent, 0); };
  const half = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
    half.end("POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 5\\r\\n\\r\\n", () => {
      report();
      const others = Array.from({ length: ${CONNECTIONS - 1} }, () => connect(port, "127.0.0.1", report));
      half.once("close", () => others.forEach((other) => other.destroy()));
    });
  });
  half.once("data", (data) => { half.destroy(); parentPort.postMessage(String(data).split(" ")[1]); });
`;

/** A server that queues its requests and answers them. */
function serverOf(mostMs: number, answer: (res: ServerResponse) => void): Server {
  const server = createServer();
  const afterArrivals = behindArrivals(server, mostMs);
  return server.on("request", (_req, res) => afterArrivals(() => answer(res)));
}

/** Our front door, without routes of its own. */
function frontDoor(answer: (res: ServerResponse) => void): Server {
  return openServer({ routes: routesOf({}), rest: ({ res }) => answer(res), addressOf: () => "" });
}

/** Starts a client on a server, and keeps the server from accepting anything until the client has sent `requests`. */
async function afterAllWereSent(server: Server, client: string, requests: number) {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const worker = new Worker(client, { eval: true, workerData: { port, sent } });
  await once(worker, "online");
  for (let seen = 0; seen < requests; seen = Atomics.load(sent, 0)) {
    if (Atomics.wait(sent, 0, seen, 5_000) === "timed-out") throw new Error("not all have sent their request");
  }
  const [answers] = await once(worker, "message");
  server.close();
  return answers;
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
  const answers = await afterAllWereSent(server, CLIENT, CONNECTIONS);
  return { takenAtFirst, worked, answers };
}

describe("requests of simultaneous connections", () => {
  const answers = ["given up", ...Array(CONNECTIONS - 1).fill("200")];

  it("wait until all connections are accepted", async () => {
    const crowd = await meetCrowd((answer) => serverOf(10_000, answer));
    expect(crowd).toEqual({ takenAtFirst: CONNECTIONS, worked: CONNECTIONS, answers });
  });

  it("wait no longer than the limit", async () => {
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

  it("detect a body that ended early while they waited", async () => {
    const server = openServer({
      routes: routesOf({}),
      rest: async ({ call }) => {
        await call.readBody();
      },
      addressOf: () => "",
    });
    expect(await afterAllWereSent(server, HALF, CONNECTIONS)).toBe("400");
  });
});
