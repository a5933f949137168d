import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Debian's folder of PostgreSQL programs, by version. */
const POSTGRES = "/usr/lib/postgresql";

/** The path of an installed program, or undefined. */
export function findProgram(name: string): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort().reverse() : [];
  const folders = versions.map((version) => path.join(POSTGRES, version, "bin"));
  folders.push(...(process.env.PATH ?? "").split(path.delimiter));
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}
