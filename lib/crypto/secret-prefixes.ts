/** How our secrets begin. The log masks what follows. */
export const SECRET_PREFIXES = ["ugt_", "ugl_", "uga_live_", "uga_test_", "whsec_"] as const;
export type SecretPrefix = (typeof SECRET_PREFIXES)[number];
