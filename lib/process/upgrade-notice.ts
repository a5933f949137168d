import { version } from "@/lib/config/version";
import { read, write } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";

const NEWEST = statement("newest_version")`SELECT version FROM newest_version`;
const BEGIN = statement("begin_newest_version")`
  INSERT INTO newest_version (version) VALUES ($1) ON CONFLICT DO NOTHING`;
/** Of several instances that start together, one changes the row. */
const RAISE = statement("raise_newest_version")`
  UPDATE newest_version SET version = $1, since = transaction_timestamp() WHERE version = $2
  RETURNING version`;

/**
 * Records that this version serves the database; returns what to tell at the first start of a newer version than all
 * before.
 */
export async function recordVersion(): Promise<string | undefined> {
  const current = version();
  const [newest] = await read<{ version: string }>(NEWEST, []);
  if (!newest) await write(BEGIN, [current]);
  if (!newest || !isNewer(current, newest.version)) return undefined;
  const raised = await write(RAISE, [current, newest.version]);
  if (raised.length === 0) return undefined;
  return `Upgraded from ${newest.version} to ${current}. CHANGELOG.md says what changed.`;
}

const byNumber = new Intl.Collator("en", { numeric: true });

function isNewer(one: string, other: string): boolean {
  return byNumber.compare(one, other) > 0;
}
