import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { setKeys } from "./keyring";
import { openViewersKey, sealViewersKey, viewerHash, viewerKey } from "./viewer-key";

const key = (id: string, environment_id = 1, team_id = 3) =>
  viewerKey(viewerHash(id), { environment_id, team_id }).toString("hex");

// Computed by Python's hmac and hashlib: another value would lift all blocks.
test("a viewer's key is as when it was stored", () => {
  setKeys(randomBytes(32), undefined, Buffer.alloc(32));
  expect(key("user_42")).toBe("00a5fb8c2570984860876b2abaf5a21c");
});

test("a viewer's key stays when the secret key changes, and is another one for each person, group and database", () => {
  const [first, second, viewers] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  setKeys(first, undefined, viewers);
  const before = key("user_42");
  const sealed = sealViewersKey(viewers);
  setKeys(second, first, openViewersKey(sealed));
  expect(key("user_42")).toBe(before);
  const others = [key("user_43"), key("user_42", 2), key("user_42", 1, 4)];
  setKeys(second, first, randomBytes(32));
  expect(new Set([before, ...others, key("user_42")]).size).toBe(5);
  setKeys(second, undefined);
  expect(() => key("user_42")).toThrow("still starting");
});
