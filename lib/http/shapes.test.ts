import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Serves six requests, has the engine collect in full, serves more, and prints whether requests and responses are fast objects. */
const PROBE = `
  import { Agent, createServer, get } from "node:http";
  import { once } from "node:events";
  import { settleShapes } from "./lib/http/shapes.ts";

  if (process.argv.includes("settled")) settleShapes();
  let isFast;
  const server = createServer((req, res) => {
    res.writeHead(200).end();
    isFast = %HasFastProperties(req) && %HasFastProperties(res);
  }).listen(0, "127.0.0.1");
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

function probe(...settled: "settled"[]) {
  const options = ["--import", "tsx", "--expose-gc", "--allow-natives-syntax", "--input-type=module"];
  return execFileSync(process.execPath, [...options, "-e", PROBE, "--", ...settled], { encoding: "utf8" }).trim();
}

test("a collection before the seventh request leaves requests and responses fast objects", () => {
  expect(probe("settled")).toBe("true");
});

test.runIf(process.versions.node.startsWith("20."))("without that, Node 20 makes dictionaries of them", () => {
  expect(probe()).toBe("false");
});
