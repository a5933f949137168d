// Runs a program of the production build, which the first start makes:
//   node run.mjs server, api-token …, doctor …   (tools/build.mjs lists them)
//   node run.mjs build                           builds it again
//   node run.mjs dev                             runs the sources instead, restarting on changes
import "./tools/node-version.mjs";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

process.env.NEXT_TELEMETRY_DISABLED = "1";

const STAMP = "dist/build.json";

// Read early: npm's shell may end while we build.
const shell = process.ppid;
const [name = "", ...rest] = process.argv.slice(2);
process.chdir(import.meta.dirname);
/** A release and an image have the build, but no sources. */
const isCheckout = existsSync("server.ts");
if (!existsSync("node_modules")) fail("The dependencies are not installed. Run  npm ci  first.");
if (name === "dev") {
  endWithShell();
  runDev();
} else {
  if (name === "build" || !existsSync(STAMP)) await (await import("./tools/build.mjs")).build();
  if (name !== "build") await runProgram();
}

async function runProgram() {
  const { programs, version, packages } = JSON.parse(readFileSync(STAMP, "utf8"));
  if (!programs.includes(name)) fail(`There is no program "${name}". Programs: dev, build, ${programs.join(", ")}.`);
  if (isCheckout) {
    const source = (await import("./tools/build.mjs")).sourceOfBuild();
    if (source.version !== version || source.packages !== packages)
      fail("The build is of another version, or has other packages. Run  npm ci && npm run build  first.");
  }
  if (name === "server") endWithShell();
  process.argv.splice(1, 2, `dist/${name}.js`);
  Object.assign(process.env, { NODE_ENV: "production" });
  await import(`./dist/${name}.js`);
}

/** npm sends SIGTERM only to its shell, and many shells end without forwarding it. */
function endWithShell() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 200);
  watch.unref();
}

function runDev() {
  const generated = spawnSync(process.execPath, ["node_modules/prisma/build/index.js", "generate"], {
    encoding: "utf8",
  });
  if (generated.status !== 0) fail(generated.stderr);
  const tsx = ["node_modules/tsx/dist/cli.mjs", "watch", "--clear-screen=false", "server.ts", ...rest];
  const child = spawn(process.execPath, tsx, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NODE_ENV: "development" },
    // Detached from the terminal: on a second signal, tsx kills the service, which leaves its database running.
    detached: true,
  });
  let isStopping = false;
  const stop = () => {
    if (!isStopping) child.kill("SIGTERM");
    isStopping = true;
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  child.on("exit", (code) => process.exit(code ?? 1));
}

/**
 * @param {string} reason
 * @returns {never}
 */
function fail(reason) {
  process.stderr.write(`${reason.trimEnd()}\n`);
  process.exit(1);
}
