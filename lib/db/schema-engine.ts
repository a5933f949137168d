import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { MigrationList, SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import type { Pool } from "pg";

/** The folder of this release's migrations. */
export const DEFAULT_FOLDER = path.join(process.cwd(), "prisma/migrations");

/** PrismaPg's connection; `underlyingDriver()` returns the pool. */
export type Adapter = Awaited<ReturnType<PrismaPg["connect"]>>;

type RunScript = (adapter: Adapter, script: string) => Promise<unknown>;
const namesByFolder = new Map<string, readonly string[]>();

/** The names of this release's migrations, oldest first; read from disk once. */
export function migrationNames(folder = DEFAULT_FOLDER): readonly string[] {
  const known = namesByFolder.get(folder);
  if (known) return known;
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map((entry) => entry.name).sort();
  namesByFolder.set(folder, names);
  return names;
}

/** The schema engine's filters for a database that is entirely ours. */
export const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** A folder's migrations in the schema engine's form. */
export function readMigrations(folder = DEFAULT_FOLDER): MigrationList {
  const lockfile = "migration_lock.toml";
  return {
    baseDir: folder,
    lockfile: { path: lockfile, content: readFileSync(path.join(folder, lockfile), "utf8") },
    shadowDbInitScript: "",
    migrationDirectories: migrationNames(folder).map((name) => ({
      path: name,
      migrationFile: {
        path: "migration.sql",
        content: { tag: "ok", value: readFileSync(path.join(folder, name, "migration.sql"), "utf8") },
      },
    })),
  };
}

/** Without parameters pg sends the text as is, and the server runs it in one transaction. */
export function runWhole(adapter: Adapter, script: string): Promise<number> {
  return adapter.executeRaw({ sql: script, args: [], argTypes: [] });
}

/** Prisma's adapter splits scripts at semicolons; this one sends them whole, so that they are atomic. */
export class WholeScripts extends PrismaPg {
  constructor(
    pool: Pool,
    private readonly run: RunScript = runWhole,
  ) {
    super(pool);
  }

  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      await this.run(adapter, script);
    };
    return adapter;
  }

  // PrismaPg's shadow is the database itself when the pool has a connection string.
  override connectToShadowDb(): Promise<Adapter> {
    return Promise.reject(new Error("Only prisma/migration.ts has a shadow database."));
  }
}

let loading: Promise<typeof SchemaEngine> | undefined;

/** Prisma's schema engine over an adapter; `free()` it when done. */
export async function openEngine(adapter: WholeScripts): Promise<SchemaEngine> {
  loading ??= loadEngine();
  const Engine = await loading;
  return Engine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter));
}

async function loadEngine(): Promise<typeof SchemaEngine> {
  // The engine reports a panic's message here before it traps.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: (text: string) => console.error(text) } });
  const glue = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  // From the project root, not import.meta.url: this file also runs from dist/.
  const entry = createRequire(path.join(process.cwd(), "package.json")).resolve("@prisma/schema-engine-wasm");
  const wasm = readFileSync(path.join(path.dirname(entry), "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": glue as never });
  glue.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === "function") start();
  return glue.SchemaEngine;
}
