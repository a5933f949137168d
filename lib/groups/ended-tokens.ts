import { newToken, storeToken } from "@/lib/crypto/group-token";
import { SERVICE } from "@/lib/db/authority";
import { OLDEST_MONTH } from "@/lib/db/history-months";
import { read, type Statement } from "@/lib/db/pool";
import { hasJournal, readJournal, type TokenRecord } from "@/lib/db/token-journal";
import { swapToken } from "@/lib/store/changes";
import { endOverlap, overlapRuns } from "@/lib/store/previous-token";
import { log } from "@/lib/telemetry/log";

/** The history's author. */
const AUTHOR = { ...SERVICE, actorName: "service, as the token had ended" };
const TOKENS_AT_ONCE = 1_000;

/**
 * Groups with these tokens, unless their history has the change that ended it: then it has what came after too, as a restoration by
 * an instance with another file. A change from before the oldest month of the history is never missing.
 */
const FIND_LIVING: Statement = {
  name: "find_living_tokens",
  text: `
    WITH ended AS (
      SELECT token_index, to_timestamp(ms / 1000)::timestamptz(3) AS at FROM unnest($1::bytea[], $2::float8[]) AS q(token_index, ms)
    ), living AS (
      SELECT g.team_id, g.environment_id, g.provided_id, ended.token_index, ended.at, true AS is_current
      FROM ended JOIN user_group g USING (token_index)
      UNION ALL
      SELECT g.team_id, g.environment_id, g.provided_id, ended.token_index, ended.at, false
      FROM ended JOIN previous_token p USING (token_index) JOIN user_group g ON ${overlapRuns("p", "g")}
    )
    SELECT *, (extract(epoch FROM now()) * 1000)::float8 AS now FROM living
    WHERE at >= (${OLDEST_MONTH}) AND NOT EXISTS (
      SELECT FROM audit_entry a WHERE a.team_id = living.team_id AND a.at = living.at)`,
};

interface Living {
  team_id: number;
  environment_id: number;
  provided_id: string;
  token_index: Buffer;
  is_current: boolean;
  /** by the database's clock, in milliseconds since 1970 */
  now: number;
}

/**
 * Ends again each token that has ended by ENDED_TOKENS_FILE and works, as after a failover or the restoration of an older backup: its
 * group gets a new one. A token that was to work until a later time keeps it.
 */
export async function endRevivedTokens() {
  if (!hasJournal()) return;
  const records = await readJournal();
  const ended = [...records.values()].filter(({ ends }) => ends !== undefined);
  const teamIds = new Set<number>();
  for (let at = 0; at < ended.length; at += TOKENS_AT_ONCE) {
    const some = ended.slice(at, at + TOKENS_AT_ONCE);
    const values = [some.map(({ tokenIndex }) => tokenIndex), some.map((record) => record.at)];
    for (const living of await read<Living>(FIND_LIVING, values)) {
      const record = records.get(living.token_index.toString("base64url"));
      if (record && (await endAgain(living, record))) teamIds.add(living.team_id);
    }
  }
  if (teamIds.size > 0) {
    log().warn(
      { team_ids: [...teamIds] },
      "tokens that had ended were valid again in this database, and have been ended",
    );
  }
}

/** Returns whether something was changed. */
async function endAgain(living: Living, { ends = 0 }: TokenRecord): Promise<boolean> {
  const { team_id: teamId, environment_id: environmentId, provided_id: providedId, token_index, now } = living;
  const place = { environmentId, providedId };
  const left = Math.max(0, Math.ceil((ends - now) / 1_000));
  if (!living.is_current) return left === 0 && (await endOverlap(place, AUTHOR))?.ended === true;
  const { tokenIndex: newIndex, tokenSealed: newSealed } = storeToken(newToken(), place);
  const swap = { environmentId, teamId, oldIndexes: [token_index], newIndex, newSealed };
  const swapped = await swapToken({ ...swap, overlapSeconds: left }, AUTHOR);
  // A group has one previous token at most: this one rather ends early.
  if (swapped !== "overlap_running") return swapped !== undefined;
  return (await swapToken({ ...swap, overlapSeconds: 0 }, AUTHOR)) !== undefined;
}
