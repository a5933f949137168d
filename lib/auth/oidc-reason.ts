/**
 * Why single sign-on was refused, where better-auth's error code says less. The sign-in page has a sentence for each.
 */
export type OidcReason =
  | ("client_refused" | "code_refused" | "no_client_auth" | "provider_unavailable" | "userinfo")
  | ("id_token" | "id_token_time" | "id_token_client")
  | ("not_verified" | "no_member" | "second_account" | "other_issuer");
