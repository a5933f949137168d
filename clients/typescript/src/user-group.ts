/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** The body of get-or-create and update. */
export interface GroupRequest {
  /** your id for the group, 1 to 255 characters */
  user_group_id: string;
  name?: string;
  /** schema id to data source id */
  mapping?: JsonObject;
  /** null clears them on update */
  properties?: JsonObject | null;
}

/** The body of merge and upsert: within mapping and properties, null removes a member. */
export interface GroupMerge extends GroupRequest {
  /** when the group's access ends (RFC 3339); null for never */
  access_ends_at?: string | null;
}

/** A group by your id, or by our number. */
export type NamedGroup = { user_group_id: string } | { team_id: number };

/** The body of a deletion: an id, a current token, or both if they belong together. */
export type GroupDeletion =
  | { user_group_id: string; current_token?: string }
  | { user_group_id?: string; current_token: string };

/** The body of a restoration. */
export interface GroupRestoration {
  user_group_id: string;
  /** which of several deleted groups; the last one by default */
  team_id?: number;
  /** whether to delete the group that has the id now */
  replace?: boolean;
}

/** The label of the environment that an API token belongs to. */
export type EnvironmentTag = "Customer" | "Testing";

interface Identified {
  team_id: number;
  name: string;
  /** the `user_group_id` you sent */
  provided_id: string;
}

/** An answer with the version for `ifMatch`. */
export type Tagged<Answer> = Answer & { etag: string };

/** The existing group, or the one this call created. */
export interface FoundGroup {
  success: 1;
  /** whether this call created it */
  new_user_group: boolean;
  user_group: Identified & { token: string; properties: JsonObject | null };
}

/** The group after an upsert. */
export interface UpsertedGroup extends FoundGroup {
  /** whether this call created or changed it */
  changed: boolean;
}

/** The group after an update or a merge. */
export interface UpdatedGroup {
  success: 1;
  user_group: Identified & { token: string; properties: JsonObject | null; api_environment_tag: EnvironmentTag };
}

/** The group with its token. */
export interface RotatedGroup {
  success: 1;
  user_group: Identified & { token: string; api_environment_tag: EnvironmentTag };
  /** after a rotation with an overlap: until when the replaced token is valid */
  previous_token_valid_until?: string;
}

/** The group whose overlap was to end. */
export interface EndedOverlap {
  success: 1;
  /** whether one was running */
  overlap_ended: boolean;
  user_group: Identified & { api_environment_tag: EnvironmentTag };
}

/** The group after it was suspended or resumed. */
export interface GroupState {
  success: 1;
  user_group: Identified & {
    state: "active" | "suspended" | "ended";
    access_ends_at: string | null;
    api_environment_tag: EnvironmentTag;
  };
}

/** The group after it was restored. */
export interface RestoredGroup extends GroupState {
  /** its problems by the definitions; absent where these are off */
  issues?: DefinitionIssue[];
}

/** Answer without any more to say. */
export interface Done {
  success: 1;
}

/** The group that a token of either kind identifies; an unknown token yields nothing else. */
export type Viewer =
  | {
      success: 1;
      active: false;
      /** why a group's token, or a viewer token of the service's, must not be served */
      reason?: "suspended" | "ended" | "expired" | "revoked" | "incomplete";
    }
  | {
      success: 1;
      active: true;
      /** of a replaced token in its overlap; absent for a current one */
      token_state?: "previous";
      /** when that overlap ends */
      valid_until?: string;
      user_group: Identified & {
        mapping: JsonObject;
        properties: JsonObject | null;
        api_environment_tag: EnvironmentTag;
      };
      /** where the dashboard may be embedded, to enforce; absent for anywhere */
      allowed_origins?: string[];
      /** the properties with the defaults of the environment's definitions; absent where these are off */
      variables?: JsonObject;
      /** the group's problems by the definitions; absent where these are off */
      issues?: DefinitionIssue[];
      /** only for a viewer token: what it says */
      viewer_token?: { viewer: string | null; variables: JsonObject; preview: boolean; expires_at: string };
    };

interface Environment {
  slug: string;
  name: string;
}

interface FormerOwner {
  team_id: number;
  provided_id: string | null;
  name: string | null;
  exists: boolean;
  environment: Environment;
}

/** Who did something; `id` is a member's or an API token's. */
export interface Actor<Type extends string = "api_token" | "member" | "operator"> {
  type: Type;
  id: string | null;
  name: string;
}

/** The owner of a token, or why there is none. */
export type TokenOwner =
  | { success: 1; found: "current" | "id"; user_group: Identified & { environment: Environment } }
  | { success: 1; found: "previous"; valid_until: string; user_group: Identified & { environment: Environment } }
  | { success: 1; found: "rotated" | "deleted"; at: string; by: Actor; user_group: FormerOwner }
  | {
      success: 1;
      found: "api_token";
      name: string;
      state: "valid" | "expired" | "revoked";
      environment: Environment;
    }
  | { success: 1; found: "unknown" | "mistyped" | "not_a_token" };

/** A refused field: its path in the request, and how to fix it. */
export interface FieldIssue {
  path: (string | number)[];
  message: string;
}

/** A group's problem by the definitions: the path of the property, or of the schema in the mapping. */
export interface DefinitionIssue {
  path: string[];
  kind:
    | "missing"
    | "wrong_type"
    | "not_in_enum"
    | "unknown_property"
    | "missing_schema"
    | "unknown_schema"
    | "unknown_data_source"
    | "data_source_of_other_schema";
  message: string;
}

/** The service's error codes. */
export type RefusalCode =
  | "bad_request"
  | "invalid_json"
  | "body_missing"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "unknown_user_group"
  | "unknown_token"
  | "method_not_allowed"
  | "request_timeout"
  | "conflict"
  | "not_active"
  | "overlap_running"
  | "too_many_deletions"
  | "idempotency_conflict"
  | "cursor_gone"
  | "stale"
  | "body_too_large"
  | "unsupported_media_type"
  | "invalid_fields"
  | "rate_limited"
  | "headers_too_large"
  | "not_implemented"
  | "internal"
  | "unavailable";

/** The body of an error response. */
export interface Refusal {
  success: 0;
  error: { code: RefusalCode; message: string; request_id: string; issues?: FieldIssue[] };
}
