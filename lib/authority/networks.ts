import { BlockList, isIP } from "node:net";

/** Networks in CIDR notation, for {@link isWithin}. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/** Whether an address is in one of the networks; an IPv4-mapped IPv6 address or network counts as IPv4. */
export function isWithin(networks: BlockList, address: string): boolean {
  return isIP(address) !== 0 && networks.check(address, address.includes(":") ? "ipv6" : "ipv4");
}
