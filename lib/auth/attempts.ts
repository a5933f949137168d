import { tooManyAttempts } from "@/lib/auth/password-queue";
import { currentKey, indexOf } from "@/lib/crypto/keyring";
import { statement, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { addCounts } from "@/lib/limits/limits";

/** Whose failures are counted. */
type Account = { email: string } | { memberId: string };

/** The account under attempt. */
export type Attempted =
  /** at sign-in, by email and client address */
  | { email: string; address: string }
  /** within a session of this member */
  | { memberId: string };

/** After five wrong passwords: 1 s, then 2, 4, … up to a minute. */
const DELAY = `make_interval(secs => CASE WHEN a.failures < 5 THEN 0 ELSE least(60, 2 ^ least(a.failures - 5, 6)) END)`;

// An attempt counts as failed until it succeeds, so that concurrent ones cannot slip through. An address where the
// member has a session is never slowed down: an attacker elsewhere must not lock a member out.
const TAKE = statement("take_sign_in_attempt")`
  WITH taken AS (
    INSERT INTO sign_in_attempt AS a (account) VALUES ($1)
    ON CONFLICT (account) DO UPDATE SET
      failures = CASE WHEN a.last_at < now() - interval '1 hour' THEN 1 ELSE a.failures + 1 END,
      last_at = now()
    WHERE a.last_at + ${DELAY} <= now() OR EXISTS (
      SELECT FROM session s JOIN member m ON m.id = s.member_id
      WHERE m.email = $2 AND s.ip_address = $3 AND s.expires_at > now()
    )
    RETURNING 1
  )
  SELECT
    EXISTS (SELECT FROM taken) AS taken,
    (SELECT ceil(extract(epoch FROM a.last_at + ${DELAY} - now()))::int FROM sign_in_attempt a
      WHERE account = $1) AS seconds`;

const CLEAR = statement("clear_sign_in_attempts")`DELETE FROM sign_in_attempt WHERE account = $1`;

/**
 * Counts an attempt against an account, across all instances and addresses.
 * @throws {AppError} `rate_limited` while the account is throttled
 */
export async function countAttempt(attempted: Attempted) {
  const [email, address] = "email" in attempted ? [attempted.email, attempted.address] : [null, null];
  const values = [accountOf(attempted), email, address];
  const [answer] = await write<{ taken: boolean; seconds: number | null }>(TAKE, values);
  // After a concurrent attempt the remaining wait is unknown.
  if (!answer?.taken) throw tooManyAttempts(Math.max(1, answer?.seconds ?? 1));
}

/** Clears the failures of an account after a correct or a new password. */
export async function clearAttempts(account: Account) {
  await write(CLEAR, [accountOf(account)]);
}

/** Deletes attempts that no longer throttle anything. */
export async function forgetAttempts() {
  await purge({ table: "sign_in_attempt", where: "last_at < now() - interval '1 hour'" });
}

/** Keyed, because people type passwords in the wrong field. */
function accountOf(account: Account): Buffer {
  const text = "email" in account ? `email ${account.email}` : `member ${account.memberId}`;
  return indexOf(currentKey(), "sign-in attempt", text);
}

interface Rule {
  /** in seconds */
  window: number;
  max: number;
}

/** better-auth's counters of sign-in attempts: per minute, by the database's clock like all limits. */
export const attemptCounts = {
  async consume(key: string, { max }: Rule): Promise<{ allowed: boolean; retryAfter: number | null }> {
    const [count] = await addCounts([{ key: `attempts:${key}`, points: 1 }]);
    if (!count || count.points <= max) return { allowed: true, retryAfter: null };
    return { allowed: false, retryAfter: Math.max(1, Math.ceil(count.ms_left / 1_000)) };
  },
};
