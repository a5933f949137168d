// Developers' command: `tsx prisma/migration.ts new <name> [postgres url]` writes the migration to the current
// schema.prisma, `tsx prisma/migration.ts check [postgres url]` fails when one is missing. The URL is a server
// for scratch databases; without it an embedded one is started.
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, Pool } from "pg";
import { TABLES } from "../lib/migrations/privileges";
import { openEngine, readMigrations } from "./schema-engine";

const SCHEMA = path.join(process.cwd(), "prisma/schema.prisma");

const [command, ...rest] = process.argv.slice(2);
if (command === "check") await check(rest[0]);
else if (command === "new" && /^[a-z0-9_]+$/.test(rest[0] ?? "")) await create(String(rest[0]), rest[1]);
else fail("usage: tsx prisma/migration.ts new <name_in_snake_case> | check [postgres url]");

async function check(url?: string): Promise<void> {
  const script = await missingSteps(url);
  if (script) fail(`schema.prisma is ahead of the migrations (create one with "new <name>"):\n\n${script}`);
}

async function create(name: string, url?: string): Promise<void> {
  const script = await missingSteps(url);
  if (!script) return fail("schema.prisma and the migrations match: nothing to write.");
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = path.join("prisma/migrations", `${stamp}_${name}`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, "migration.sql"), script);
  process.stdout.write(`${folder}/migration.sql\n`);
}

/** The SQL from the migrations' schema to schema.prisma; undefined when they match. */
async function missingSteps(url?: string): Promise<string | undefined> {
  return url ? compare(url) : withEmbedded(compare);
}

async function withEmbedded<T>(work: (url: string) => Promise<T>): Promise<T> {
  const { attachEmbedded, superuserUrl } = await import("../lib/embedded/postgres");
  const dataDir = mkdtempSync(path.join(tmpdir(), "migration-"));
  try {
    const server = await attachEmbedded(dataDir);
    try {
      return await work(await superuserUrl(dataDir, server.url));
    } finally {
      await server.release();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function compare(url: string): Promise<string | undefined> {
  const server = new Client({ connectionString: url });
  await server.connect();
  const name = `migration_${randomBytes(6).toString("hex")}`;
  await server.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  try {
    const scratch = new URL(url);
    scratch.pathname = name;
    return await diff(new Pool({ connectionString: scratch.href }));
  } finally {
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.end();
  }
}

async function diff(scratch: Pool): Promise<string | undefined> {
  const engine = await openEngine(scratch);
  try {
    const schema = { path: SCHEMA, content: readFileSync(SCHEMA, "utf8") };
    // Only SQL reaches a table without a model, and only the migrations say what it is.
    const withoutModel = Object.keys(TABLES).filter((table) => !schema.content.includes(`@@map("${table}")`));
    const { exitCode, stdout } = await engine.diff({
      from: { tag: "migrations", ...readMigrations() },
      to: { tag: "schemaDatamodel", files: [schema] },
      script: true,
      exitCode: true,
      filters: { externalTables: withoutModel.map((table) => `public.${table}`), externalEnums: [] },
    });
    return exitCode === 2 ? (stdout ?? "") : undefined;
  } finally {
    engine.free();
    await scratch.end();
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
