import { expect, test, vi } from "vitest";
import { batchesOf, type Count, DeferredCounts } from "@/lib/limits/deferred";

function countOf(id: number, viewers = 0): Count {
  const names = Array.from({ length: viewers }, (_, n) => `${id} ${n}`);
  return { id, environmentId: 1, at: 0, day: 1, count: 1, viewers: new Set(names) };
}

const idsOf = (batches: Count[][]) => batches.map((batch) => batch.map(({ id }) => id));

test("no item is twice in a batch, and items are in order", () => {
  expect(idsOf(batchesOf([3, 1, 2, 1, 3].map((id) => countOf(id))))).toEqual([[1], [1, 2, 3], [3]]);
  expect(batchesOf([])).toEqual([]);
});

test("a batch has at most 1,000 items", () => {
  const counts = Array.from({ length: 2_001 }, (_, id) => countOf(id));
  expect(batchesOf(counts).map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
});

test("a batch of several items has at most 1,000 viewers", () => {
  const counts = [countOf(1, 400), countOf(2, 600), countOf(3, 1), countOf(4, 1_001), countOf(5), countOf(6, 999)];
  expect(idsOf(batchesOf(counts))).toEqual([[1, 2], [3], [4], [5, 6]]);
});

test("with more items than a batch has, a flush waits up to 10 s, unless it is the last or there are 50,000", async () => {
  const sizes: number[] = [];
  const counts = new DeferredCounts(async ([ids]) => sizes.push(ids.length));
  const countItems = (items: number) => {
    for (let id = 1; id <= items; id++) counts.count(id, 1);
  };
  const flushed = async (last?: boolean) => {
    await counts.record(last);
    return sizes.splice(0);
  };
  vi.useFakeTimers({ toFake: ["performance"], now: 20_000 });
  try {
    countItems(1_001);
    expect(await flushed()).toEqual([1_000, 1]);
    countItems(1_000);
    expect(await flushed()).toEqual([1_000]);
    countItems(1_001);
    expect(await flushed()).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(await flushed()).toEqual([1_000, 1]);
    countItems(1_001);
    expect(await flushed(true)).toEqual([1_000, 1]);
    countItems(50_000);
    expect(await flushed()).toHaveLength(50);
  } finally {
    vi.useRealTimers();
  }
});

test("an item's events are one count, until it has 1,000 viewers", async () => {
  const stored: number[][] = [];
  const counts = new DeferredCounts(async (columns) => stored.push(columns[3]));
  for (let n = 0; n < 1_002; n++) counts.count(1, 1, String(n % 1_001));
  counts.count(2, 1);
  counts.count(2, 1);
  await counts.record();
  expect(stored.flat().sort((a, b) => a - b)).toEqual([2, 2, 1_000]);
});
