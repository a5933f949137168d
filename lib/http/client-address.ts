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

/** An address without what differs between the addresses of one caller: of IPv6 the first 64 bits. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [start = "", end] = address.split("::");
  const groups = start === "" ? [] : start.split(":");
  if (end !== undefined) {
    const last = end === "" ? [] : end.split(":");
    groups.push(...Array(8 - groups.length - last.length).fill("0"), ...last);
  }
  return `${groups.slice(0, 4).join(":")}::/64`;
}
