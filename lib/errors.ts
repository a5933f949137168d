/** Every code a failure can have: the status it answers with, and when. The documents of the API say the same words. */
export const ERRORS = {
  invalid_json: { status: 400, when: "the body is not I-JSON: the message says where" },
  body_missing: {
    status: 400,
    when: "there is no body and no query: a client or proxy may have dropped the body of a GET",
  },
  bad_request: {
    status: 400,
    when: "not an HTTP/1.1 request that can be read: two Hosts, an absolute target, a broken off body",
  },
  unauthorized: { status: 401, when: "no valid API token" },
  forbidden: {
    status: 403,
    when: "a read-only token asks for a change, or another site made a browser send the request",
  },
  unknown_user_group: { status: 404, when: "PUT of an id that is not in this environment" },
  unknown_token: { status: 404, when: "POST of a token that is not the current one of a group in this environment" },
  not_found: { status: 404, when: "another path under `/api`" },
  method_not_allowed: { status: 405, when: "another method: `Allow` lists those there are" },
  request_timeout: { status: 408, when: "the request was not sent within 10 s" },
  conflict: { status: 409, when: "of the dashboard's own calls: it does not fit what there is by now" },
  idempotency_conflict: { status: 409, when: "the key came with another body before" },
  stale: { status: 412, when: "the group has changed since the `ETag` in `If-Match`" },
  body_too_large: { status: 413, when: "over 256 KiB" },
  unsupported_media_type: { status: 415, when: "not `application/json` in UTF-8, or with a Content-Encoding" },
  invalid_fields: { status: 422, when: "a field is missing, wrong, too long or unknown: `issues` lists them" },
  rate_limited: {
    status: 429,
    when: "too many requests, new groups or bad credentials in a minute: try again after `Retry-After` seconds",
  },
  headers_too_large: { status: 431, when: "over 16 KiB of headers, or more than 200" },
  internal: { status: 500, when: "a fault of ours: quote the `request_id`" },
  not_implemented: { status: 501, when: "a `Transfer-Encoding` other than `chunked`" },
  unavailable: {
    status: 503,
    when: "the database cannot be reached, or the service is starting or stopping: try again after `Retry-After` seconds",
  },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One field that was refused: where it stands in the body, and what to do about it. */
export interface FieldIssue {
  path: (string | number)[];
  message: string;
}

interface ErrorDetails {
  issues?: FieldIssue[];
  headers?: Record<string, string>;
  /** it is about a credential that was no good, and counts against the address */
  isBadCredential?: boolean;
  cause?: unknown;
}

/** A refusal that the caller is told of: its code decides the status, its message says what to do and holds no secret. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly issues: FieldIssue[] | undefined;
  readonly headers: Record<string, string>;
  readonly isBadCredential: boolean;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { issues, headers = {}, isBadCredential = false, cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.issues = issues;
    this.headers = headers;
    this.isBadCredential = isBadCredential;
  }

  /** By name: under Next alone there is more than one copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "AppError";
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The refusal of fields, with one message that holds them all for those who read no further. */
export function invalidFields(issues: FieldIssue[]): AppError {
  const listed = issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")} ${message}` : message));
  return new AppError("invalid_fields", `Nothing was changed: ${listed.join("; ")}.`, { issues });
}

/** The one answer to every credential that is not good: it tells a stranger nothing. */
export function unauthorized(): AppError {
  return new AppError(
    "unauthorized",
    "Send a valid API token, as in `Authorization: Token <API_TOKEN>`. It may be missing, mistyped, revoked or expired, or be the token of a user group.",
    {
      headers: { "WWW-Authenticate": "Token" },
    },
  );
}

/** The answer to a change with a read-only API token. */
export function readOnly(): AppError {
  return new AppError("forbidden", "This API token may only read: use one with write access to create or change.");
}

/** The answer to a path under /api that is none of ours. */
export function notFound(): AppError {
  return new AppError("not_found", "There is nothing here: the API is at /api/user.");
}

/** The answer while the database, or what `what` names, cannot be used: nothing is known to have changed, and trying again is safe for GET. */
export function unavailable(cause: unknown, what = "The database cannot be reached in time."): AppError {
  return new AppError("unavailable", `${what} Try again shortly.`, {
    headers: { "Retry-After": "1" },
    cause,
  });
}

/** A reason why a command cannot start, in words for the person who started it; printed without a stack. */
export class StartError extends Error {}
