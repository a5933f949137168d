import { readFileSync } from "node:fs";
import path from "node:path";
import { packageOf } from "./trace";

interface Package {
  version?: string;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** The packages of package-lock.json, by their folders; "" is this one. */
type Packages = Record<string, Package>;

/** Optional packages of Next that no release loads: `npm ci` would fetch their 120 MB if the lock named them. */
const NOT_FETCHED = /^(?:sharp$|@next\/swc-)/;

/**
 * package.json and package-lock.json of a release: its packages alone, in the versions of this checkout; and the list
 * that npm keeps inside of node_modules.
 */
export function manifestFiles(files: string[]): Record<string, string> {
  const shipped = new Set(files.map(packageOf));
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const dependencies = pick(manifest.dependencies, (name) => shipped.has(`node_modules/${name}`));
  const { name, version, license, type, engines, optionalDependencies } = manifest;
  const { start } = manifest.scripts;
  const own = {
    name,
    version,
    private: true,
    license,
    type,
    engines,
    dependencies,
    optionalDependencies,
    scripts: { start },
  };

  const root = { name, version, license, dependencies, optionalDependencies, engines };
  const packages = reachable({
    ...lock.packages,
    "node_modules/next": withoutUnused(lock.packages["node_modules/next"]),
    "": root,
  });
  for (const folder of shipped) {
    if (folder !== undefined && !packages[folder]) throw new Error(`${folder} is traced, but not a dependency.`);
  }
  const installed = pick(packages, (folder) => shipped.has(folder));
  return {
    "package.json": toJson(own),
    "package-lock.json": toJson({ ...lock, packages }),
    "node_modules/.package-lock.json": toJson({ ...lock, packages: installed }),
  };
}

function withoutUnused({ optionalDependencies = {}, ...rest }: Package): Package {
  return { ...rest, optionalDependencies: pick(optionalDependencies, (name) => !NOT_FETCHED.test(name)) };
}

/** The packages that the first one needs, itself included. */
function reachable(all: Packages): Packages {
  const found = new Set([""]);
  for (const folder of found) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = all[folder] ?? {};
    const peers = pick(peerDependencies ?? {}, (name) => !peerDependenciesMeta?.[name]?.optional);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peers })) {
      const place = resolveFrom(all, folder, name);
      if (place !== undefined) found.add(place);
    }
  }
  return pick(all, (folder) => found.has(folder));
}

/** Where a package finds another: in its own node_modules, or in those of a folder above it. */
function resolveFrom(all: Packages, folder: string, name: string): string | undefined {
  const place = path.posix.join(folder, "node_modules", name);
  if (all[place]) return place;
  const above = /^(?:(.*)\/)?node_modules\//.exec(folder)?.[1] ?? "";
  return folder === "" ? undefined : resolveFrom(all, above, name);
}

function pick<T>(record: Record<string, T>, isWanted: (key: string, value: T) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => isWanted(key, value)));
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
