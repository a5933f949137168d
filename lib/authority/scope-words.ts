import type { Preset, Scope } from "@/lib/authority/scopes";

/** Each preset's name, and what a program can do with it, for the dashboard and the command line. */
export const PRESET_WORDS: Record<Preset, { label: string; hint: string }> = {
  backend: {
    label: "Backend",
    hint: "Gets, creates and updates user groups, rotates their tokens, and creates viewer tokens.",
  },
  renderer: { label: "Renderer", hint: "Looks up the group that a token belongs to. Sees no other group." },
  "read-only": { label: "Read-only", hint: "Gets existing user groups with their tokens. Changes nothing." },
  full: { label: "Full", hint: "Does everything an API token can do, deletion included, except replace itself." },
};

/** What each scope lets a program do. */
export const SCOPE_WORDS: Record<Scope, string> = {
  "groups:read": "Lists user groups, their history and their use. Sees no token.",
  "tokens:read": "Receives user group tokens in answers. Required to get or update a group.",
  "groups:create": "Creates user groups.",
  "groups:write":
    "Updates, suspends and resumes user groups. Its dry runs tell whether a guessed value is the stored one.",
  "groups:delete": "Deletes and restores user groups.",
  "groups:purge": "Erases deleted user groups for good.",
  "tokens:rotate": "Rotates user group tokens.",
  "viewers:ask": "Looks up the group that a token belongs to, and reads which viewer tokens were revoked.",
  "viewers:mint": "Creates viewer tokens, for any user group.",
  "events:read": "Reads the feed of events: who changed what. Values need groups:read too.",
  "webhooks:write": "Manages webhooks, and reads what they sent. Needs events:read too.",
  "definitions:write":
    "Changes the definitions, and the viewer settings: visible properties and origins. Needs viewers:mint too.",
  "templates:write": "Changes claim templates, which decide what a renderer shows. Needs definitions:write too.",
  "api-token:replace": "Replaces this API token with a new value with the same rights.",
};

/** What each scope is about, in a word or two. */
export const SCOPE_NAMES: Record<Scope, string> = {
  "groups:read": "read groups",
  "tokens:read": "read tokens",
  "groups:create": "create groups",
  "groups:write": "change groups",
  "groups:delete": "delete groups",
  "groups:purge": "erase groups",
  "tokens:rotate": "rotate tokens",
  "viewers:ask": "ask who is viewing",
  "viewers:mint": "create viewer tokens",
  "events:read": "read events",
  "webhooks:write": "manage webhooks",
  "definitions:write": "change definitions",
  "templates:write": "change templates",
  "api-token:replace": "replace itself",
};
