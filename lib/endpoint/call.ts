import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@/lib/errors";

/** A request as the front door took it in. */
export interface Call {
  requestId: string;
  method: string;
  /** without the query */
  path: string;
  /** what follows the question mark; undefined where there is none */
  query: string | undefined;
  /** what stands in the path in place of the names in its route's brackets */
  parameters: Record<string, string>;
  /** lower-case names; a header that came more than once is joined with ", " */
  headers: IncomingHttpHeaders;
  /**
   * The body; empty when there is none.
   * @throws {AppError} `body_too_large`, `body_missing` or `request_timeout`
   */
  readBody(): Promise<Uint8Array>;
  /**
   * Where it comes from, as far as our own proxies tell.
   * @throws {AppError} `bad_request` when they do not
   */
  address(): string;
  /** filled in for the log as it becomes known */
  environment?: string;
  /** another process of ours answers it, and writes its line of the log */
  isLoggedElsewhere?: boolean;
}

/** What stands in a path that has no names in its route. */
export const NO_PARAMETERS: Call["parameters"] = {};

/** An answer; one that is made while it is sent comes in pieces, and where it breaks off the connection does. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | AsyncGenerator<string>;
  /** a credential in the request was no good, though the status is not 401: it counts against the address */
  isBadCredential?: boolean;
}

/** An answer that is there as a whole. */
export interface WholeAnswer extends Answer {
  body: string;
}

/** The most bytes a request body may have. */
export const MAX_BODY_BYTES = 262_144;

export function bodyTooLarge(): AppError {
  return new AppError("body_too_large", `The body has more than ${MAX_BODY_BYTES / 1024} KiB.`);
}

/** Headers that every answer of the API has. */
export function apiHeaders({ headers }: Pick<Answer, "headers">, requestId: string): Answer["headers"] {
  return {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": requestId,
    ...headers,
  };
}
