import { AsyncLocalStorage } from "node:async_hooks";
import { verifyPassword } from "better-auth/crypto";

const verified = new AsyncLocalStorage<{ hash?: string }>();

/** Runs a request, in which {@link verifiedHash} tells the hash that the password was verified against. */
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

/** The hash that this request's password was verified against, if it had one that was right. */
export function verifiedHash(): string | undefined {
  return verified.getStore()?.hash;
}
