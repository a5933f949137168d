import type { IncomingMessage } from "node:http";
import { isIP, SocketAddress } from "node:net";
import { AppError } from "@/lib/errors";

/** The header that passes the client's address from the front door to the pages; a client's own is dropped. */
export const CLIENT_ADDRESS = "x-client-address";

/** The parts of a request that show its origin; without our front door the socket is unknown. */
interface Received {
  headers: IncomingMessage["headers"];
  socket: { remoteAddress?: string | undefined };
}

/**
 * The client's address. Each proxy appends the address it saw to X-Forwarded-For; only our own proxies' entries are
 * trusted, because a client can write the earlier ones.
 * @throws {AppError} `bad_request` when there are fewer entries than proxies: the request bypassed one
 */
export function clientAddress({ headers, socket }: Received, trustedProxies: number): string {
  if (trustedProxies === 0) return unmapped(socket.remoteAddress ?? "");
  const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
  const entry = forwarded.at(-trustedProxies)?.trim();
  if (entry) return readAddress(withoutPort(entry));
  throw new AppError(
    "bad_request",
    `X-Forwarded-For has fewer addresses than TRUSTED_PROXIES (${trustedProxies}). ` +
      "Send the request through all proxies, or correct TRUSTED_PROXIES.",
  );
}

/** The key for counting an address's requests. One IPv6 caller has a whole /64. */
export function countedAddress({ address }: { address(): string }): string {
  return `address ${networkOf(address())}`;
}

/** The part that all addresses of one caller share: for IPv6, the first 64 bits. */
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

/** Some proxies append the port: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

/** Normalizes an address that a proxy wrote. */
function readAddress(text: string): string {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : "unknown";
  return unmapped(new SocketAddress({ address: text.replace(/%.*/, ""), family: "ipv6" }).address);
}

/** Unwraps IPv4-mapped IPv6 (RFC 4291, 2.5.5.2). */
export function unmapped(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
