import type { IncomingMessage } from "node:http";

/** The header in which the front door tells where a request comes from; what a client sends under this name is dropped. */
export const CLIENT_ADDRESS = "x-client-address";

/**
 * Where a request comes from. Of X-Forwarded-For, to which each proxy adds the address it saw, only as many entries are
 * believed as there are proxies of ours in front: what stands before them anybody can have written.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string | undefined {
  if (trustedProxies === 0) return socket.remoteAddress;
  const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
  return forwarded.at(-trustedProxies)?.trim() || socket.remoteAddress;
}
