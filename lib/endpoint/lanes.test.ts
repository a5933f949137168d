import { expect, test } from "vitest";
import type { Caller } from "@/lib/auth/caller";
import { lanes } from "@/lib/endpoint/lanes";

const tokenOf = (id: number) => ({ caller: { actorType: "api_token", actorId: String(id) } as Caller });

/** Enters as often as possible; returns functions that end the calls. */
function enterAll(enter: ReturnType<typeof lanes>, id: number): (() => void)[] {
  const entered: (() => void)[] = [];
  try {
    for (;;) entered.push(enter(tokenOf(id)));
  } catch {
    return entered;
  }
}

test("a few callers taking their maximum leave lanes for others", () => {
  const enter = lanes(8, "waits", 64);
  const counts = Array.from({ length: 8 }, (_, id) => enterAll(enter, id).length);
  expect(counts).toEqual([8, 8, 8, 8, 8, 8, 8, 4]);
  expect(enterAll(enter, 8)).toHaveLength(2);
});

test("a freed lane goes to a caller without one", () => {
  const enter = lanes(8, "waits", 64);
  const [first = []] = Array.from({ length: 20 }, (_, id) => enterAll(enter, id));
  const refused = { code: "rate_limited", headers: { "Retry-After": "1" } };
  expect(() => enter(tokenOf(20))).toThrow(expect.objectContaining(refused));
  expect(() => enter(tokenOf(20))).toThrow("64 waits are running");
  first[0]?.();
  expect(() => enter(tokenOf(0))).toThrow("63 waits are running");
  expect(enterAll(enter, 20)).toHaveLength(1);
});
