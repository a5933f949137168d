import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, readFile, unlink } from "node:fs/promises";
import path from "node:path";
import type { ClientBase } from "pg";
import { env } from "@/lib/config/env";
import { deriveKey, setKeys } from "@/lib/crypto/keyring";
import { StartError } from "@/lib/errors";

/**
 * Puts the configured key to use while its database cannot be reached yet: what is asked for until then is answered 503.
 * @throws {StartError} when there is none
 */
export function takeConfiguredKey() {
  const { SECRET_KEY, PREVIOUS_SECRET_KEY } = env();
  if (!SECRET_KEY) {
    throw new StartError(
      "SECRET_KEY is not set. With DATABASE_URL it must be: 32 bytes, made once and kept safe, by `openssl rand -base64 32`",
    );
  }
  setKeys(SECRET_KEY, PREVIOUS_SECRET_KEY);
}

/** Requests have to be quick, and behind PgBouncer their limits hold for all of its sessions; a start may take its time. */
const UNHURRIED = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
  .map((limit) => `SET LOCAL ${limit} = '60s'`)
  .join("; ");

/**
 * Puts SECRET_KEY to use, and makes sure that it is the one this database was sealed with.
 * For the embedded database the key is made once and kept beside it, readable by its owner alone.
 * @throws {StartError} when the key is missing, or is another one
 */
export async function loadSecretKey(database: ClientBase, keyFolder: string) {
  const { SECRET_KEY, PREVIOUS_SECRET_KEY } = env();
  await database.query(`BEGIN; ${UNHURRIED}`);
  await database.query("LOCK TABLE secret_key IN SHARE ROW EXCLUSIVE MODE");
  const { rows } = await database.query<{ id: string }>("SELECT id FROM secret_key");
  const current = SECRET_KEY ?? (await keyFromFile(keyFolder, rows.length === 0));
  const currentId = keyId(current);
  const usable = [currentId, ...(PREVIOUS_SECRET_KEY ? [keyId(PREVIOUS_SECRET_KEY)] : [])];
  const missing = rows.filter(({ id }) => !usable.includes(id));
  if (missing.length > 0) {
    const what =
      missing.length === rows.length
        ? "SECRET_KEY is not the key that the secrets in this database were sealed with."
        : "Some secrets in this database are sealed with another key than SECRET_KEY.";
    throw new StartError(
      `${what}\nSet SECRET_KEY to that key; or set PREVIOUS_SECRET_KEY to it as well, and run "npm run rekey" once the service is up.`,
    );
  }
  await database.query("INSERT INTO secret_key (id) VALUES ($1) ON CONFLICT DO NOTHING", [currentId]);
  await database.query("COMMIT");
  setKeys(current, PREVIOUS_SECRET_KEY);
}

function keyId(secret: Buffer): string {
  return deriveKey(secret).id.toString("hex");
}

async function keyFromFile(folder: string, isNew: boolean): Promise<Buffer> {
  const file = path.join(folder, "secret-key");
  if (isNew) await makeKeyFile(file);
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new StartError(
      `${file} cannot be read, and the secrets in this database are sealed with the key it held. Put it back from a backup, or set SECRET_KEY.`,
      { cause },
    );
  });
  const key = Buffer.from(text, "base64");
  if (key.length !== 32) throw new StartError(`${file} does not hold a key of 32 bytes. Put it back from a backup.`);
  return key;
}

/** On disk before anything is sealed with it: a key that a power cut takes cannot be made again. */
async function syncAndClose(handle: FileHandle, text?: string) {
  try {
    if (text !== undefined) await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Links the finished file into place, so that no process ever reads half a key, and the first of two wins. */
async function makeKeyFile(file: string) {
  const draft = `${file}.${process.pid}`;
  await syncAndClose(await open(draft, "w", 0o600), `${randomBytes(32).toString("base64")}\n`);
  try {
    await link(draft, file);
    await syncAndClose(await open(path.dirname(file)));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await unlink(draft);
  }
}
