import { expect, test } from "vitest";
import { deriveKey, indexOf } from "@/lib/crypto/keyring";

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
