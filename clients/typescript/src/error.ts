import type { FieldIssue, Refusal, RefusalCode } from "./user-group.js";

/**
 * Why a call failed: the service's own code, or `unreachable` (no answer), `timed_out` (none in time) or
 * `unexpected_answer` (one that is not the service's, such as a proxy's page).
 */
export type ErrorCode = RefusalCode | "unreachable" | "timed_out" | "unexpected_answer";

interface Details {
  status?: number | undefined;
  requestId?: string | undefined;
  issues?: FieldIssue[] | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** A call that failed. Its message says what to do, and holds neither the API token nor a group's. */
export class UserGroupsError extends Error {
  override readonly name = "UserGroupsError";
  readonly code: ErrorCode;
  /** of the answer, where there was one */
  readonly status: number | undefined;
  /** names the request in the service's log */
  readonly requestId: string | undefined;
  /** the fields that were refused, with the code `invalid_fields` */
  readonly issues: FieldIssue[];
  /** in how many seconds the service would like to be asked again */
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

/** The error that an answer stands for, whose body is JSON or undefined. */
export function errorOf(response: Response, body: unknown): UserGroupsError {
  const { status, headers } = response;
  const requestId = headers.get("X-Request-Id") ?? undefined;
  const retryAfter = secondsOf(headers.get("Retry-After"));
  if (isRefusal(body)) {
    const { code, message, request_id, issues } = body.error;
    return new UserGroupsError(code, message, { status, requestId: request_id, issues, retryAfter });
  }
  const message = `The answer, with status ${status}, is not one of the user group service: is the base URL right, and what stands in between?`;
  return new UserGroupsError("unexpected_answer", message, { status, requestId, retryAfter });
}

function isRefusal(body: unknown): body is Refusal {
  const { error } = (body ?? {}) as Partial<Refusal>;
  return typeof error?.code === "string" && typeof error.message === "string";
}

/** What a Retry-After says, which is a number of seconds or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}
