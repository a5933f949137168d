import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createVerifier } from "@/clients/typescript/src/verify";

const issuer = "https://groups.example.com/e/testing";
const HEADER = { alg: "ES256", typ: "viewer+jwt", kid: "new" };
const TOKEN = [JSON.stringify(HEADER), "{}", Buffer.alloc(64)]
  .map((part) => Buffer.from(part).toString("base64url"))
  .join(".");
/** Longer than the verifier caches a failure. */
const PAUSE = 11_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a fetch that throws leaves no rejection unhandled", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const fetch = () => {
    throw new TypeError("no network");
  };
  await expect(createVerifier({ issuer, fetch }).verify(TOKEN)).rejects.toMatchObject({ reason: "keys_unavailable" });
  await vi.advanceTimersByTimeAsync(PAUSE);
  vi.useRealTimers();
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("an unknown key is unavailable while the keys cannot be read", async () => {
  let isAway = false;
  const fetch = async () => {
    if (isAway) throw new TypeError("away");
    return Response.json({ keys: [] });
  };
  const { verify } = createVerifier({ issuer, fetch });
  for (const [away, reason] of [
    [false, "unknown_key"],
    [true, "keys_unavailable"],
    [false, "unknown_key"],
  ] as const) {
    isAway = away;
    await expect(verify(TOKEN)).rejects.toMatchObject({ reason });
    await expect(verify(TOKEN)).rejects.toMatchObject({ reason });
    await vi.advanceTimersByTimeAsync(PAUSE);
  }
});
