import { expect, test } from "vitest";
import type { Acknowledged } from "@/lib/db/acknowledged";
import { KeptChanges } from "@/lib/lost-writes/kept-changes";

const changes = (count: number, first = 0): Acknowledged[] =>
  Array.from({ length: count }, (_, n) => {
    const teamId = first + n;
    return { environmentId: 1, teamId, action: "user_group.created", requestId: String(teamId) };
  });
const teamIds = (kept: KeptChanges, server = "new") => kept.unchecked(server).changes.map(({ teamId }) => teamId);

test("changes are kept for a minute", () => {
  const kept = new KeptChanges();
  kept.keep({ changes: changes(1), dropped: 0 }, 0);
  kept.keep({ changes: changes(1, 1), dropped: 0 }, 60_000);
  expect(teamIds(kept)).toEqual([0, 1]);
  kept.keep({ changes: [], dropped: 0 }, 60_001);
  expect(teamIds(kept)).toEqual([1]);
});

test("while the primary is away, nothing ages", () => {
  const kept = new KeptChanges();
  kept.keep({ changes: changes(1), dropped: 2 }, 0);
  kept.keep({ changes: [], dropped: 0 }, 600_000, 1_000);
  expect(teamIds(kept)).toEqual([0]);
  expect(kept.unchecked("new").dropped).toBe(2);
  kept.keep({ changes: [], dropped: 0 }, 601_000, 600_500);
  expect(teamIds(kept)).toEqual([]);
});

test("beyond 50,000 the oldest are dropped, and counted for a minute with earlier drops", () => {
  const kept = new KeptChanges();
  kept.keep({ changes: changes(30_000), dropped: 0 }, 0);
  kept.keep({ changes: changes(20_000, 30_000), dropped: 7 }, 500);
  expect(kept.unchecked("new").dropped).toBe(7);
  kept.keep({ changes: changes(1, 50_000), dropped: 0 }, 1_000);
  const asked = kept.unchecked("new");
  expect([asked.changes.length, asked.changes[0]?.teamId, asked.dropped]).toEqual([20_000, 30_000, 30_007]);
  kept.keep({ changes: [], dropped: 0 }, 61_001);
  expect(kept.unchecked("new")).toMatchObject({ changes: [], dropped: 0 });
});

test("what a server has is not looked up there again, but on the next one; what was lost is reported once", () => {
  const kept = new KeptChanges();
  const [there, lost] = changes(2) as [Acknowledged, Acknowledged];
  kept.keep({ changes: [there, lost], dropped: 3 }, 0);
  const asked = kept.unchecked("new");
  // Arrives while the server is asked.
  kept.keep({ changes: changes(1, 2), dropped: 0 }, 500);
  kept.settle("new", asked, new Set([lost]));
  expect(kept.unchecked("new").dropped).toBe(0);
  expect(teamIds(kept)).toEqual([2]);
  expect(teamIds(kept, "next")).toEqual([0, 2]);
});

test("changes are looked up in portions, the oldest first", () => {
  const kept = new KeptChanges();
  for (let at = 0; at < 4; at++) kept.keep({ changes: changes(2_000, at * 2_000), dropped: 0 }, at);
  const first = kept.unchecked("new");
  expect(first.changes).toHaveLength(4_000);
  kept.settle("new", first, new Set());
  expect(teamIds(kept)).toHaveLength(4_000);
  expect(teamIds(kept)[0]).toBe(4_000);
});

test("dropped changes that a server was found to have count on the next one only, and later ones outlast a check", () => {
  const kept = new KeptChanges();
  kept.keep({ changes: changes(30_000), dropped: 0 }, 0);
  const asked = kept.unchecked("new");
  kept.settle("new", asked, new Set());
  kept.keep({ changes: changes(30_000, 30_000), dropped: 5 }, 1);
  expect([kept.unchecked("new").dropped, kept.unchecked("next").dropped]).toEqual([5, 30_005]);
  kept.settle("new", asked, new Set());
  expect(kept.unchecked("new").dropped).toBe(5);
});
