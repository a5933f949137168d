import { expect, test } from "vitest";
import { batchesOf, type Count } from "@/lib/limits/deferred";

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
