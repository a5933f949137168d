import { hash } from "node:crypto";
import type { Caller, Identified } from "@/lib/auth/caller";
import { isWithin } from "@/lib/authority/authority";
import { perProcess } from "@/lib/config/per-process";
import { apiTokenIndex, digestOf } from "@/lib/crypto/api-token";
import { usableKeys } from "@/lib/crypto/keyring";
import { statement, write } from "@/lib/db/pool";
import { unauthorized } from "@/lib/errors";
import { addingDays, COUNTED, DeferredCounts, DeferredNotes } from "@/lib/limits/deferred";
import { RecentMap } from "@/lib/limits/recent-map";
import type { GroupKey } from "@/lib/store/group-row";
import { type ApiTokenRow, type LookUpResult, lookUp } from "@/lib/store/look-up";

/** A caller before authentication. */
interface Visitor {
  requestId: string;
  /** the client's address */
  address(): string;
}

/** What this process knows of an API token that was valid when last looked up. */
interface Known {
  /** its keyed hashes: computing them on each request would take 5 % of a look-up's CPU time */
  indexes: Buffer[];
  apiToken: ApiTokenRow;
}

/** The most API tokens to remember, by digest, so that no token stays in memory in clear. */
const MAX_REMEMBERED = 1_000;
const known = new RecentMap<string, Known>(MAX_REMEMBERED);

/** The last call of an API token, and its last as a renderer, by performance.now(). */
interface LastUse {
  environmentId: number;
  at: number;
  asked?: number;
  polled?: number;
}

const RECORD_LAST_USE = statement("record_last_use")`
  UPDATE api_token t SET last_used_at = greatest(t.last_used_at, u.at), asked_at = greatest(t.asked_at, u.asked),
    polled_at = greatest(t.polled_at, u.polled)
  FROM (SELECT id, environment_id, now() - age * interval '1 millisecond' AS at,
          now() - asked_age * interval '1 millisecond' AS asked, now() - polled_age * interval '1 millisecond' AS polled
        FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[])
          AS q(id, environment_id, age, asked_age, polled_age)) AS u
  WHERE t.environment_id = u.environment_id AND t.id = u.id`;
const lastUse = perProcess("last use of API tokens", () => {
  const age = (at: number | undefined, now: number) => (at === undefined ? null : Math.round(now - at));
  return new DeferredNotes<LastUse>({
    statement: RECORD_LAST_USE,
    rest: (notes, now) => [notes.map(({ asked }) => age(asked, now)), notes.map(({ polled }) => age(polled, now))],
    merge: (earlier, later) => Object.assign(earlier, later),
  });
});

const CALLS_COUNTED = `
  SELECT c.*, t.id AS api_token_id FROM (${COUNTED}) AS c
  JOIN api_token t ON t.environment_id = c.environment_id AND t.id = c.id`;
const ADD_CALLS = statement("add_api_token_use")`${addingDays("api_token_use_month", "api_token_id", CALLS_COUNTED)}`;
const calls = perProcess("calls of API tokens", () => new DeferredCounts((columns) => write(ADD_CALLS, columns)));

/**
 * Authenticates an API token, and in the same look-up finds the group that the request names: the first of `groups`.
 * @throws {AppError} `unauthorized` when the token is unknown, revoked, expired or used from outside its networks
 */
export async function authenticateProgram(token: string, groups: GroupKey[], visitor: Visitor): Promise<Identified> {
  const digest = keyOf(token);
  const before = known.get(digest);
  const indexes = before?.indexes ?? indexesOf(token);
  const found = await findCaller(indexes, groups, before?.apiToken);
  if (!found) {
    known.delete(digest);
    throw unauthorized();
  }
  const { apiToken, group } = found;
  // Remembers only valid tokens: the number of others is unlimited, and refusing them need not be fast.
  known.set(digest, { indexes, apiToken });
  const { id, environment, networks } = apiToken;
  if (networks && !isWithin(networks, visitor.address())) {
    refusals.add(id, { environmentId: environment.id, at: performance.now(), count: 1, address: visitor.address() });
    throw unauthorized();
  }
  return { caller: callerOf(apiToken, visitor), group };
}

