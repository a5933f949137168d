/** All error codes, their status and cause, as the API's documentation has them. */
export const ERRORS = {
  invalid_json: { status: 400, when: "the body is not I-JSON: the message says where" },
  body_missing: { status: 400, when: "neither body nor query: a client or proxy may have dropped the GET body" },
  bad_request: { status: 400, when: "malformed HTTP/1.1 request, such as one with two Hosts" },
  unauthorized: { status: 401, when: "no valid API token, or one used from outside its networks" },
  forbidden: { status: 403, when: "a missing scope, or a cross-site browser request" },
  unknown_user_group: { status: 404, when: "no user group with this id or number in this environment" },
  unknown_token: { status: 404, when: "the token is no group's current token in this environment" },
  not_found: { status: 404, when: "unknown path under `/api`, or no such job, webhook or API token" },
  method_not_allowed: { status: 405, when: "unsupported method: `Allow` lists the supported ones" },
  request_timeout: { status: 408, when: "the request was not sent within 8 s, or ended early" },
  conflict: { status: 409, when: "the request conflicts with the current state: the message says how" },
  id_taken: { status: 409, when: "another user group has the new id, or had it recently" },
  renamed: { status: 409, when: "the user group with this id has a new id: the message names it" },
  not_active: { status: 409, when: "the user group is suspended, or its access has ended" },
  viewer_ended: { status: 409, when: "minting for this person is blocked" },
  overlap_running: { status: 409, when: "rotating with an overlap while an earlier overlap is running" },
  too_many_deletions: { status: 409, when: "an import would delete more groups than its `max_deletions` allows" },
  idempotency_conflict: { status: 409, when: "the key was already used with another body" },
  cursor_gone: { status: 410, when: "the event at the feed's cursor is gone: read all groups again" },
  stale: { status: 412, when: "changed since the `ETag` in `If-Match`" },
  body_too_large: { status: 413, when: "over 256 KiB, 512 KiB of settings, or 4 MiB of a batch or job" },
  unsupported_media_type: {
    status: 415,
    when: "a body that is not `application/json` in UTF-8, or has a Content-Encoding",
  },
  invalid_fields: { status: 422, when: "a field is missing, wrong, too long or unknown: `issues` lists them" },
  rate_limited: {
    status: 429,
    when:
      "too many requests, new groups or bad credentials in a minute, or slow calls at a time: " +
      "try again after `Retry-After` seconds",
  },
  headers_too_large: { status: 431, when: "over 16 KiB of headers, or more than 200" },
  internal: { status: 500, when: "internal error: report it with the `request_id`" },
  not_implemented: { status: 501, when: "a `Transfer-Encoding` other than `chunked`" },
  unavailable: {
    status: 503,
    when: "the database is unavailable, or the service is starting or stopping: try again after `Retry-After` seconds",
  },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** A refused field: its path in the body, and how to fix it. */
export interface FieldIssue {
  path: (string | number)[];
  message: string;
}

interface ErrorDetails {
  issues?: FieldIssue[];
  headers?: Record<string, string>;
  /** for an invalid credential: it counts against the address */
  isBadCredential?: boolean;
  cause?: unknown;
}

/** An error for the caller: its code decides the status, its message says what to do and contains no secret. */
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

  /** Compares names: when Next serves alone, there are several copies of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "AppError";
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The error for invalid fields; its message lists them all, for callers who read only the message. */
export function invalidFields(issues: FieldIssue[]): AppError {
  return new AppError("invalid_fields", `Nothing was changed: ${listIssues(issues)}.`, { issues });
}

/**
 * The error for a change whose If-Match names no current entity tag; `example` is a tag, and `changed` the message when
 * all tags are outdated.
 */
export function staleChange(tags: string[] | undefined, { example, changed }: { example: string; changed: string }) {
  const malformed = `If-Match must be the ETag of an earlier answer, with its quotes, as in ${example}.`;
  return new AppError("stale", tags?.length === 0 ? malformed : changed);
}

/** Issues in one sentence. */
export function listIssues(issues: FieldIssue[]): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")} ${message}` : message)).join("; ");
}

/** Adds to the last problem how many more there are; not as another problem, as paths are part of the contract. */
export function sayMore<Problem extends { message: string }>(
  named: Problem[],
  more: number,
  inWords: (count: number) => string,
): Problem[] {
  const last = named.at(-1);
  if (more <= 0 || !last) return named;
  return [...named.slice(0, -1), { ...last, message: `${last.message}; ${inWords(more)}` }];
}

/** The same error for every invalid credential, so that strangers learn nothing. */
export function unauthorized(): AppError {
  return new AppError(
    "unauthorized",
    "Send a valid API token: `Authorization: Token <API_TOKEN>`. It may be missing, mistyped, revoked, expired, not " +
      "allowed from this address, or a user group's token.",
    { headers: { "WWW-Authenticate": "Token" } },
  );
}

/** The error for a change with a read-only API token. */
export function readOnly(): AppError {
  return new AppError(
    "forbidden",
    "This API token is read-only. Use a token with write access to create or change user groups.",
  );
}

const LIST = new Intl.ListFormat("en");

/** The error for a call that the API token's scopes do not allow. */
export function missingScopes(scopes: string[]): AppError {
  const [which, them] = scopes.length === 1 ? ["scope", "it"] : ["scopes", "them"];
  return new AppError(
    "forbidden",
    `This API token lacks the ${which} ${LIST.format(scopes)}. Use one that has ${them}: create it in the dashboard, ` +
      "or with ./user-groups api-token create.",
  );
}

/** The error for a call that viewers may not make. */
export function viewerOnly(): AppError {
  return new AppError("forbidden", "Readers cannot see tokens or make changes. Ask an owner for another role.");
}

/** The error for an unknown path under /api. */
export function notFound(path = ""): AppError {
  const hint = path.startsWith("/api/imports")
    ? "Imports are jobs now: POST /api/jobs."
    : "/docs lists the calls; a user group's id goes into the query or the body.";
  return new AppError("not_found", `Not found. ${hint}`);
}

/**
 * The error while the database is unavailable, or something else, as `what` says: a change may or may not have been
 * made, and a GET is safe to retry.
 */
export function unavailable(cause: unknown, what = "The database is unavailable."): AppError {
  return new AppError("unavailable", `${what} Try again shortly.`, { headers: { "Retry-After": "1" }, cause });
}

/** The error for a call whose environment was deleted in the meantime. */
export function environmentDeleted(cause?: unknown): AppError {
  return new AppError("not_found", "This environment has just been deleted.", { cause });
}

/** The first address's error if none of a host's addresses answered: Node's error for all has no message or syscall. */
export function plainError(error: Error): Error {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first : error;
}

/** Why a command cannot start, for the person who started it; printed without a stack. */
export class StartError extends Error {}
