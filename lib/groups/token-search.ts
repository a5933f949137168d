import { type HistoryRow, snapshotIn } from "@/lib/audit/entries";
import type { Asked } from "@/lib/auth/caller";
import type { Author } from "@/lib/authority/authority";
import { findTokenIn, tokenIndexes } from "@/lib/crypto/group-token";
import { read, statement } from "@/lib/db/pool";
import type { FoundToken } from "@/lib/groups/token-schema";
import { overlapEnd, overlapRuns } from "@/lib/store/previous-token";

const ENVIRONMENT = "json_build_object('slug', e.slug, 'name', e.name)";

const USER_GROUP = `
  json_build_object('team_id', g.team_id, 'provided_id', g.provided_id, 'name', g.name, 'environment', ${ENVIRONMENT})
    AS user_group`;

/** The group whose current or previous token it is. */
const FIND_VALID = statement("find_valid_token")`
  SELECT ${USER_GROUP}, NULL::timestamptz AS valid_until FROM user_group g JOIN environment e ON e.id = g.environment_id
  WHERE g.token_index = ANY ($1) AND g.environment_id = $2
  UNION ALL
  SELECT ${USER_GROUP}, ${overlapEnd("p", "g")}
  FROM previous_token p JOIN user_group g ON ${overlapRuns("p", "g")} JOIN environment e ON e.id = g.environment_id
  WHERE p.token_index = ANY ($1) AND g.environment_id = $2`;

const ENTRY = "a.action, a.at, a.actor_type, a.actor_id, a.actor_name, a.before";

/** The entry that ended the token. Deleted groups are searched too: after a key change, fingerprints find nothing. */
const FIND_ENDED = statement("find_ended_token")`
  SELECT ${ENTRY}, d.team_id, d.provided_id, d.name, false AS exists, ${ENVIRONMENT} AS environment
  FROM deleted_group d JOIN environment e ON e.id = d.environment_id
  CROSS JOIN LATERAL (
    SELECT * FROM audit_entry a WHERE a.team_id = d.team_id AND a.action = 'user_group.deleted' ORDER BY a.id DESC
      LIMIT 1
  ) AS a
  WHERE d.token_index = ANY ($1) AND d.environment_id = $2
  UNION ALL (
    SELECT ${ENTRY}, a.team_id, g.provided_id, g.name, g.team_id IS NOT NULL, ${ENVIRONMENT}
    FROM audit_entry a JOIN environment e ON e.id = a.environment_id
    LEFT JOIN user_group g ON g.environment_id = a.environment_id AND g.team_id = a.team_id
    WHERE a.ended_token = ANY ($3) AND a.ended_token IS NOT NULL AND e.id = $2 ORDER BY a.id DESC LIMIT 1
  )`;

interface NamedEnvironment {
  slug: string;
  name: string;
}
interface ValidRow {
  user_group: { team_id: number; provided_id: string; name: string; environment: NamedEnvironment };
  /** of a previous token */
  valid_until: Date | null;
}
/** `before` is null once the group was erased. */
interface EndedRow
  extends Pick<HistoryRow, "action" | "at" | "actor_id" | "actor_name" | "before" | "provided_id" | "name"> {
  actor_type: Author["actorType"];
  team_id: number;
  exists: boolean;
  environment: NamedEnvironment;
}
type Found = FoundToken extends infer Each ? (Each extends unknown ? Omit<Each, "success"> : never) : never;

/** Finds the group of the caller's environment that has, or had, the first token in a text. */
export async function searchToken({ caller, input }: Asked<{ text: string }>): Promise<Found> {
  const { id } = caller.environment;
  const token = findTokenIn(input.text);
  return (token && ((await findValid(token, id)) ?? (await findEnded(token, id)))) || { found: "unknown" };
}

async function findValid(token: string, environmentId: number): Promise<Found | undefined> {
  const [row] = await read<ValidRow>(FIND_VALID, [tokenIndexes(token), environmentId]);
  if (!row) return undefined;
  const { valid_until, user_group } = row;
  if (valid_until === null) return { found: "current", user_group };
  return { found: "previous", valid_until: valid_until.toISOString(), user_group };
}

async function findEnded(token: string, environmentId: number): Promise<Found | undefined> {
  const indexes = tokenIndexes(token);
  // The history stores the first bytes of the keyed hash.
  const fingerprints = indexes.map((index) => index.subarray(0, 8));
  const [row] = await read<EndedRow>(FIND_ENDED, [indexes, environmentId, fingerprints]);
  if (!row) return undefined;
  const { action, at, actor_type, actor_id, actor_name, team_id, before, exists, environment } = row;
  const was = snapshotIn(before);
  return {
    found: action === "user_group.deleted" ? "deleted" : "rotated",
    at: at.toISOString(),
    by: { type: actor_type, id: actor_id, name: actor_name },
    user_group: {
      team_id,
      provided_id: row.provided_id ?? was?.provided_id ?? null,
      name: row.name ?? was?.name ?? null,
      exists,
      environment,
    },
  };
}
