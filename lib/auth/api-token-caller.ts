import { hash } from "node:crypto";
import type { Caller } from "@/lib/auth/caller";
import { perProcess } from "@/lib/config/per-process";
import { apiTokenIndex, digestOf } from "@/lib/crypto/api-token";
import { usableKeys } from "@/lib/crypto/keyring";
import { LastUse } from "@/lib/db/last-use";
import { RecentMap } from "@/lib/db/recent-map";
import { unauthorized } from "@/lib/errors";
import type { GroupKey, GroupRow } from "@/lib/store/group-row";
import { type Found, lookUp } from "@/lib/store/look-up";

/** Who asks to be known, before that. */
interface Visitor {
  requestId: string;
}

interface Authenticated {
  caller: Caller;
  group: GroupRow | undefined;
}

/**
 * How many API tokens are hashed with the key once and not with each request: that would take 5 % of the processor time of a look-up.
 * Kept by their digests, as a token in clear has no business here; whether one is valid, the database says each time.
 */
const MOST_REMEMBERED = 1_000;
const known = new RecentMap<string, Buffer[]>(MOST_REMEMBERED);
const lastUse = perProcess(
  "last use of API tokens",
  () =>
    new LastUse({
      name: "record_last_use",
      text: `
    UPDATE api_token t SET last_used_at = u.at
    FROM (SELECT id, environment_id, now() - age * interval '1 millisecond' AS at
          FROM unnest($1::int[], $2::int[], $3::int[]) AS q(id, environment_id, age)) AS u
    WHERE t.environment_id = u.environment_id AND t.id = u.id AND (t.last_used_at IS NULL OR t.last_used_at < u.at)`,
    }),
);

/**
 * Finds out whose API token this is, and in the same look-up the group that the request names: the first of `groups`.
 * @throws {AppError} `unauthorized` when the token is unknown, revoked or expired
 */
export async function authenticateProgram(
  token: string,
  groups: GroupKey[],
  { requestId }: Visitor,
): Promise<Authenticated> {
  const digest = keyOf(token);
  const indexes = known.get(digest) ?? indexesOf(token);
  const found = await findCaller(indexes, groups);
  if (!found) {
    known.delete(digest);
    throw unauthorized();
  }
  // Only of tokens that were found: others come in any number, and nobody waits for their refusal.
  known.set(digest, indexes);
  const { id, name, access, environment } = found.apiToken;
  lastUse.note(id, environment.id);
  return {
    caller: {
      actorType: "api_token",
      actorId: String(id),
      actorName: name,
      access,
      environment,
      requestId,
      sessionId: null,
    },
    group: found.group,
  };
}

/** One look-up as a rule; more only while rows of a previous key may be left. */
async function findCaller(indexes: Buffer[], groups: GroupKey[]): Promise<Found> {
  let valid: Found;
  for (const credential of indexes) {
    for (const group of groups.length > 0 ? groups : [undefined]) {
      const found = await lookUp(credential, group);
      if (!found) break;
      if (found.group) return found;
      valid = found;
    }
  }
  return valid;
}

/** The keyed hashes a token may be found by. */
function indexesOf(token: string): Buffer[] {
  const digest = digestOf(token);
  return usableKeys().map((key) => apiTokenIndex(digest, key));
}

/** Whether an API token was good when it was last seen here. */
export function isKnownApiToken(token: string): boolean {
  return known.get(keyOf(token)) !== undefined;
}

function keyOf(token: string): string {
  return hash("sha256", token, "base64");
}

/** Writes down when API tokens were last used. */
export function recordLastUse(): Promise<void> {
  return lastUse.record();
}
