import { expect, test } from "vitest";
import { Semaphore } from "@/lib/config/semaphore";

const forever = () => new Promise<never>(() => undefined);

/** Work that ends on request, and the names of what has started. */
function working() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((end) => ends.push(end));
  };
  return { begun, ends, work };
}

test("endless work of a few parties leaves places for others", () => {
  const limit = new Semaphore<string>(64, { isFair: true });
  for (const party of ["a", "b", "c", "d"]) for (let n = 0; n < 80; n++) void limit.run(party, forever);
  const { begun, work } = working();
  void limit.run("e", work("e"));
  expect(begun).toEqual(["e"]);
});

test("a freed place goes to the waiting party with the fewest, in call order", async () => {
  const limit = new Semaphore<string>(2, { isFair: true });
  const { begun, ends, work } = working();
  const done = [
    limit.run("a", work("a1")),
    limit.run("a", work("a2")),
    limit.run("b", work("b1")),
    limit.run("b", work("b2")),
  ];
  expect(begun).toEqual(["a1", "b1"]);
  for (let n = 0; n < 4; n++) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  expect(begun).toEqual(["a1", "b1", "a2", "b2"]);
  await Promise.all(done);
});

test("failed work releases its place", async () => {
  const limit = new Semaphore<string>(1);
  await expect(limit.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await limit.run("b", async () => "done")).toBe("done");
});
