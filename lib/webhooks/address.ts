import { lookup, Resolver } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { env } from "@/lib/config/env";
import { once } from "@/lib/config/per-process";
import { Semaphore } from "@/lib/config/semaphore";

// Receivers must be public unless WEBHOOK_PRIVATE_NETWORKS says otherwise: a webhook must not reach addresses that only
// this machine can reach.

/** An address that webhooks must not be sent to. */
export class AddressRefused extends Error {}

/** A name did not resolve to an address. */
export class NotResolved extends Error {}

/** A resolved address, as Node's look-up returns it. */
export interface Address {
  address: string;
  family: number;
}

/** Finds a name's addresses. */
export type Resolve = (name: string) => Promise<Address[]>;

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];
/** Where cloud providers serve credentials, as they do at link-local addresses; no setting opens these. */
const METADATA = [
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:c1::a9fe:a9fe",
  "fd00:ec2::254",
  "fd20:ce::254",
].map((address) => ipaddr.parse(address).toNormalizedString());
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

const openedNetworks = once(() => networksOf(env().WEBHOOK_PRIVATE_NETWORKS ?? []));

export function networksOf(cidrs: readonly string[]): Network[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

/** Whether a webhook may be sent to an address: a public one, or one of the opened networks. */
export function isAllowed(address: string, opened: readonly Network[] = openedNetworks()): boolean {
  // A zone names an interface of this machine.
  if (address.includes("%") || !ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (hasCredentials(ip)) return false;
  if (opened.some((network) => ip.kind() === network[0].kind() && ip.match(network))) return true;
  return ip.range() === "unicast" && (ip.kind() === "ipv4" || ip.match(GLOBAL_V6));
}

function hasCredentials(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // NAT64 leads to the IPv4 address in its last four bytes.
  if (ip.range() === "rfc6052") return hasCredentials(new ipaddr.IPv4(ip.toByteArray().slice(-4)));
  return ip.range() === "linkLocal" || METADATA.includes(ip.toNormalizedString());
}

/** How long to wait for a name server, in milliseconds; twice as long the second time. */
const DNS_MS = 1_500;
/** getaddrinfo takes one of four threads, which sign-ins need too. */
const lookups = new Semaphore<string>(2, { isFair: true });

/**
 * Asks these name servers, or this machine's. No thread waits for a slow server, so it delays no other name. Names in
 * opened networks may be known only to this machine, from /etc/hosts or by its search domains.
 */
export async function resolveName(name: string, servers?: readonly string[]): Promise<Address[]> {
  // A new one for each name, because a resolver reads the machine's settings only once.
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const of = (family: number) => (found: string[]) => found.map((address) => ({ address, family }));
  const asked = [resolver.resolve4(name).then(of(4)), resolver.resolve6(name).then(of(6))];
  const found = (await Promise.allSettled(asked)).flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (found.length > 0 || openedNetworks().length === 0) return found;
  return lookups.run(name, () => lookup(name, { all: true, order: "verbatim" }));
}

/**
 * The addresses of a URL's host name or literal address, if all of them are allowed.
 * @throws {NotResolved} when there is none, {AddressRefused} when one of them is not allowed
 */
export async function allowedAddresses(host: string, resolve: Resolve = resolveName): Promise<Address[]> {
  const literal = host.replace(/^\[(.*)\]$/, "$1");
  const addresses = ipaddr.isValid(literal)
    ? [{ address: literal, family: literal.includes(":") ? 6 : 4 }]
    : await resolve(host).catch((cause: unknown) => {
        throw new NotResolved(host, { cause });
      });
  if (addresses.length === 0) throw new NotResolved(host);
  if (!addresses.every(({ address }) => isAllowed(address))) throw new AddressRefused();
  return addresses;
}
