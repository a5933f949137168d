import pg from "pg";
import { expect, test, vi } from "vitest";
import { SERVICE } from "@/lib/authority/authority";
import { type Authored, shareWrites } from "@/lib/store/shared-writes";

interface Change {
  id: string;
  size?: number;
}

/** Shares changes; a statement answers for those whose ids are not in `skipped`. */
function sharing({ skipped = [], failure }: { skipped?: string[]; failure?: Error } = {}) {
  const statements: string[][] = [];
  const lone: string[] = [];
  const write = shareWrites<Change, string>({
    keyOf: ({ id }) => id,
    size: ({ size = 1 }) => size,
    async alone({ change }) {
      lone.push(change.id);
      return `${change.id} alone`;
    },
    async together(changes) {
      statements.push(changes.map(({ change }) => change.id));
      if (failure) throw failure;
      const made = changes.filter(({ change }) => !skipped.includes(change.id));
      return new Map(made.map((one): [Authored<Change>, string] => [one, `${one.change.id} shared`]));
    },
  });
  const send = (...changes: Change[]) => Promise.all(changes.map((change) => write({ change, author: SERVICE })));
  return { send, statements, lone };
}

function refusalOf(code: string) {
  const error = new pg.DatabaseError("refused", 0, "error");
  return Object.assign(error, { severity: "ERROR", code });
}

test("small changes of different keys share a statement, large ones and second ones are made alone", async () => {
  const { send, statements, lone } = sharing();
  const large = { id: "large", size: 16_384 };
  const almost = { id: "almost", size: 16_383 };
  // Two statements take half of them each.
  const outcomes = await send({ id: "a" }, { id: "a" }, large, { id: "b" }, { id: "b" }, almost);
  expect(outcomes.toSorted()).toEqual(["a alone", "a shared", "almost shared", "b alone", "b shared", "large alone"]);
  expect(statements.flat().toSorted()).toEqual(["a", "almost", "b"]);
  expect(lone.toSorted()).toEqual(["a", "b", "large"]);
});

test("large changes alone need no statement", async () => {
  const { send, statements } = sharing();
  expect(await send({ id: "a", size: 20_000 })).toEqual(["a alone"]);
  expect(statements).toEqual([]);
});

test("changes that a statement skips, and those of a refused statement, are made one by one", async () => {
  expect(await sharing({ skipped: ["b"] }).send({ id: "a" }, { id: "b" })).toEqual(["a shared", "b alone"]);
  const refused = sharing({ failure: refusalOf("23505") });
  expect(await refused.send({ id: "a" }, { id: "b" })).toEqual(["a alone", "b alone"]);
});

test.each([
  ["broke, so that it may have been made", new Error("connection lost")],
  ["a read-only server refused", refusalOf("25006")],
])("a statement that %s is not repeated", async (_, failure) => {
  const { send, lone } = sharing({ failure });
  await expect(send({ id: "a" })).rejects.toBe(failure);
  expect(lone).toEqual([]);
});

test("a change that waited too long for earlier ones is refused", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const held: (() => void)[] = [];
  const write = shareWrites<Change, string>({
    keyOf: ({ id }) => id,
    size: ({ size = 1 }) => size,
    alone: ({ change }) => new Promise((resolve) => held.push(() => resolve(change.id))),
    together: async () => new Map(),
  });
  const outcomes = Array.from({ length: 2 }, () => write({ change: { id: "a" }, author: SERVICE }));
  const second = expect(outcomes[1]).rejects.toMatchObject({ code: "unavailable" });
  await vi.waitFor(() => expect(held).toHaveLength(1));
  vi.advanceTimersByTime(1_501);
  held[0]?.();
  expect(await outcomes[0]).toBe("a");
  await second;
  vi.useRealTimers();
});
