import { request as requestPlain } from "node:http";
import { request as requestEncrypted } from "node:https";
import { text as readText } from "node:stream/consumers";
import { TLSSocket } from "node:tls";

export interface Question {
  method?: string;
  /** below the deployment's URL */
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answer {
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

const PATIENCE_MS = 15_000;
const NOTHING: Answer = {
  status: 0,
  headers: {},
  json: undefined,
  code: undefined,
  askedAt: 0,
  certifiedUntil: undefined,
};

/**
 * Sends one request over a connection of its own. Not `fetch`, which refuses a GET body and follows redirects.
 * Without a response, the answer contains the reason.
 */
export function ask(base: URL, { method = "GET", path, headers = {}, body }: Question): Promise<Answer> {
  const url = new URL(base.pathname.replace(/\/$/, "") + path, base);
  const send = url.protocol === "https:" ? requestEncrypted : requestPlain;
  const start = Date.now();
  return new Promise((resolve) => {
    const fail = (problem: NodeJS.ErrnoException) => resolve({ ...NOTHING, problem });
    const sent = send(url, {
      method,
      agent: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: {
        "User-Agent": "user-group-service-doctor",
        ...(body !== undefined && {
          "Content-Type": "application/json",
          "Content-Length": String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
    });
    sent.on("error", fail);
    sent.on("response", (response) => {
      const askedAt = (start + Date.now()) / 2;
      const certifiedUntil = response.socket instanceof TLSSocket ? endOf(response.socket) : undefined;
      readText(response).then((text) => {
        const json = readObject(text);
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          json,
          code: codeOf(json),
          askedAt,
          certifiedUntil,
        });
      }, fail);
    });
    sent.end(body);
  });
}

function endOf(socket: TLSSocket): Date | undefined {
  const { valid_to } = socket.getPeerCertificate();
  return valid_to === undefined ? undefined : new Date(valid_to);
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(json: Record<string, unknown> | undefined): string | undefined {
  const error = json?.error;
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return String(error.code);
}

/** A short description: the status, and our code or the server's name. */
export function inShort({ status, code, headers, problem }: Answer): string {
  if (problem) return `no response (${problem.message || problem.code})`;
  return `${status}${code ? ` ${code}` : ""}${!code && headers.server ? ` from ${headers.server}` : ""}`;
}
