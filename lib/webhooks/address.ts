import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { env } from "@/lib/config/env";
import { once } from "@/lib/config/once";
import { waitInTurn } from "@/lib/webhooks/turns";

// Receivers are public unless WEBHOOK_PRIVATE_NETWORKS says otherwise: a webhook must not reach what only this machine can reach.

/** An address that webhooks must not be sent to. */
export class AddressRefused extends Error {}

/** A resolved address, as Node's look-up returns it. */
export interface Address {
  address: string;
  family: number;
}

/** Finds a name's addresses. */
export type Resolve = (name: string) => Promise<Address[]>;

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];
/** Cloud providers answer with credentials there: no setting opens it. */
const NEVER = "linkLocal";
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
  if (ip.range() === NEVER) return false;
  if (opened.some((network) => ip.kind() === network[0].kind() && ip.match(network))) return true;
  return ip.range() === "unicast" && (ip.kind() === "ipv4" || ip.match(GLOBAL_V6));
}

/** getaddrinfo takes one of four threads, which sign-ins need too. */
const inTurn = waitInTurn(2);

const resolveName: Resolve = (name) => inTurn(() => lookup(name, { all: true, order: "verbatim" }));

/**
 * The addresses of a URL's host name or literal address, all of which may be connected to.
 * @throws {AddressRefused} when one of them is not allowed; a look-up's error
 */
export async function allowedAddresses(host: string, resolve: Resolve = resolveName): Promise<Address[]> {
  const literal = host.replace(/^\[(.*)\]$/, "$1");
  const addresses = ipaddr.isValid(literal)
    ? [{ address: literal, family: literal.includes(":") ? 6 : 4 }]
    : await resolve(host);
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw new AddressRefused();
  return addresses;
}
