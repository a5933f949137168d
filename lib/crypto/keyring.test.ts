import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { currentKey, deriveKey, indexOf, isSealedUnder, open, seal, setKeys } from "./keyring";

const context = Buffer.from("row 1");
const [first, second] = [randomBytes(32), randomBytes(32)];

test("opens a sealed value only with the same context", () => {
  setKeys(first, undefined);
  const sealed = seal("secret", context);
  expect(open(sealed, context).toString()).toBe("secret");
  expect(() => open(sealed, Buffer.from("row 2"))).toThrow("does not belong to its row, or is damaged");
  const refusal = expect.objectContaining({ cause: expect.any(Error) });
  expect(() => open(sealed, Buffer.from("row 2"))).toThrow(refusal);
});

test("opens secrets of any length, including a short one after a long one", () => {
  setKeys(first, undefined);
  const secrets = [0, 1, 40, 100_000, 2, 20_000_000, 3].map((length) => randomBytes(length));
  const sealed = secrets.map((secret) => seal(secret, context));
  expect(sealed.every((one, index) => secrets[index]?.equals(open(one, context)))).toBe(true);
});

test("detects any flipped bit", () => {
  setKeys(first, undefined);
  const sealed = seal("secret", context);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const damaged = Buffer.from(sealed);
    damaged.writeUInt8((damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => open(damaged, context)).toThrow();
  }
});

test("detects a truncated ciphertext, down to an empty one", () => {
  setKeys(first, undefined);
  const sealed = seal("secret", context);
  for (let length = 0; length < sealed.length; length++) {
    expect(() => open(sealed.subarray(0, length), context)).toThrow("is damaged");
  }
  expect(isSealedUnder(sealed.subarray(0, 5), currentKey().id)).toBe(false);
});

test("opens values of the previous key, and seals with the current one", () => {
  setKeys(first, undefined);
  const old = seal("secret", context);
  setKeys(second, first);
  expect(open(old, context).toString()).toBe("secret");
  expect(isSealedUnder(old, currentKey().id)).toBe(false);
  expect(isSealedUnder(seal("secret", context), currentKey().id)).toBe(true);
  setKeys(second, undefined);
  expect(() => open(old, context)).toThrow("a key that is not configured");
});

test("derives the same keys each time, and the id reveals nothing about the secret", () => {
  expect(deriveKey(first)).toEqual(deriveKey(first));
  expect(first.includes(deriveKey(first).id)).toBe(false);
  expect(deriveKey(first).id).not.toEqual(deriveKey(second).id);
});

// Computed by Python's hmac: another value would make stored secrets unreadable.
test("keys are derived and secrets indexed as when they were stored", () => {
  const { id, seal, index, session } = deriveKey(Buffer.alloc(32));
  expect([id, seal, index, session].map((key) => key.toString("hex"))).toEqual([
    "7eda9cf3",
    "c1d0ad9e49c10b867658efad2897780c4f000a5cc63cca8ca5de2238674addc4",
    "3bdb40b88caa589917f9d4b784e9f17684ede39877deb08c0bc574878f9d7094",
    "1bfb4a68b193199e59f01e8bf884fdbc91b3050e85c72ed524a16c27deb3f3b7",
  ]);
  expect(indexOf({ id, seal, index, session }, "API token", "a").toString("hex")).toBe(
    "034e8d763805644b467309272f5d6848ab9a2e5a34926eb1bee3e879b452edf1",
  );
});
