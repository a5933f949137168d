import { overdueMonths } from "@/lib/audit/retention";
import { env } from "@/lib/config/env";
import { commit, version } from "@/lib/config/version";
import { usableKeys } from "@/lib/crypto/keyring";
import { databaseNow } from "@/lib/db/clock";
import { read, statement } from "@/lib/db/pool";
import { type Diagnosis, diagnosisAnswer } from "@/lib/doctor/schema";
import { lastPast, listBackups } from "@/lib/embedded/backup-folder";
import { withNeeds } from "@/lib/endpoint/access";
import { type Call, json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { feedLag } from "@/lib/events/lag";
import { isOverprivileged } from "@/lib/migrations/privileges";
import { countDisabled } from "@/lib/webhooks/service";

/** Shows a request as received to a caller with an API token; `./user-groups doctor` uses it. */
export const diagnose = endpoint({
  operationId: "diagnose",
  summary: "Diagnose proxies",
  description:
    "For setting up proxies: shows the request as the service received it. `./user-groups doctor` uses this call to " +
    "find problems of a deployment.",
  // The answer shows how the service is deployed, which is not for members with the role viewer.
  access: withNeeds({ scopes: [], ofMembers: ["tokens:read"] }),
  answered: "The request as received, and related settings of the service.",
  answer: diagnosisAnswer,
  answerExample: {
    version: version(),
    commit: "0b7f3e0c1d5a49d2c8a6f0e7b1d94c3a5e8f2b60",
    versions: [version()],
    backup: null,
    feed_lag: { seconds: 0, pid: null, prepared: null },
    disabled_webhooks: 0,
  },
  handle: async ({ call }) => json(await diagnosisOf(call)),
});

async function diagnosisOf({ address, headers }: Call): Promise<Omit<Diagnosis, "success">> {
  const { HISTORY_KEPT, PUBLIC_URL, TRUSTED_PROXIES } = env();
  return {
    version: version(),
    commit: commit(),
    versions: (await read<{ version: string }>(VERSIONS, [])).map(({ version }) => version),
    time: new Date().toISOString(),
    database_time: (await databaseNow()).toISOString(),
    address: address(),
    forwarded_for: headers["x-forwarded-for"] === undefined ? 0 : String(headers["x-forwarded-for"]).split(",").length,
    trusted_proxies: TRUSTED_PROXIES,
    host: headers.host ?? null,
    public_url: PUBLIC_URL ?? null,
    is_database_owner: await isOverprivileged(),
    overdue_months: HISTORY_KEPT === undefined ? null : await overdueMonths(HISTORY_KEPT),
    has_previous_key: usableKeys().length > 1,
    feed_lag: await feedLag(),
    disabled_webhooks: await countDisabled(),
    backup: await findBackup(),
  };
}

async function findBackup(): Promise<Diagnosis["backup"]> {
  const { DATABASE_URL, BACKUP_DIR } = env();
  if (DATABASE_URL) return null;
  const last = BACKUP_DIR === undefined ? undefined : lastPast(await listBackups(BACKUP_DIR));
  return { is_on: BACKUP_DIR !== undefined, last_backup_at: last?.at.toISOString() ?? null };
}

/** The release that named its sessions without a version. */
const FIRST = "0.9.0";

/**
 * The versions of the service that have sessions in this database now. PgBouncer keeps those of ended instances for
 * minutes; a running one works on its periodic tasks each minute. Another role's `state_change` is hidden.
 */
const VERSIONS = statement("versions")`
  SELECT DISTINCT coalesce(substring(application_name FROM '^user-group-service (\\d\\S*)$'), '${FIRST}') AS version
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name ~ '^user-group-service( \\d\\S*)?$'
    AND (state_change < now() - interval '2 minutes') IS NOT TRUE
  ORDER BY version`;
