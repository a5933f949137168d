import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { env } from "@/lib/config/env";
import { limitOf } from "@/lib/limits/limits";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const { RATE_LIMIT_REFUSALS: POINTS } = env();

function refusals() {
  const limit = limitOf("refusals");
  if (!limit) throw new Error("the limit is off");
  return limit;
}

test("a caller at the limit learns when the minute ends, and can call again then; other callers are unaffected", () => {
  const limit = refusals();
  for (let use = 1; use < POINTS; use++) limit.spend("first");
  expect(limit.isInForce()).toBe(false);
  limit.spend("first");
  vi.advanceTimersByTime(1_500);
  expect(limit.isInForce()).toBe(true);
  const refused = expect.objectContaining({ code: "rate_limited", headers: { "Retry-After": "59" } });
  expect(() => limit.spend("first")).toThrow(refused);
  expect(() => limit.spend("second")).not.toThrow();
  vi.advanceTimersByTime(58_500);
  expect(limit.isInForce()).toBe(false);
  expect(() => limit.spend("first")).not.toThrow();
});

test("uses are shared once, and the total and the minute of all instances count", () => {
  const limit = refusals();
  const unshared = () => [...limit.unshared()].find(([key]) => key === "refusals:third")?.[1];
  limit.count("third");
  const sent = unshared();
  if (!sent) throw new Error("nothing to share");
  limit.count("third");
  limit.adopt(sent, { key: "refusals:third", points: POINTS - 1, ms_left: 30_000 });
  expect(unshared()?.own).toBe(1);
  expect(() => limit.check("third")).toThrow("Try again in 30 s.");
});
