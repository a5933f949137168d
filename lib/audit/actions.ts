/** What the history can record. */
export const HISTORY_ACTIONS = [
  ...(["user_group.created", "user_group.updated", "user_group.deleted", "user_group.restored"] as const),
  ...(["user_group.suspended", "user_group.resumed", "user_group.erased"] as const),
  ...(["user_group.token_rotated", "user_group.token_revealed", "user_group.token_copied"] as const),
  ...(["user_group.views_ended", "user_group.viewed_as", "user_group.origins_changed"] as const),
  ...(["user_group.overlap_ended", "user_group.renamed"] as const),
  ...(["user_groups.exported", "user_groups.imported", "user_groups.import_cancelled"] as const),
  "history.exported",
  ...(["api_token.created", "api_token.replaced", "api_token.networks_changed", "api_token.revoked"] as const),
  ...(["api_token.expires_soon", "environment.created", "environment.updated", "environment.deleted"] as const),
  ...(["environment.viewer_settings_changed", "environment.viewer_key_rotated"] as const),
  ...(["environment.viewer_key_revoked", "environment.definitions_changed"] as const),
  ...(["member.invited", "member.invite_withdrawn", "member.created", "member.renamed"] as const),
  ...(["member.role_changed"] as const),
  ...(["member.disabled", "member.enabled", "member.removed", "member.password_changed"] as const),
  ...(["member.password_link_made", "member.password_reset", "member.sessions_ended"] as const),
  ...(["member.sign_in_failed", "member.sign_in_linked", "member.sign_in_unlinked"] as const),
  ...(["member.two_factor_enabled", "member.two_factor_disabled", "member.two_factor_reset"] as const),
  "member.backup_codes_made",
  ...(["webhook.created", "webhook.updated", "webhook.deleted", "webhook.secret_rotated"] as const),
  ...(["webhook.enabled", "webhook.disabled", "webhook.replayed"] as const),
] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];
