import { AsyncLocalStorage } from "node:async_hooks";
import { verifyPassword } from "better-auth/crypto";
import type { OidcReason } from "@/lib/auth/oidc-reason";

/** What a request has learned about a sign-in, for better-auth's hooks. */
interface SignInAttempt {
  /** the hash that matched the password */
  passwordHash?: string;
  /** the `sub` of the verified ID token */
  subject?: string;
  provesSecondFactor?: boolean;
  /** for the log and the sign-in page */
  reason?: OidcReason;
  /** an account at the provider that no verified address ties to a member */
  unproven?: { email: string | null; verified: boolean };
  /** the member whose second factor is asked for */
  challenged?: string;
}

const attempts = new AsyncLocalStorage<SignInAttempt>();

/** Runs a request so that {@link signInAttempt} is the same object everywhere in it. */
export function trackingSignIn<T>(work: () => Promise<T>): Promise<T> {
  return attempts.run({}, work);
}

/** This request's sign-in. */
export function signInAttempt(): SignInAttempt {
  return attempts.getStore() ?? {};
}

/** Verifies a password for better-auth. */
export async function verifyAndRemember(pair: { hash: string; password: string }): Promise<boolean> {
  const isRight = await verifyPassword(pair);
  if (isRight) signInAttempt().passwordHash = pair.hash;
  return isRight;
}

/** A refusal with a reason for the sign-in page; the message is for the log. */
export class OidcRefusal extends Error {
  constructor(
    readonly reason: OidcReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
