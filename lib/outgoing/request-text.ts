import { type IncomingHttpHeaders, request as requestPlain } from "node:http";
import { request as requestEncrypted } from "node:https";
import { TLSSocket } from "node:tls";
import { plainError } from "@/lib/errors";

interface Options {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  maxBytes: number;
  /** from the look-up of the name to the end of the body */
  timeoutMs: number;
}

interface TextAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** as received: never decompressed */
  text: string;
  /** expiry of the certificate; undefined over plain http */
  certifiedUntil: Date | undefined;
}

/**
 * Sends one request to another server over its own connection, and reads the response within bounds of size and time.
 * Never follows a redirect.
 * @throws {Error} when the connection fails, or the response exceeds a bound
 */
export function requestText(url: URL, options: Options): Promise<TextAnswer> {
  const { method = "GET", headers = {}, body, maxBytes, timeoutMs } = options;
  const send = url.protocol === "https:" ? requestEncrypted : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      method,
      agent: false,
      headers: {
        "Accept-Encoding": "identity",
        // Node omits it for a GET.
        ...(body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    const fail = (error: Error) => {
      reject(plainError(error));
      sent.destroy();
    };
    // Not AbortSignal.timeout, which Node 20 can collect before it fires.
    const timer = setTimeout(() => fail(new Error(`no complete response within ${timeoutMs} ms`)), timeoutMs);
    sent.on("close", () => clearTimeout(timer));
    sent.on("error", fail);
    sent.on("upgrade", () => fail(new Error("the server switched protocols")));
    sent.on("response", (response) => {
      const { statusCode: status = 0, headers, socket } = response;
      const certifiedUntil = socket instanceof TLSSocket ? endOf(socket) : undefined;
      const chunks: Buffer[] = [];
      let left = maxBytes;
      response.on("data", (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) fail(new Error(`the response is longer than ${maxBytes} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () => resolve({ status, headers, text: Buffer.concat(chunks).toString(), certifiedUntil }));
    });
    sent.end(body);
  });
}

function endOf(socket: TLSSocket): Date | undefined {
  const { valid_to } = socket.getPeerCertificate();
  return valid_to === undefined ? undefined : new Date(valid_to);
}
