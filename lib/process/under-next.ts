import pg from "pg";
import { env } from "@/lib/config/env";
import { pendingMigrations } from "@/lib/db/migrate";
import { openPool } from "@/lib/db/pool";
import { missingPrivileges } from "@/lib/db/privileges";
import { StartError } from "@/lib/errors";
import { startBeingReady } from "@/lib/operations/health";
import { startInstanceJobs, startProcessJobs } from "@/lib/process/jobs";
import { loadSecretKey } from "@/lib/process/secret-key";

const WAIT_MS = 5_000;

/**
 * Opens the database where Next alone serves the routes. It must have been migrated: nothing here is an owner.
 * @throws {StartError} when something has to be set or done first
 */
export async function openUnderNext() {
  const { DATABASE_URL, DATABASE_POOL_SIZE, SECRET_KEY, DATA_DIR, TRUSTED_PROXIES } = env();
  if (process.env.NEXT_ALONE !== "true") throw new StartError("Set NEXT_ALONE=true for `next start` as well.");
  if (!DATABASE_URL || !SECRET_KEY) throw new StartError("Under Next alone DATABASE_URL and SECRET_KEY must be set.");
  if (TRUSTED_PROXIES === 0) {
    throw new StartError(
      "Under Next alone TRUSTED_PROXIES must be at least 1, with a proxy in front that sets X-Forwarded-For: Next does not tell where a request comes from.",
    );
  }
  const client = new pg.Client({ connectionString: DATABASE_URL, connectionTimeoutMillis: WAIT_MS });
  await client.connect();
  try {
    if ((await pendingMigrations(client)).length > 0) {
      throw new StartError("Migrations of the database are pending: run `npm run migrate` first.");
    }
    const missing = await missingPrivileges(client);
    if (missing.length > 0) throw new StartError(`The role of DATABASE_URL lacks ${missing.join(", ")}.`);
    await loadSecretKey(client, DATA_DIR);
  } finally {
    await client.end();
  }
  openPool(DATABASE_URL, DATABASE_POOL_SIZE);
  startBeingReady();
  startProcessJobs();
  startInstanceJobs();
}
