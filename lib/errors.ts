/** The status each error code answers with. */
const STATUS = {
  bad_request: 400,
  invalid_json: 400,
  body_missing: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  unknown_user_group: 404,
  unknown_token: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  idempotency_conflict: 409,
  stale: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_fields: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** One field that was refused: where it stands in the body, and what to do about it. */
export interface FieldIssue {
  path: (string | number)[];
  message: string;
}

interface ErrorDetails {
  issues?: FieldIssue[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A refusal that the caller is told of: its code decides the status, its message says what to do and holds no secret. */
export class AppError extends Error {
  readonly issues: FieldIssue[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { issues, headers = {}, cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.issues = issues;
    this.headers = headers;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** The refusal of fields, with one message that holds them all for those who read no further. */
export function invalidFields(issues: FieldIssue[]): AppError {
  const listed = issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")} ${message}` : message));
  return new AppError("invalid_fields", `Nothing was changed: ${listed.join("; ")}.`, { issues });
}

/** The answer to a path under /api that is none of ours. */
export function notFound(): AppError {
  return new AppError("not_found", "There is nothing here: the API is at /api/user.");
}

/** The answer while the database cannot be used: nothing is known to have changed, and trying again is safe for GET. */
export function unavailable(cause: unknown): AppError {
  return new AppError("unavailable", "The database cannot be reached in time. Try again shortly.", {
    headers: { "Retry-After": "1" },
    cause,
  });
}

/** A reason why a command cannot start, in words for the person who started it; printed without a stack. */
export class StartError extends Error {}
