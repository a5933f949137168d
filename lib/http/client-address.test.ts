import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress } from "./client-address";

const request = (forwarded?: string) =>
  ({ headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress: "10.0.0.1" } }) as unknown as IncomingMessage;

test.each([
  ["203.0.113.9", 0, "10.0.0.1"],
  ["203.0.113.9", 1, "203.0.113.9"],
  ["made-up, 203.0.113.9", 1, "203.0.113.9"],
  ["made-up, 203.0.113.9, 10.0.0.2", 2, "203.0.113.9"],
  [undefined, 1, "10.0.0.1"],
  ["203.0.113.9", 2, "10.0.0.1"],
])("of X-Forwarded-For: %s and %i proxies, %s is who asks", (forwarded, proxies, address) => {
  expect(clientAddress(request(forwarded), proxies)).toBe(address);
});
