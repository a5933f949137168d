import { AsyncLocalStorage } from "node:async_hooks";
import type { OidcReason } from "@/lib/auth/oidc-reason";

/** What a request has learned of a single sign-on, where better-auth's hooks find it. */
interface OidcAttempt {
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

const attempts = new AsyncLocalStorage<OidcAttempt>();

/** Runs a request so that {@link oidcAttempt} is the same object everywhere in it. */
export function trackingOidc<T>(work: () => Promise<T>): Promise<T> {
  return attempts.run({}, work);
}

/** This request's single sign-on. */
export function oidcAttempt(): OidcAttempt {
  return attempts.getStore() ?? {};
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
