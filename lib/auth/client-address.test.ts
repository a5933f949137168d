import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress, networkOf } from "./client-address";

const request = (forwarded?: string, remoteAddress = "10.0.0.1") =>
  ({ headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage;

test.each([
  ["203.0.113.9", 0, "10.0.0.1"],
  ["203.0.113.9", 1, "203.0.113.9"],
  ["made-up, 203.0.113.9", 1, "203.0.113.9"],
  ["made-up, 203.0.113.9, 10.0.0.2", 2, "203.0.113.9"],
  ["203.0.113.9:4711", 1, "203.0.113.9"],
  ["[2001:DB8::0:1]:4711", 1, "2001:db8::1"],
  ["::ffff:203.0.113.9", 1, "203.0.113.9"],
  ["::ffff:cb00:7109", 1, "203.0.113.9"],
  ["fe80::1%eth0", 1, "fe80::1"],
  ["unknown", 1, "unknown"],
  ["a".repeat(300), 1, "unknown"],
])("X-Forwarded-For: %s behind %i proxies: the client is %s", (forwarded, proxies, address) => {
  expect(clientAddress(request(forwarded), proxies)).toBe(address);
});

test.each([
  [undefined, 1],
  ["", 1],
  ["203.0.113.9", 2],
  [", 10.0.0.1", 2],
])("X-Forwarded-For: %s has too few entries for %i proxies", (forwarded, proxies) => {
  expect(() => clientAddress(request(forwarded), proxies)).toThrow("TRUSTED_PROXIES");
});

test("IPv4 over a dual-stack socket is IPv4", () => {
  expect(clientAddress(request(undefined, "::ffff:203.0.113.9"), 0)).toBe("203.0.113.9");
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:0:1::9", "2001:db8:0:1::/64"],
  ["2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["1::", "1:0:0:0::/64"],
])("%s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
