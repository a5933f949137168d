// Builds the package for `import` and for `require`, into dist or the given folder.
import "./openapi.mjs";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const here = import.meta.dirname;
const dist = path.resolve(process.argv[2] ?? path.join(here, "dist"));
const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const FORMATS = {
  esm: [],
  cjs: ["--module", "commonjs", "--moduleResolution", "bundler", "--verbatimModuleSyntax", "false"],
};

rmSync(dist, { recursive: true, force: true });
for (const [format, options] of Object.entries(FORMATS)) {
  const outDir = path.join(dist, format);
  const args = [tsc, "-p", path.join(here, "tsconfig.json"), "--outDir", outDir, ...options];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(outDir, { recursive: true });
  writeFileSync(path.join(outDir, "package.json"), `{ "type": "${format === "esm" ? "module" : "commonjs"}" }\n`);
}
