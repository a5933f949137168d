import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@/lib/errors";

/** A request, as the front door received it. */
export interface Call {
  requestId: string;
  method: string;
  /** without the query */
  path: string;
  /** the part after the question mark; undefined without one */
  query: string | undefined;
  /** the values of the route's bracketed names */
  parameters: Record<string, string>;
  /** lower-case names; repeated headers are joined with ", " */
  headers: IncomingHttpHeaders;
  /**
   * The body; empty when there is none.
   * @throws {AppError} `body_too_large`, `body_missing` or `request_timeout`
   */
  readBody(): Promise<Uint8Array>;
  /**
   * The client's address, as far as our own proxies tell.
   * @throws {AppError} `bad_request` when they do not
   */
  address(): string;
  /** Does something once the answer is sent, or its receiver is gone; undefined for a call of ours. */
  onClose?(work: () => void): void;
  /** set for the log once known */
  environment?: string;
  /** another process of ours answers and logs it */
  isLoggedElsewhere?: boolean;
}

/** The parameters of a route without bracketed names. */
export const NO_PARAMETERS: Call["parameters"] = {};

/** An answer. One that is generated while it is sent comes in pieces; an error midway breaks the connection. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | AsyncGenerator<string>;
  /** a credential in the request was invalid, although the status is not 401: it counts against the address */
  isBadCredential?: boolean;
}

/** An answer with a complete body. */
export interface WholeAnswer extends Answer {
  body: string;
}

/** The largest request body in bytes, unless an endpoint takes more. */
export const MAX_BODY_BYTES = 262_144;

export function bodyTooLarge(most = MAX_BODY_BYTES): AppError {
  const limit = most < 1_048_576 ? `${most / 1024} KiB` : `${most / 1_048_576} MiB`;
  return new AppError("body_too_large", `The body exceeds ${limit}.`);
}
