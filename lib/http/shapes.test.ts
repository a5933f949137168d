import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Serves six requests, has the engine collect in full, serves more, and prints whether requests and responses are fast objects. */
const PROBE = `
  import { Agent, createServer, get } from "node:http";
  import { once } from "node:events";
  import { openServer } from "./lib/http/node.ts";

  let isFast;
  const answer = (req, res) => {
    res.writeHead(200).end();
    isFast = %HasFastProperties(req) && %HasFastProperties(res);
  };
  const ours = { routes: { find: () => undefined }, rest: ({ req, res }) => answer(req, res), addressOf: () => "" };
  const server = process.argv.includes("ours") ? openServer(ours) : createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true });
  const call = () => new Promise((done) => {
    get({ agent, port: server.address().port }, (answer) => answer.resume().on("end", done));
  });
  for (let calls = 0; calls < 6; calls++) await call();
  global.gc();
  for (let calls = 0; calls < 6; calls++) await call();
  console.log(isFast);
  process.exit();
`;

function probe(server: "ours" | "plain") {
  const options = ["--import", "tsx", "--expose-gc", "--allow-natives-syntax", "--input-type=module"];
  return execFileSync(process.execPath, [...options, "-e", PROBE, "--", server], { encoding: "utf8" }).trim();
}

test("of our server, a collection before the seventh request leaves requests and responses fast objects", () => {
  expect(probe("ours")).toBe("true");
});

test.runIf(process.versions.node.startsWith("20."))("of a plain one, Node 20 makes dictionaries of them", () => {
  expect(probe("plain")).toBe("false");
});
