import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Where Debian keeps the programs of PostgreSQL, by version. */
const POSTGRES = "/usr/lib/postgresql";

/** The path of a program that is installed, if it is. */
export function findProgram(name: string): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort().reverse() : [];
  const folders = versions.map((version) => path.join(POSTGRES, version, "bin"));
  folders.push(...(process.env.PATH ?? "").split(path.delimiter));
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}
