import type { IncomingMessage } from "node:http";
import { isIP, SocketAddress } from "node:net";
import { AppError } from "@/lib/errors";

/** The header in which the front door tells the pages where a request comes from; a client's own is dropped. */
export const CLIENT_ADDRESS = "x-client-address";

/** What of a request tells where it comes from; without our front door the socket is not known. */
interface Received {
  headers: IncomingMessage["headers"];
  socket: { remoteAddress?: string | undefined };
}

/**
 * Where a request comes from. Each proxy adds the address it saw to X-Forwarded-For: only the entries of our own proxies are
 * believed, as a client can write those before them.
 * @throws {AppError} `bad_request` when there are fewer entries than proxies: the request came past one of them
 */
export function clientAddress({ headers, socket }: Received, trustedProxies: number): string {
  if (trustedProxies === 0) return unmapped(socket.remoteAddress ?? "");
  const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
  const entry = forwarded.at(-trustedProxies)?.trim();
  if (entry) return readAddress(withoutPort(entry));
  throw new AppError(
    "bad_request",
    `X-Forwarded-For has fewer addresses than TRUSTED_PROXIES says there are proxies (${trustedProxies}): send the request through them, or correct TRUSTED_PROXIES.`,
  );
}

/** Under which name the requests of an address are counted. One IPv6 caller has a whole /64. */
export function countedAddress({ address }: { address(): string }): string {
  return `address ${networkOf(address())}`;
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

/** Some proxies write the port as well: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

/** The one spelling of an address that a proxy wrote. */
function readAddress(text: string): string {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : "unknown";
  return unmapped(new SocketAddress({ address: text.replace(/%.*/, ""), family: "ipv6" }).address);
}

/** IPv4 that came in IPv6 (RFC 4291, 2.5.5.2) is IPv4. */
export function unmapped(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
