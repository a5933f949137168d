import { read } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";

/** What named its sessions without a version. */
const FIRST = "0.9.0";

const VERSIONS = statement("versions")`
  SELECT DISTINCT coalesce(substring(application_name FROM '^user-group-service (\\d\\S*)$'), '${FIRST}') AS version
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name ~ '^user-group-service( \\d\\S*)?$' ORDER BY version`;

/** The versions of the service that have sessions in this database now. */
export async function findVersions(): Promise<string[]> {
  return (await read<{ version: string }>(VERSIONS, [])).map(({ version }) => version);
}
