import { snapshotOf } from "@/lib/audit/service";
import { apiTokenIndex, digestOf } from "@/lib/crypto/api-token";
import { findTokenIn, tokenIndexes } from "@/lib/crypto/group-token";
import { usableKeys } from "@/lib/crypto/keyring";
import { findRandomToken } from "@/lib/crypto/random-token";
import { read, type Statement } from "@/lib/db/pool";
import { type FoundToken, groupRequest } from "@/lib/groups/schema";

const API_TOKEN_PREFIXES = ["uga_live_", "uga_test_"];

const ENVIRONMENT = "json_build_object('slug', e.slug, 'name', e.name)";

const FIND_CURRENT: Statement = {
  name: "find_current_token",
  text: `
    SELECT g.team_id, g.provided_id, g.name, ${ENVIRONMENT} AS environment
    FROM user_group g JOIN environment e ON e.id = g.environment_id WHERE g.token_index = ANY ($1)`,
};

const FIND_BY_ID: Statement = {
  name: "find_group_by_long_id",
  text: `
    SELECT g.team_id, g.provided_id, g.name, ${ENVIRONMENT} AS environment
    FROM environment e JOIN user_group g ON g.environment_id = e.id AND g.provided_id = $1 ORDER BY (e.id = $2) DESC, e.id LIMIT 1`,
};

const FIND_ENDED: Statement = {
  name: "find_ended_token",
  text: `
    SELECT a.action, a.at, a.actor_type, a.actor_id, a.actor_name, a.team_id, a.before, g.provided_id, g.name,
      CASE WHEN e.id IS NOT NULL THEN ${ENVIRONMENT} END AS environment
    FROM audit_entry a LEFT JOIN user_group g ON g.environment_id = a.environment_id AND g.team_id = a.team_id LEFT JOIN environment e ON e.id = a.environment_id
    WHERE a.ended_token = ANY ($1) AND a.ended_token IS NOT NULL ORDER BY a.id DESC LIMIT 1`,
};

const FIND_API_TOKEN: Statement = {
  name: "find_api_token",
  text: `
    SELECT t.name, ${ENVIRONMENT} AS environment,
      CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expires_at <= now() THEN 'expired' ELSE 'valid' END AS state
    FROM api_token t JOIN environment e ON e.id = t.environment_id WHERE t.token_index = ANY ($1)`,
};

interface Environment {
  slug: string;
  name: string;
}
interface CurrentRow {
  team_id: number;
  provided_id: string;
  name: string;
  environment: Environment;
}
interface EndedRow {
  action: string;
  at: Date;
  actor_type: "api_token" | "member" | "operator";
  actor_id: string | null;
  actor_name: string;
  team_id: number;
  before: string;
  provided_id: string | null;
  name: string | null;
  environment: Environment | null;
}
interface ApiTokenRow {
  name: string;
  environment: Environment;
  state: "valid" | "expired" | "revoked";
}

type Found = FoundToken extends infer Each ? (Each extends unknown ? Omit<Each, "success"> : never) : never;

/**
 * Finds the owner of a token in a text, in any environment: a group, current or former, or an API token. Of groups with the same
 * id the one in `environmentId` comes first.
 */
export async function searchToken(text: string, environmentId: number | undefined): Promise<Found> {
  const whole = withPrefixes(text);
  const token = findTokenIn(whole);
  if (token) return (await findCurrent(token)) ?? (await findEnded(token)) ?? { found: "unknown" };
  const apiToken = API_TOKEN_PREFIXES.map((prefix) => findRandomToken(whole, prefix)).find(Boolean);
  if (apiToken) return (await findApiToken(apiToken)) ?? { found: "unknown" };
  if (/ugt_|uga_(?:live|test)_/.test(text)) return { found: "mistyped" };
  if (!/[0-9A-Za-z]{40}/.test(text)) return { found: "not_a_token" };
  return (await findById(text, environmentId)) ?? { found: "unknown" };
}

/** The most bare tokens to try per text. */
const MOST_BARE = 20;

/** The text, followed by each long run of letters and digits with the prefix it may have lost. */
function withPrefixes(text: string): string {
  const runs = (text.match(/[0-9A-Za-z]{49,}/g) ?? []).slice(0, MOST_BARE).map((run) => run.slice(-49));
  return [text, ...["ugt_", ...API_TOKEN_PREFIXES].flatMap((prefix) => runs.map((run) => prefix + run))].join(" ");
}

/** Finds a group with an id that looks like a token; lists do not. */
async function findById(text: string, environmentId: number | undefined): Promise<Found | undefined> {
  const id = groupRequest.shape.user_group_id.safeParse(text.replace(/^[\s"'`]+|[\s"'`,;]+$/g, ""));
  if (!id.success) return undefined;
  const [row] = await read<CurrentRow>(FIND_BY_ID, [id.data, environmentId ?? 0]);
  return row && found("id", row);
}

async function findCurrent(token: string): Promise<Found | undefined> {
  const [row] = await read<CurrentRow>(FIND_CURRENT, [tokenIndexes(token)]);
  return row && found("current", row);
}

function found(how: "current" | "id", { team_id, provided_id, name, environment }: CurrentRow): Found {
  return { found: how, group: { teamId: team_id, providedId: provided_id, name, environment } };
}

async function findEnded(token: string): Promise<Found | undefined> {
  // The history stores the first bytes of the keyed hash.
  const fingerprints = tokenIndexes(token).map((index) => index.subarray(0, 8));
  const [row] = await read<EndedRow>(FIND_ENDED, [fingerprints]);
  if (!row) return undefined;
  const { action, at, actor_type, actor_id, actor_name, team_id, before, environment } = row;
  const was = snapshotOf(before);
  return {
    found: action === "user_group.deleted" ? "deleted" : "rotated",
    at: at.toISOString(),
    by: { type: actor_type, id: actor_id, name: actor_name },
    group: {
      teamId: team_id,
      providedId: row.provided_id ?? was.providedId,
      name: row.name ?? was.name,
      exists: row.provided_id !== null,
      environment,
    },
  };
}

async function findApiToken(token: string): Promise<Found | undefined> {
  const digest = digestOf(token);
  const [row] = await read<ApiTokenRow>(FIND_API_TOKEN, [usableKeys().map((key) => apiTokenIndex(digest, key))]);
  return row && { found: "api_token", ...row };
}
