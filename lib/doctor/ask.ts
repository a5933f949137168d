import { anyJson } from "@/lib/json/any-json";
import { requestText } from "@/lib/outgoing/request-text";

export interface Question {
  method?: string;
  /** below the deployment's URL */
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Reply {
  status: number;
  /** lower-case names */
  headers: Record<string, string>;
  /** undefined when the body is not a JSON object */
  json: Record<string, unknown> | undefined;
  /** error code of a failure in the service's shape */
  code: string | undefined;
  /** local time midway through the request, in milliseconds */
  askedAt: number;
  /** expiry of the certificate; undefined over plain http */
  certifiedUntil: Date | undefined;
  /** why there is no response; everything above is empty then */
  problem?: NodeJS.ErrnoException;
}

export const BOUNDS = { maxBytes: 4_194_304, timeoutMs: 15_000 };
const NOTHING: Reply = {
  status: 0,
  headers: {},
  json: undefined,
  code: undefined,
  askedAt: 0,
  certifiedUntil: undefined,
};

/**
 * Sends one request over its own connection. Not `fetch`, which refuses a GET body and follows redirects. If there is
 * no response, the reply contains the reason.
 */
export function ask(base: URL, { method = "GET", path, headers = {}, body }: Question): Promise<Reply> {
  const url = new URL(base.pathname.replace(/\/$/, "") + path, base);
  const start = Date.now();
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = requestText(url, {
    ...BOUNDS,
    method,
    headers: { "User-Agent": "user-group-service-doctor", ...type, ...headers },
    ...(body !== undefined && { body }),
  });
  return sent.then(
    ({ status, headers, text, certifiedUntil }) => {
      const json = readObject(text);
      const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      return {
        status,
        headers: named,
        json,
        code: textOfError({ json }, "code"),
        askedAt: (start + Date.now()) / 2,
        certifiedUntil,
      };
    },
    (problem: NodeJS.ErrnoException) => ({ ...NOTHING, problem }),
  );
}

function readObject(text: string): Record<string, unknown> | undefined {
  const value = anyJson(text);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** A text member of the service's error. */
export function textOfError({ json }: Pick<Reply, "json">, name: string): string | undefined {
  const text = Object(json?.error)[name];
  return typeof text === "string" ? text : undefined;
}

/** The service's own reason, if it gives one. */
export function messageOf(answer: Reply): string {
  return textOfError(answer, "message") ?? "";
}

/** A short description: the status, and our code or the server's name. */
export function inShort({ status, code, headers, problem }: Reply): string {
  if (problem) return `no response (${problem.message || problem.code})`;
  return `${status}${code ? ` ${code}` : ""}${!code && headers.server ? ` from ${headers.server}` : ""}`;
}
