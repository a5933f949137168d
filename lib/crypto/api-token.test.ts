import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { apiTokenIndex, bindingOf, digestOf, grantOf, hintOf, isBound, newApiTokenFor } from "@/lib/crypto/api-token";
import { setKeys } from "@/lib/crypto/keyring";

test("a hint shows the prefix and the last four characters of our tokens only", () => {
  for (const [tag, prefix] of [
    ["Testing", "uga_test_"],
    ["Customer", "uga_live_"],
  ] as const) {
    const token = newApiTokenFor(tag);
    expect(hintOf(token)).toBe(`${prefix}…${token.slice(-4)}`);
    expect(hintOf(`${token} `)).toBeNull();
  }
  expect(hintOf("a password of ours")).toBeNull();
});

test("a binding holds a token to its environment, scopes and networks, under either key", () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const grant = { access: "read", scopes: ["groups:read", "viewers:ask"], networks: ["10.0.0.0/8"] } as const;
  setKeys(first, undefined);
  const index = apiTokenIndex(digestOf("uga_test_x"));
  const bound = { environmentId: 1, grant: grantOf(grant) };
  const binding = bindingOf(index, bound);
  expect(isBound(index, bound, binding)).toBe(true);
  setKeys(second, first);
  expect(isBound(index, bound, binding)).toBe(true);
  for (const change of [
    { environmentId: 2 },
    { grant: grantOf({ ...grant, scopes: ["groups:read"] }) },
    { grant: grantOf({ ...grant, networks: [] }) },
    { grant: grantOf({ ...grant, scopes: null }) },
  ])
    expect(isBound(index, { ...bound, ...change }, binding)).toBe(false);
  expect(isBound(randomBytes(32), bound, binding)).toBe(false);
  expect(isBound(index, bound, binding.subarray(0, 15))).toBe(false);
  expect(grantOf({ ...grant, scopes: null })).toBe("read");
});
