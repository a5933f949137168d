import type { IncomingHttpHeaders } from "node:http";

/** A request, whatever carried it: node:http or Next. */
export interface Call {
  requestId: string;
  method: string;
  /** without the query */
  path: string;
  /** what follows the question mark; undefined where there is none */
  query: string | undefined;
  /** lower-case names; a header that came more than once is joined with ", " */
  headers: IncomingHttpHeaders;
  /**
   * The body; empty when there is none.
   * @throws {AppError} `body_too_large`, `body_missing` or `request_timeout`
   */
  readBody(): Promise<Uint8Array>;
  /** where it comes from, as far as our own proxies tell */
  address(): string;
  /** filled in for the log as it becomes known */
  environment?: string;
  /** another process of ours answers it, and writes its line of the log */
  isLoggedElsewhere?: boolean;
}

/** An answer, whatever carries it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** An answer that comes piece by piece; one that breaks off breaks the connection. */
export interface StreamedAnswer extends Omit<Answer, "body"> {
  body: ReadableStream<Uint8Array>;
}

/** The most bytes a request body may have. */
export const MAX_BODY_BYTES = 262_144;