/**
 * The caller with this API token as last looked up, for changes whose statement checks that the token's row has not
 * changed.
 */
export function recallProgram(token: string, visitor: Visitor): Caller | undefined {
  const apiToken = known.get(keyOf(token))?.apiToken;
  if (!apiToken || (apiToken.networks && !isWithin(apiToken.networks, visitor.address()))) return undefined;
  const caller = callerOf(apiToken, visitor);
  caller.remembered = apiToken.text;
  return caller;
}

function callerOf({ id, name, scopes, predatesScopes, environment }: ApiTokenRow, { requestId }: Visitor): Caller {
  return {
    actorType: "api_token",
    actorId: String(id),
    actorName: name,
    scopes,
    predatesScopes,
    environment,
    requestId,
    sessionId: null,
  };
}

/** Counts a call of an API token, and notes its time. */
export function countCall({ actorType, actorId, environment }: Caller) {
  if (actorType !== "api_token") return;
  const id = Number(actorId);
  lastUse.add(id, { environmentId: environment.id, at: performance.now() });
  calls.count(id, environment.id);
}

/** Notes when a renderer `asked` about a viewer's token, or `polled` the revocations, by performance.now(). */
export function noteRenderer({ actorType, actorId, environment }: Caller, what: "asked" | "polled", at: number) {
  if (actorType === "api_token") lastUse.add(Number(actorId), { environmentId: environment.id, at, [what]: at });
}

/** Usually one look-up; more only while rows of a previous key remain. */
async function findCaller(
  indexes: Buffer[],
  groups: GroupKey[],
  before: ApiTokenRow | undefined,
): Promise<LookUpResult> {
  let valid: LookUpResult;
  for (const credential of indexes) {
    for (const group of groups.length > 0 ? groups : [undefined]) {
      const found = await lookUp({ credential, group, known: before });
      if (!found) break;
      if (found.group) return found;
      valid = found;
    }
  }
  return valid;
}

/** The keyed hashes that may find a token. */
function indexesOf(token: string): Buffer[] {
  const digest = digestOf(token);
  return usableKeys().map((key) => apiTokenIndex(digest, key));
}

/** Whether an API token was valid when this process last saw it. */
export function isKnownApiToken(token: string): boolean {
  return known.get(keyOf(token)) !== undefined;
}

function keyOf(token: string): string {
  return hash("sha256", token, "base64");
}

/** Stores when API tokens were last used, how often, and their uses from outside their networks. */
export async function recordLastUse() {
  await Promise.all([lastUse.record(), calls.record(true), refusals.record()]);
}

/** Requests of one valid API token that came from outside its networks. */
interface Refusals {
  environmentId: number;
  /** the last one, by performance.now() */
  at: number;
  count: number;
  /** where the last one came from */
  address: string;
}

const RECORD = statement("record_network_refusals")`
  UPDATE api_token t SET
    refused_count = least(t.refused_count::bigint + u.count, 2147483647),
    refused_from = CASE WHEN t.refused_at > u.at THEN t.refused_from ELSE u.address END,
    refused_at = greatest(t.refused_at, u.at)
  FROM (SELECT id, environment_id, now() - age * interval '1 millisecond' AS at, count, address
        FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[])
          AS q(id, environment_id, age, count, address)) AS u
  WHERE t.environment_id = u.environment_id AND t.id = u.id`;

const refusals = perProcess(
  "API tokens refused by network",
  () =>
    new DeferredNotes<Refusals>({
      statement: RECORD,
      rest: (notes) => [notes.map(({ count }) => count), notes.map(({ address }) => address)],
      merge(earlier, { at, count, address }) {
        Object.assign(earlier, { at, address, count: earlier.count + count });
      },
    }),
);
