import { expect, test } from "vitest";
import { RecentMap } from "./recent-map";

test("used entries stay, and the least recently used are evicted", () => {
  const map = new RecentMap<number, string>(100);
  map.set(0, "kept");
  for (let key = 1; key <= 10_000; key++) {
    map.set(key, "passing");
    expect(map.get(0)).toBe("kept");
    expect([...map].length).toBeLessThanOrEqual(100);
  }
  expect(map.get(9_999)).toBe("passing");
  expect(map.get(9_000)).toBeUndefined();
  map.delete(0);
  expect(map.get(0)).toBeUndefined();
});
