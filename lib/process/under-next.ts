import { bindAccounts } from "@/lib/auth/bind-accounts";
import { env } from "@/lib/config/env";
import { Connection, requireSettings } from "@/lib/db/connection";
import { isDatabaseAway } from "@/lib/db/failures";
import { openPool } from "@/lib/db/pool";
import { StartError } from "@/lib/errors";
import { startFeedEpoch } from "@/lib/events/feed";
import { isMigrated } from "@/lib/migrations/migrations";
import { missingPrivileges } from "@/lib/migrations/privileges";
import { startBeingReady } from "@/lib/operations/health";
import { DatabaseWatch } from "@/lib/process/database-watch";
import { beginWork, startInstanceTasks, startProcessTasks } from "@/lib/process/jobs";
import { loadSecretKey } from "@/lib/process/secret-key";
import { printNotice } from "@/lib/telemetry/log";

const WAIT_MS = 5_000;

/**
 * Opens the database when Next serves the routes alone, or ends the process: Next would continue without it and answer
 * 500 to every request.
 */
export async function startUnderNext() {
  try {
    await openUnderNext();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    printNotice(isDatabaseAway(error) ? `The database cannot be used: ${message}` : message);
    process.exit(1);
  }
}

/**
 * Opens the database when Next serves the routes alone. It must be migrated: nothing here has the owner's role.
 * @throws {StartError} that says what to set or run first
 */
async function openUnderNext() {
  const { DATABASE_URL, DATABASE_POOL_SIZE, SECRET_KEY, DATA_DIR, TRUSTED_PROXIES } = env();
  if (process.env.NEXT_ALONE !== "true") throw new StartError("Set NEXT_ALONE=true for `next start` too.");
  if (!DATABASE_URL || !SECRET_KEY) throw new StartError("NEXT_ALONE requires DATABASE_URL and SECRET_KEY.");
  if (TRUSTED_PROXIES === 0) {
    throw new StartError(
      "NEXT_ALONE requires TRUSTED_PROXIES of at least 1, and a proxy that sets X-Forwarded-For: " +
        "Next does not expose the client's address.",
    );
  }
  const ignored = ["API_TOKEN", "ADMIN_EMAIL", "ADMIN_PASSWORD"].filter((name) => process.env[name]);
  if (ignored.length > 0) {
    throw new StartError(
      `NEXT_ALONE ignores ${ignored.join(", ")}. Unset ${ignored.length === 1 ? "it" : "them"}, and run ` +
        "`./user-groups api-token` and `./user-groups member` instead.",
    );
  }
  const client = new Connection({ connectionString: DATABASE_URL, connectionTimeoutMillis: WAIT_MS });
  await client.connect();
  try {
    await requireSettings(client, DATABASE_URL);
    if (!(await isMigrated(client))) {
      throw new StartError("Database migrations are pending. Run `./user-groups migrate` first.");
    }
    const missing = await missingPrivileges(client);
    if (missing.length > 0) throw new StartError(`The role of DATABASE_URL lacks ${missing.join(", ")}.`);
    await loadSecretKey(client, DATA_DIR);
    await startFeedEpoch(client);
  } finally {
    await client.end();
  }
  openPool(DATABASE_URL, DATABASE_POOL_SIZE);
  await new DatabaseWatch({ onWork: beginWork }).start(DATABASE_URL);
  await bindAccounts();
  startBeingReady();
  startProcessTasks();
  startInstanceTasks();
}
