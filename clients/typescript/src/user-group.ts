/** What JSON can say. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** What get-or-create and update send. */
export interface GroupRequest {
  /** your own id of the group, 1 to 255 characters */
  user_group_id: string;
  name?: string;
  /** a schema's id to a data source's */
  mapping?: JsonObject;
  /** null clears them in an update */
  properties?: JsonObject | null;
}

/** The label of the environment that an API token belongs to. */
export type EnvironmentTag = "Customer" | "Testing";

interface Identified {
  team_id: number;
  name: string;
  /** the `user_group_id` that was sent */
  provided_id: string;
}

/** The group as it stands, or as it was created by this call. */
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

/** Whose token it is; of one that is no group's nothing is said. */
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

/** One field that was refused: where it stands in what was sent, and what to do about it. */
export interface FieldIssue {
  path: (string | number)[];
  message: string;
}

/** Why the service refuses a call. */
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

/** The body of a refusal. */
export interface Refusal {
  success: 0;
  error: { code: RefusalCode; message: string; request_id: string; issues?: FieldIssue[] };
}
