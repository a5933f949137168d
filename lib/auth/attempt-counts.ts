import { addCounts } from "@/lib/limits/limits";

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
