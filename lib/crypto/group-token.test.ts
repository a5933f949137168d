import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { setKeys } from "@/lib/crypto/keyring";
import { newToken, openToken, storeToken, tokenIndexes } from "./group-token";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const place = { environmentId: 1, providedId: "acme" };

test("makes ugt_, 43 base62 characters and 6 for their CRC-32", () => {
  const tokens = Array.from({ length: 200 }, newToken);
  for (const token of tokens) {
    expect(token).toMatch(/^ugt_[0-9A-Za-z]{49}$/);
    const sum = [...token.slice(-6)].reduce((value, digit) => value * 62 + BASE62.indexOf(digit), 0);
    expect(sum).toBe(crc32(token.slice(0, -6)));
  }
  expect(new Set(tokens).size).toBe(200);
  expect(new Set(tokens.flatMap((token) => [...token.slice(4, -6)])).size).toBe(62);
});

test("binds a stored token to its environment, its id and its hash", () => {
  setKeys(randomBytes(32), undefined);
  const token = newToken();
  const stored = storeToken(token, place);
  const other = storeToken(newToken(), { ...place, providedId: "other" });
  expect(openToken({ ...place, ...stored })).toBe(token);
  expect(() => openToken({ ...place, environmentId: 2, ...stored })).toThrow();
  expect(() => openToken({ ...place, providedId: "other", ...stored })).toThrow();
  expect(() => openToken({ ...place, ...other })).toThrow();
  expect(() => openToken({ ...place, ...stored, tokenIndex: other.tokenIndex })).toThrow();
});

test("the hashes in databases stay valid: a token's hash is the same in every release", () => {
  setKeys(Buffer.alloc(32, 7), undefined);
  expect(tokenIndexes("ugt_x").map((index) => index.toString("hex"))).toEqual([
    "8763e4af24c3a9da1e644c6d6ecfc846b6a8e4d186ea1a24ddac5073e6939d97",
  ]);
});

test("looks up tokens under the previous key first", () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  setKeys(first, undefined);
  const [before] = tokenIndexes("ugt_x");
  setKeys(second, first);
  const [previous, current] = tokenIndexes("ugt_x");
  expect(previous).toEqual(before);
  expect(current).toEqual(storeToken("ugt_x", place).tokenIndex);
});
