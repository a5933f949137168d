import type { Acknowledged } from "@/lib/db/acknowledged";
import type { Hosts, Primary } from "@/lib/db/hosts";

/** Groups per question. */
const GROUPS_AT_ONCE = 500;

/** Entries of these groups. A deletion has one too: nothing but the history tells a group that was deleted later from one that is lost. */
const entriesOf = (bounds: string) => `
  SELECT a.team_id, a.request_id, a.action, count(*)::int AS entries
  FROM audit_entry a
  WHERE a.team_id = ANY ($1::int[]) AND a.request_id IS NOT NULL ${bounds}
  GROUP BY a.team_id, a.request_id, a.action`;

/** Ids and times rise together, so that an index on group and id suffices. */
const RECENT = entriesOf(`AND a.at > now() - interval '2 hours'
    AND a.id > coalesce((SELECT id FROM audit_entry WHERE at < now() - interval '1 hour' ORDER BY at DESC LIMIT 1), 0)`);

/** For what seems lost: after a long outage, or by a clock that is ahead, an entry is older than that. */
const WHENEVER = entriesOf("");

interface Entries {
  team_id: number;
  request_id: string;
  action: string;
  entries: number;
}

const keyOf = (teamId: number, requestId: string, action: string) => `${teamId} ${requestId} ${action}`;

/** Those of the changes that the primary's history does not have. */
export async function findLost(
  hosts: Hosts,
  primary: Primary,
  changes: readonly Acknowledged[],
): Promise<Acknowledged[]> {
  const missing = await findMissing(hosts, primary, changes, RECENT);
  if (missing.length === 0) return [];
  const groups = new Set(missing.map(({ teamId }) => teamId));
  const ofGroups = changes.filter(({ teamId }) => groups.has(teamId));
  return findMissing(hosts, primary, ofGroups, WHENEVER);
}

async function findMissing(
  hosts: Hosts,
  primary: Primary,
  changes: readonly Acknowledged[],
  text: string,
): Promise<Acknowledged[]> {
  const teamIds = [...new Set(changes.map(({ teamId }) => teamId))];
  const left = new Map<string, number>();
  for (let at = 0; at < teamIds.length; at += GROUPS_AT_ONCE) {
    const some = teamIds.slice(at, at + GROUPS_AT_ONCE);
    for (const { team_id, request_id, action, entries } of await hosts.query<Entries>(primary, text, [some])) {
      left.set(keyOf(team_id, request_id, action), entries);
    }
  }
  return changes.filter(({ teamId, requestId, action }) => {
    const key = keyOf(teamId, requestId, action);
    const entries = left.get(key) ?? 0;
    left.set(key, entries - 1);
    return entries <= 0;
  });
}
