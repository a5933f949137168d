import { perProcess } from "@/lib/config/per-process";
import { read, statement } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";
import { RecentMap } from "@/lib/limits/recent-map";

const READ_KEY_SET = statement("read_viewer_key_set")`
  SELECT array(
    SELECT k.public_jwk FROM viewer_key k
    WHERE k.environment_id = e.id AND k.template IS NOT DISTINCT FROM $2::text AND k.revoked_at IS NULL
      AND k.public_jwk IS NOT NULL AND (k.ends_at IS NULL OR k.ends_at > now())
    ORDER BY k.signs_from DESC, k.kid) AS keys
  FROM environment e WHERE e.slug = $1`;

/** How long a key set answers without the database, in milliseconds: anyone may ask, as often as they like. */
const FRESH_MS = 5_000;
const MAX_KEPT = 1_000;

interface Kept {
  keys: string[];
  /** by performance.now() */
  at: number;
}

const kept = perProcess("viewer key sets", () => new RecentMap<string, Kept>(MAX_KEPT));

/**
 * The public keys of an environment's viewer tokens, or of one of its claim templates, as JSON texts. While the
 * database is unavailable, the last known ones.
 * @throws {AppError} `not_found`, or `unavailable` when none are known
 */
export async function publicKeys(slug: string, template: string | null): Promise<string[]> {
  const place = `${slug} ${template ?? ""}`;
  const known = kept.get(place);
  if (known && performance.now() - known.at < FRESH_MS) return known.keys;
  try {
    const [row] = await read<{ keys: string[] }>(READ_KEY_SET, [slug, template]);
    if (!row) throw new AppError("not_found", "No such environment, or no such claim template in it.");
    // Not an empty set: the first key may be made, and must be found, at any moment.
    if (row.keys.length > 0) kept.set(place, { keys: row.keys, at: performance.now() });
    else kept.delete(place);
    return row.keys;
  } catch (error) {
    if (known && error instanceof AppError && error.code === "unavailable") return known.keys;
    throw error;
  }
}
