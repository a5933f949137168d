import type { JsonObject, JsonValue } from "./user-group.js";

/** A group by your id, or by its current token. */
export type ViewedGroup = { user_group_id: string } | { token: string };

/** What a viewer token says and how long it lives. */
export interface ViewerTokenOptions {
  /** your name for the person who views */
  viewer?: string;
  /** seconds, 60 to 86400; default 900 */
  expires_in?: number;
  audience?: string;
  /** members for the claim `variables`, with names that no property of the group has, unless it is `overridable` */
  variables?: JsonObject;
  /** a claim template of the environment */
  template?: string;
}

/** A viewer token, and when it expires. */
export interface ViewerToken {
  success: 1;
  viewer_token: string;
  expires_at: string;
}

/** A group, and the lowest generation of viewer tokens that are valid for it. */
export interface Revocation {
  team_id: number;
  gen: number;
}

/** A part of the revocations. */
export interface Revocations {
  success: 1;
  revocations: Revocation[];
  /** for the next call */
  next_since: string;
  /** whether to call again immediately */
  has_more: boolean;
}

/** The answer when all views of a group were ended. */
export interface ViewsEnded extends Revocation {
  success: 1;
}

/** Where dashboards of a group may be embedded. */
export interface AllowedOrigins {
  success: 1;
  /** the group's own; null for the environment's */
  allowed_origins: string[] | null;
  /** the origins in effect; null for anywhere */
  effective_origins: string[] | null;
}

/** A claim template: a text that is one placeholder, such as `{{team_id}}`, becomes the value with its type. */
export interface ClaimTemplate {
  audience?: string | null;
  claims: Record<string, JsonValue>;
}

/** What an environment's viewer tokens contain; an omitted setting is reset. */
export interface ViewerSettings {
  visible?: { properties?: string[]; mapping?: string[] };
  audience?: string | null;
  preview_url?: string | null;
  allowed_origins?: string[] | null;
  templates?: Record<string, ClaimTemplate>;
}

/** The environment's viewer settings. */
export interface ViewerSettingsAnswer {
  success: 1;
  settings: {
    visible: { properties: string[]; mapping: string[] };
    audience: string | null;
    preview_url: string | null;
    allowed_origins: string[] | null;
    templates: Record<string, { audience: string | null; claims: Record<string, JsonValue> }>;
  };
}
