import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DEFAULT_FOLDER } from "@/lib/migrations/migrations";
import { startMigrating } from "../e2e/fixtures/migrating";
import { startGenerator } from "./open-loop";
import type { Stage } from "./stage";
import type { Kept } from "./timetable";

/** Migrations of the kinds that a large table sees, in their order. */
const CHANGES = {
  "ADD COLUMN": "ALTER TABLE user_group ADD COLUMN growth_note TEXT NOT NULL DEFAULT 'none'",
  "CREATE INDEX CONCURRENTLY": "CREATE INDEX CONCURRENTLY growth_idx ON user_group (environment_id, created_at)",
};
/** Seconds of requests before a change, and per measurement while it runs. */
const SECONDS = 5;

/** Requests on a timetable while a migration ran. */
interface During {
  what: string;
  /** seconds that the migration took */
  seconds: number;
  /** GET existing, in milliseconds; of several measurements the worst */
  p99: number;
  errors: number;
}

/** Migrates by the service's own runner while GET existing comes at a rate, per second. */
export async function measureSchemaChanges({ ours, settings, folder, atEnd }: Stage, rate: number): Promise<During[]> {
  const keep = startGenerator(atEnd);
  const measure = () => keep({ server: ours, rate, seconds: SECONDS });
  const measured: During[] = [];
  await measure();
  measured.push({ what: "no migration", seconds: SECONDS, ...worst([await measure()]) });
  const migrations = path.join(folder, "migrations");
  cpSync(DEFAULT_FOLDER, migrations, { recursive: true });
  const add = (n: number, script: string) => {
    mkdirSync(path.join(migrations, `2999010100000${n}_next`));
    writeFileSync(path.join(migrations, `2999010100000${n}_next/migration.sql`), script);
  };
  const during = async (what: string) => {
    const start = performance.now();
    let seconds = 0;
    const migrated = startMigrating(settings.DATABASE_URL, migrations).migrated.finally(() => {
      seconds = (performance.now() - start) / 1_000;
    });
    migrated.catch(() => undefined); // Awaited below.
    const all: Kept[] = [];
    do all.push(await measure());
    while (seconds === 0);
    await migrated;
    measured.push({ what, seconds, ...worst(all) });
  };
  for (const [n, [what, script]] of Object.entries(CHANGES).entries()) {
    add(n, script);
    await during(what);
  }
  return measured;
}

/** The worst of the measurements; of errors the sum. */
function worst(all: Kept[]): Pick<During, "p99" | "errors"> {
  const errors = all.reduce((sum, kept) => sum + kept.errors, 0);
  return { p99: Math.max(...all.map(({ p99 }) => p99)), errors };
}
