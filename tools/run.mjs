// Runs a command of the production build, which the first command makes: `./user-groups --help` lists all commands.
// `npm run build` and `npm run dev` come here too: the latter runs the sources, restarting on changes.
import "./node-version.mjs";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { COMMANDS, USAGE } from "./commands.mjs";

const STAMP = "dist/build.json";
const START_USAGE = `Usage:  ./user-groups start
Starts the service. It reads its settings from the environment and from .env: docs/operations.md lists them.
`;

// Read early: npm's shell may end while we build.
const shell = process.ppid;
const [name = "", ...rest] = process.argv.slice(2);
// The folder to which a command's file arguments are relative. npm also sets it, to the folder where npm was started.
process.env.INIT_CWD = process.cwd();
process.chdir(path.dirname(import.meta.dirname));
/** False in a release and an image, which have the build, but no sources. */
const isCheckout = existsSync("app");
if (!existsSync("node_modules")) fail("The dependencies are not installed. Run  npm ci  first.");
if (name === "--help") process.stdout.write(USAGE);
else if (name === "dev" && isCheckout) {
  endWithShell();
  runDev();
} else if (name === "build" && isCheckout) await build();
else if (!Object.hasOwn(COMMANDS, name)) fail(await describeUnknown());
else if (name === "start" && rest.includes("--help")) process.stdout.write(START_USAGE);
else if (name === "start" && rest.length > 0) fail(`Unexpected argument "${rest[0]}". --help shows the usage.`);
else {
  if (!existsSync(STAMP)) await build();
  await runCommand();
}

async function describeUnknown() {
  if (name === "") return "Give a command. ./user-groups --help lists all.";
  if (name === "export") return "User groups are exported in the dashboard, or by GET /api/user-groups/export.";
  const { closest, distance } = await import("fastest-levenshtein");
  const near = closest(name, Object.keys(COMMANDS));
  const help = distance(name, near) <= near.length / 2 ? `Did you mean ${near}?` : "./user-groups --help lists all.";
  return `There is no command "${name}". ${help}`;
}

async function build() {
  await (await import("./build.mjs")).build();
}

async function runCommand() {
  const { version, packages } = JSON.parse(readFileSync(STAMP, "utf8"));
  const isOfSource = async () => {
    const source = (await import("./build.mjs")).sourceOfBuild();
    return source.version === version && source.packages === packages;
  };
  if (isCheckout && !(await isOfSource()))
    fail("The build is of another version, or has other packages. Run  npm ci && npm run build  first.");
  if (name === "start" || name === "demo") endWithShell();
  process.argv.splice(1, 2, `dist/${name}.js`);
  Object.assign(process.env, { NODE_ENV: "production" });
  await import(`../dist/${name}.js`);
}

/** Ends with npm's shell: npm sends SIGTERM only to that, and many shells end without forwarding it. */
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
  const tsx = ["node_modules/tsx/dist/cli.mjs", "watch", "--clear-screen=false", "app/server.ts", ...rest];
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
