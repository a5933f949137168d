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

/** The label of the environment that an API token belongs to. */
export type EnvironmentTag = "Customer" | "Testing";

interface Identified {
  team_id: number;
  name: string;
  /** the `user_group_id` you sent */
  provided_id: string;
}

/** The existing group, or the one this call created. */
export interface FoundGroup {
  success: 1;
  /** whether this call created it */
  new_user_group: boolean;
  user_group: Identified & { token: string; properties: JsonObject | null };
}

/** The group after an update. */
export interface UpdatedGroup {
  success: 1;
  user_group: Identified & { token: string; properties: JsonObject | null; api_environment_tag: EnvironmentTag };
}

/** The group with its new token. */
export interface RotatedGroup {
  success: 1;
  user_group: Identified & { token: string; api_environment_tag: EnvironmentTag };
}

/** The group that a token identifies; an unknown token yields nothing else. */
export type Viewer =
  | { success: 1; active: false }
  | {
      success: 1;
      active: true;
      user_group: Identified & {
        mapping: JsonObject;
        properties: JsonObject | null;
        api_environment_tag: EnvironmentTag;
      };
    };

/** A refused field: its path in the request, and how to fix it. */
export interface FieldIssue {
  path: (string | number)[];
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
  | "too_many_deletions"
  | "idempotency_conflict"
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
