import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ClientBase } from "pg";
import { env } from "@/lib/config/env";
import { deriveKey, setKeys } from "@/lib/crypto/keyring";
import { openViewersKey, sealViewersKey } from "@/lib/crypto/viewer-key";
import { createDurably } from "@/lib/embedded/durable-file";
import { StartError } from "@/lib/errors";

/**
 * Uses the configured key before its database is reachable; requests are answered 503 until then.
 * @throws {StartError} when no key is configured
 */
export function takeConfiguredKey() {
  const { SECRET_KEY, PREVIOUS_SECRET_KEY } = env();
  if (!SECRET_KEY) {
    throw new StartError(
      "SECRET_KEY is not set. DATABASE_URL requires it: set the service's, or for a new database generate 32 bytes " +
        "once with `openssl rand -base64 32`, and keep them safe",
    );
  }
  setKeys(SECRET_KEY, PREVIOUS_SECRET_KEY);
}

/** Requests must be quick, and behind PgBouncer their limits affect all its sessions; a start may take longer. */
const UNHURRIED = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
  .map((limit) => `SET LOCAL ${limit} = '60s'`)
  .join("; ");

/**
 * Uses SECRET_KEY, after verifying that it is the key this database was sealed with.
 * For the embedded database a key is generated once and stored next to it, readable only by its owner.
 * @throws {StartError} when the key is missing or wrong
 */
export async function loadSecretKey(database: ClientBase, keyFolder: string) {
  const { SECRET_KEY, PREVIOUS_SECRET_KEY } = env();
  await database.query(`BEGIN; ${UNHURRIED}`);
  await database.query("LOCK TABLE secret_key IN SHARE ROW EXCLUSIVE MODE");
  const { rows } = await database.query<SecretKeyRow>("SELECT id, viewers_sealed FROM secret_key");
  const current = SECRET_KEY ?? (await keyFromFile(keyFolder, rows.length === 0));
  const currentId = keyId(current);
  const usable = [currentId, ...(PREVIOUS_SECRET_KEY ? [keyId(PREVIOUS_SECRET_KEY)] : [])];
  const missing = rows.filter(({ id }) => !usable.includes(id));
  if (missing.length > 0) {
    const what =
      missing.length === rows.length
        ? "SECRET_KEY is not the key that sealed the secrets in this database."
        : "Some secrets in this database are sealed with a key other than SECRET_KEY.";
    throw new StartError(
      `${what}\nSet SECRET_KEY to that key. Or set PREVIOUS_SECRET_KEY to it, and run "./user-groups rekey" once ` +
        "the service is running.",
    );
  }
  setKeys(current, PREVIOUS_SECRET_KEY);
  const [kept] = rows.flatMap(({ viewers_sealed }) => viewers_sealed ?? []);
  const viewers = kept ? openViewersKey(kept) : randomBytes(32);
  await database.query(
    `INSERT INTO secret_key AS k (id, viewers_sealed) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET viewers_sealed = excluded.viewers_sealed WHERE k.viewers_sealed IS NULL`,
    [currentId, sealViewersKey(viewers)],
  );
  await database.query("COMMIT");
  setKeys(current, PREVIOUS_SECRET_KEY, viewers);
}

interface SecretKeyRow {
  id: string;
  viewers_sealed: Buffer | null;
}

function keyId(secret: Buffer): string {
  return deriveKey(secret).id.toString("hex");
}

async function keyFromFile(folder: string, isNew: boolean): Promise<Buffer> {
  const file = path.join(folder, "secret-key");
  // A key lost in a power cut could not be recreated. If two processes start together, the first one's key counts.
  if (isNew) await createDurably(file, `${randomBytes(32).toString("base64")}\n`);
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new StartError(
      `Cannot read ${file}. Its key sealed the secrets in this database: restore the file from your own copy, or set ` +
        "SECRET_KEY.",
      { cause },
    );
  });
  const key = Buffer.from(text, "base64");
  if (key.length !== 32)
    throw new StartError(`${file} does not contain a key of 32 bytes. Restore the file from your own copy.`);
  return key;
}
