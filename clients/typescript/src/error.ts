import type { FieldIssue, Refusal, RefusalCode } from "./openapi.js";

/**
 * Why a call failed: the service's own code, or `unreachable` (no response), `timed_out` (no response in time) or
 * `unexpected_answer` (not from the service, such as a proxy's error page).
 */
export type ErrorCode = RefusalCode | "unreachable" | "timed_out" | "unexpected_answer";

interface Details {
  status?: number | undefined;
  requestId?: string | undefined;
  issues?: FieldIssue[] | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** A failed call. Its message says what to do, and never contains the API token or a group's token. */
export class UserGroupsError extends Error {
  override readonly name = "UserGroupsError";
  readonly code: ErrorCode;
  /** HTTP status, if there was a response */
  readonly status: number | undefined;
  /** identifies the request in the service's log */
  readonly requestId: string | undefined;
  /** the refused fields, with the code `invalid_fields` */
  readonly issues: FieldIssue[];
  /** seconds to wait before the next attempt */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, { status, requestId, issues = [], retryAfter, cause }: Details = {}) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.issues = issues;
    this.retryAfter = retryAfter;
  }
}

/** The error for a response; `body` is its parsed JSON or undefined. */
export function errorOf(response: Response, body: unknown): UserGroupsError {
  const { status, headers } = response;
  const requestId = headers.get("X-Request-Id") ?? undefined;
  const retryAfter = secondsOf(headers.get("Retry-After"));
  if (isRefusal(body)) {
    const { code, message, request_id, issues } = body.error;
    return new UserGroupsError(code, message, { status, requestId: request_id, issues, retryAfter });
  }
  const message =
    `The response with status ${status} is not from the user group service. ` +
    "Check the base URL, and any proxy in between.";
  return new UserGroupsError("unexpected_answer", message, { status, requestId, retryAfter });
}

function isRefusal(body: unknown): body is Refusal {
  const { error } = (body ?? {}) as Partial<Refusal>;
  return typeof error?.code === "string" && typeof error.message === "string";
}

/** Parses Retry-After: a number of seconds, or a date. */
export function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}
