import { expect, test } from "vitest";
import { delayAfter } from "@/lib/webhooks/stored";

test("delays rise from seconds to half a day, each with a jitter of a fifth", () => {
  const usual = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 43_200, 43_200];
  for (const [n, seconds] of usual.entries()) {
    const delays = Array.from({ length: 200 }, () => delayAfter(n + 1) / 1_000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(seconds * 0.8 - 0.001);
    expect(Math.max(...delays)).toBeLessThanOrEqual(seconds * 1.2 + 0.001);
    expect(new Set(delays).size).toBeGreaterThan(50);
  }
});
