import type { OidcReason } from "@/lib/auth/oidc-reason";

const TELL = "Sign in with your password, and tell the operator: the reason is in the log.";
const AGAIN = "It took too long, or another tab interfered. Try again.";
const LINKED =
  "You are linked to another {provider} account. Sign in with your password, or ask an owner to unlink that one.";
const NOT_VERIFIED = "The provider has not verified your email. Sign in with your password, or verify it there.";

const REASONS: Record<OidcReason, string> = {
  client_refused:
    "The provider refused this service’s client ID or secret. Sign in with your password, and tell the operator.",
  code_refused: "The provider no longer accepted this sign-in. Try again.",
  no_client_auth:
    "The provider accepts neither client_secret_basic nor client_secret_post. Sign in with your password, and tell " +
    "the operator.",
  provider_unavailable: "The provider did not answer. Try again shortly, or sign in with your password.",
  userinfo: `The provider’s details about you could not be read. ${TELL}`,
  id_token: `The provider’s response could not be verified. ${TELL}`,
  id_token_time:
    "The clocks of the provider and this service differ, or you took too long. Try again. If that fails, sign in with " +
    "your password, and tell the operator: the reason is in the log.",
  id_token_client: `The provider’s response is for another client or service. ${TELL}`,
  not_verified:
    "The provider does not say that your email is verified. Ask an owner to link you, or sign in with your password.",
  no_member:
    "No member has the email of your {provider} account. Ask an owner for an invitation or, if you are a member with " +
    "another email, to link you.",
  second_account: LINKED,
  other_issuer:
    "Your {provider} account has the ID of one at an earlier provider. Ask an owner to unlink that one, or sign in " +
    "with your password.",
};

/** The error code of a sign-in that waits for its second factor. */
export const SECOND_FACTOR = "second_factor";

/** Error codes of the provider (RFC 6749) and of better-auth. */
const ERRORS = new Map([
  ["access_denied", "You or the provider cancelled it. Try again, or sign in with your password."],
  ["email_not_found", "The provider did not send your email. Sign in with your password."],
  ["account_not_linked", NOT_VERIFIED],
  ["unable_to_link_account", LINKED],
  ["invalid_code", `The provider refused to complete the sign-in. ${TELL}`],
  ["unable_to_get_user_info", REASONS.id_token],
  ["email_not_verified", NOT_VERIFIED],
  ["INVALID_EMAIL_OR_PASSWORD", "You cannot sign in at the moment. Ask an owner."],
  ["state_mismatch", AGAIN],
  ["state_not_found", AGAIN],
]);

const OTHER = "Try again, or sign in with your password. If it keeps failing, tell the operator.";

/** Explains a refused single sign-on from the query of the sign-in page. */
export function refusalOf(query: URLSearchParams, provider: string): string {
  const reason = query.get("reason") ?? "";
  const isKnown = Object.hasOwn(REASONS, reason);
  const sentence = isKnown ? REASONS[reason as OidcReason] : (ERRORS.get(query.get("error") ?? "") ?? OTHER);
  return sentence.replace("{provider}", () => provider);
}

/**
 * The code by which an owner links the account at the provider, from the cookie that the refused sign-in set in this
 * browser (lib/auth/auth-hooks.ts). Over https only this host can have set it.
 */
export function linkCodeOf(cookies: string, protocol: string): string | undefined {
  const prefix = protocol === "https:" ? "__Host-" : "";
  const own = cookies.split("; ").find((cookie) => cookie.startsWith(`${prefix}user-groups.link_code=`));
  return /=([2-9A-Z]{4}-[2-9A-Z]{4})$/.exec(own ?? "")?.[1];
}
