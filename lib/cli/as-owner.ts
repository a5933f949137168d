import { DatabaseError } from "pg";
import { listenForSignals } from "@/lib/cli/command";
import { env, ownerUrl } from "@/lib/config/env";
import { attachEmbedded, superuserUrl } from "@/lib/embedded/postgres";
import { StartError } from "@/lib/errors";

/**
 * Does work as the owner of the configured or the embedded database.
 * @throws {StartError} when that role lacks a privilege
 */
export async function asOwner<T>(work: (urls: { owner: string; runtime: string }) => Promise<T>): Promise<T> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (DATABASE_URL) return work({ owner: ownerUrl() ?? DATABASE_URL, runtime: DATABASE_URL }).catch(refuse);
  const { interrupted } = listenForSignals();
  const attaching = attachEmbedded(DATA_DIR);
  try {
    const { url } = await Promise.race([attaching, interrupted]);
    return await Promise.race([work({ owner: await superuserUrl(DATA_DIR, url), runtime: url }), interrupted]);
  } finally {
    // Also if it was still starting: the server must not outlive its only command.
    await attaching.then(
      (embedded) => embedded.release(),
      () => undefined,
    );
  }
}

/** A missing login or privilege is a configuration error. */
function refuse(error: unknown): never {
  if (!(error instanceof DatabaseError) || !/^(28|3D|42501)/.test(error.code ?? "")) throw error;
  const { DATABASE_OWNER_URL } = env();
  const which = DATABASE_OWNER_URL ? "DATABASE_OWNER_URL" : "DATABASE_URL";
  const todo = DATABASE_OWNER_URL ? "" : " Set DATABASE_OWNER_URL to the URL of the tables' owner.";
  throw new StartError(`PostgreSQL refused the role of ${which}: ${error.message}.${todo}`, { cause: error });
}
