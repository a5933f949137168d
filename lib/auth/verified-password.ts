import { AsyncLocalStorage } from "node:async_hooks";
import { verifyPassword } from "better-auth/crypto";

const verified = new AsyncLocalStorage<{ hash?: string }>();

/** Runs a request so that {@link verifiedHash} returns the hash that matched the password. */
export function rememberingHash<T>(work: () => Promise<T>): Promise<T> {
  return verified.run({}, work);
}

/** Verifies a password for better-auth. */
export async function verifyAndRemember(pair: { hash: string; password: string }): Promise<boolean> {
  const isRight = await verifyPassword(pair);
  const store = verified.getStore();
  if (isRight && store) store.hash = pair.hash;
  return isRight;
}

/** The hash that matched this request's password, if any. */
export function verifiedHash(): string | undefined {
  return verified.getStore()?.hash;
}
