import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  isDriverAdapterError,
} from "@prisma/driver-adapter-utils";
import type { MigrationList, SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import type { Pool } from "pg";
import { DEFAULT_FOLDER, migrationNames } from "../lib/migrations/migrations";

const CHAR_OID = 18;

/** PrismaPg's connection; `underlyingDriver()` returns the pool. */
type Adapter = Awaited<ReturnType<PrismaPg["connect"]>>;

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

/** PrismaPg 7.10 splits scripts at semicolons, and cannot read the catalogs' "char" columns. */
class SchemaAdapter extends PrismaPg {
  constructor(private readonly pool: Pool) {
    super(pool);
  }

  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      await this.pool.query(script);
    };
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = (query) =>
      queryRaw(query).catch((error: unknown) => {
        const unknownType = isDriverAdapterError(error) && error.cause.kind === "UnsupportedNativeDataType";
        if (!unknownType) throw error;
        return readChars(adapter, queryRaw, query);
      });
    return adapter;
  }

  /** The database itself, which is a scratch one. */
  override connectToShadowDb(): Promise<Adapter> {
    return this.connect();
  }
}

async function readChars(adapter: Adapter, queryRaw: Adapter["queryRaw"], query: Parameters<Adapter["queryRaw"]>[0]) {
  const { fields } = await adapter.underlyingDriver().query(query.sql, query.args);
  const isChar = fields.map((field) => field.dataTypeID === CHAR_OID);
  const columns = fields.map(({ name }, i) => (isChar[i] ? `"${name}"::text` : `"${name}"`));
  const sql = `SELECT ${columns.join()} FROM (${query.sql.trim().replace(/;$/, "")}) AS described`;
  const result = await queryRaw({ ...query, sql });
  return {
    ...result,
    columnNames: fields.map(({ name }) => name),
    columnTypes: result.columnTypes.map((type, i) => (isChar[i] ? ColumnTypeEnum.Character : type)),
  };
}

let loading: Promise<typeof SchemaEngine> | undefined;

/** Prisma's schema engine over a database; `free()` it when done. */
export async function openEngine(pool: Pool): Promise<SchemaEngine> {
  loading ??= loadEngine();
  const Engine = await loading;
  return Engine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(new SchemaAdapter(pool)));
}

async function loadEngine(): Promise<typeof SchemaEngine> {
  // The engine reports a panic's message here before it traps.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: (text: string) => console.error(text) } });
  const glue = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const entry = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm");
  const wasm = readFileSync(path.join(path.dirname(entry), "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": glue as never });
  glue.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === "function") start();
  return glue.SchemaEngine;
}
