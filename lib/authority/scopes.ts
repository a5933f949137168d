/** What an API token can be allowed to do. */
export const SCOPES = [
  "groups:read",
  "tokens:read",
  "groups:create",
  "groups:write",
  "groups:delete",
  "groups:purge",
  "tokens:rotate",
  "viewers:ask",
  "viewers:mint",
  "events:read",
  "webhooks:write",
  "definitions:write",
  "templates:write",
  "api-token:replace",
] as const;
export type Scope = (typeof SCOPES)[number];

/** A scope that some requests of a route need; the service verb requires it. */
export interface ScopeCondition {
  scope: Scope;
  /** which requests, in words that follow the scope */
  when: string;
  /** the answer to an API token without it; 403 by default */
  refusal?: 404;
}

/** Sets of scopes for the usual programs. */
export const PRESETS = {
  renderer: ["viewers:ask"],
  backend: [
    "groups:read",
    "tokens:read",
    "groups:create",
    "groups:write",
    "tokens:rotate",
    "viewers:ask",
    "viewers:mint",
  ],
  "read-only": ["groups:read", "tokens:read", "viewers:ask"],
  // Only a program that stores its own token may replace it: otherwise a leaked value would outlive its replacement.
  full: SCOPES.filter((scope) => scope !== "api-token:replace"),
} as const satisfies Record<string, readonly Scope[]>;
export type Preset = keyof typeof PRESETS;

/** The scopes of API tokens created before there were scopes, by their access. */
export const ACCESS_SCOPES = {
  read: ["tokens:read", "viewers:ask"],
  write: ["tokens:read", "groups:create", "groups:write", "tokens:rotate", "viewers:ask"],
} as const satisfies Record<string, readonly Scope[]>;

const OF_VIEWERS: readonly Scope[] = ["groups:read", "events:read"];

/** The lowest role of members that has a scope. */
export function roleFor(scope: Scope): "viewer" | "admin" {
  return OF_VIEWERS.includes(scope) ? "viewer" : "admin";
}
