import { expect, test } from "vitest";
import { sharingStatements } from "./share-statements";

/** Statements that end on request. */
function statements(largest = 16) {
  const sent: {
    calls: readonly number[];
    end: (outcomes?: (number | Error | Promise<number>)[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const ask = sharingStatements<number, number>(
    largest,
    (calls) =>
      new Promise((resolve, reject) => {
        sent.push({ calls, end: (outcomes = [...calls]) => resolve(outcomes), fail: reject });
      }),
  );
  return { sent, ask, calls: () => sent.map(({ calls }) => calls) };
}

const turn = () => new Promise(setImmediate);
const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, n) => first + n);

test("a single call is sent at the end of its turn", async () => {
  const { ask, sent, calls } = statements();
  const answer = ask(1);
  await turn();
  expect(calls()).toEqual([[1]]);
  sent[0]?.end();
  expect(await answer).toBe(1);
});

test("calls of one turn share two statements", async () => {
  const { ask, sent, calls } = statements();
  const answers = numbers(5).map(ask);
  await turn();
  expect(calls()).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
  for (const { end } of sent) end();
  expect(await Promise.all(answers)).toEqual(numbers(5));
});

test("at most two statements run, and no call is left behind", async () => {
  const { ask, sent, calls } = statements();
  const answers: Promise<number>[] = [];
  for (const n of numbers(12)) {
    answers.push(ask(n));
    await turn();
  }
  expect(calls()).toEqual([[0], [1]]);
  sent[1]?.end();
  await turn();
  await turn();
  expect(calls()).toEqual([[0], [1], [2, 3, 4, 5, 6, 7]]);
  for (let at = 0; at < 4; at++) {
    sent[at]?.end();
    await turn();
    await turn();
  }
  expect(await Promise.all(answers)).toEqual(numbers(12));
});

test("no statement exceeds the largest batch", async () => {
  const { ask, sent, calls } = statements(4);
  const answers = numbers(20).map(ask);
  for (let at = 0; at < 5; at++) {
    await turn();
    sent[at]?.end();
    await turn();
  }
  await Promise.all(answers);
  expect(calls().map(({ length }) => length)).toEqual([4, 4, 4, 4, 4]);
});

test("an error reaches only its caller, and a failure every caller of its statement", async () => {
  const { ask, sent } = statements();
  const [first, second, third, fourth] = numbers(4).map((n) => ask(n).catch((error: Error) => error.message));
  await turn();
  sent[0]?.end([new Error("mine"), 1]);
  sent[1]?.fail(new Error("ours"));
  expect(await Promise.all([first, second, third, fourth])).toEqual(["mine", 1, "ours", "ours"]);
});

test("a slow outcome delays only its own caller", async () => {
  const { ask, sent, calls } = statements();
  let tell = (_: number) => undefined as unknown;
  const late = new Promise<number>((resolve) => {
    tell = resolve;
  });
  const [slow, quick] = [ask(0), ask(1)];
  await turn();
  sent[0]?.end([late]);
  sent[1]?.end();
  expect(await quick).toBe(1);
  const next = ask(2);
  await turn();
  expect(calls()).toEqual([[0], [1], [2]]);
  sent[2]?.end();
  expect(await next).toBe(2);
  tell(7);
  expect(await slow).toBe(7);
});

test("with 2,000 calls waiting, another is refused immediately", async () => {
  const { ask, sent } = statements(1);
  const answers = numbers(2_000).map(ask);
  expect(() => ask(2_000)).toThrow("The database is unavailable");
  for (let at = 0; at < 2_000; at++) {
    if (!sent[at]) await turn();
    sent[at]?.end();
    if (at % 2 === 1) await turn();
  }
  expect(await Promise.all(answers)).toHaveLength(2_000);
});
