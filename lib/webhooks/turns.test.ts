import { expect, test } from "vitest";
import { Turns } from "@/lib/webhooks/turns";

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
  const turns = new Turns<string>(64);
  for (const party of ["a", "b", "c", "d"]) for (let n = 0; n < 80; n++) void turns.take(party, forever);
  const { begun, work } = working();
  void turns.take("e", work("e"));
  expect(begun).toEqual(["e"]);
});

test("a freed place goes to the waiting party with the fewest, in call order", async () => {
  const turns = new Turns<string>(2);
  const { begun, ends, work } = working();
  const done = [
    turns.take("a", work("a1")),
    turns.take("a", work("a2")),
    turns.take("b", work("b1")),
    turns.take("b", work("b2")),
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
  const turns = new Turns<string>(1);
  await expect(turns.take("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await turns.take("b", async () => "done")).toBe("done");
});
