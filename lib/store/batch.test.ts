import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { batch } from "./batch";

/** Statements that end when they are told to. */
function statements(largest = 16) {
  const sent: {
    calls: readonly number[];
    end: (outcomes?: (number | Error)[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const ask = batch<number, number>(
    largest,
    (calls) =>
      new Promise((resolve, reject) => {
        sent.push({ calls, end: (outcomes = [...calls]) => resolve(outcomes), fail: reject });
      }),
  );
  return { sent, ask, calls: () => sent.map(({ calls }) => calls) };
}

/** Keeps the process from being idle. */
function beBusy(milliseconds: number) {
  for (const start = performance.now(); performance.now() - start < milliseconds; );
}

const turn = () => new Promise(setImmediate);

/** A process that was busy all through its first statement, and has a second one under way, of more calls than are few. */
async function withBusyStatement() {
  const all = statements(64);
  const first = Array.from({ length: 15 }, (_, n) => all.ask(n));
  await turn();
  beBusy(10);
  all.sent[0]?.end();
  const second = Array.from({ length: 15 }, (_, n) => all.ask(n));
  await Promise.all(first);
  await turn();
  return { ...all, second };
}

test("a lone call is sent before the turn is over, and those of one turn share a statement", async () => {
  const { ask, sent, calls } = statements();
  const answers = [ask(1), ask(2)];
  await turn();
  expect(calls()).toEqual([[1, 2]]);
  sent[0]?.end();
  expect(await Promise.all(answers)).toEqual([1, 2]);
});

test("two statements are under way at most, and nobody is left behind", async () => {
  const { ask, sent, calls } = statements();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < 12; n++) {
    answers.push(ask(n));
    await turn();
  }
  expect(calls()).toEqual([[0], [1]]);
  sent[1]?.end();
  await turn();
  expect(calls()).toEqual([[0], [1], [2, 3, 4, 5]]);
  for (let at = 0; at < 5; at++) {
    sent[at]?.end();
    await turn();
  }
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("once calls share statements those of one turn go together, at its end", async () => {
  const { ask, sent, calls } = statements();
  const answers = [ask(1), ask(2)];
  await turn();
  sent[0]?.end();
  await Promise.all(answers);
  for (const n of [3, 4, 5]) {
    answers.push(ask(n));
    await undefined;
  }
  expect(calls()).toHaveLength(1);
  await turn();
  expect(calls()).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  sent[1]?.end();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5]);
});

test("of the sizes that a statement may have it takes the least of which two hold all who call", async () => {
  const { ask, sent, calls } = statements();
  const callers = async (count: number) => {
    const answers = Array.from({ length: count }, (_, n) => ask(n));
    const before = sent.length;
    for (let at = before; at < before + count; at++) {
      await turn();
      sent[at]?.end();
    }
    await Promise.all(answers);
    return calls().slice(before);
  };
  const sizes = async (count: number) => (await callers(count)).map(({ length }) => length);
  await callers(8);
  expect(await sizes(8)).toEqual([4, 4]);
  await callers(16);
  expect(await sizes(16)).toEqual([8, 8]);
  await callers(40);
  expect(await sizes(40)).toEqual([16, 16, 8]);
});

test("of two statements whose rows come in one turn the first is answered first; it is not waited for any longer", async () => {
  const { ask, sent } = statements();
  const answered: number[] = [];
  const askAll = (numbers: number[]) => numbers.map(async (n) => answered.push(await ask(n)));
  const both = askAll([0, 1, 2, 3, 4, 5, 6, 7]);
  await vi.waitUntil(() => sent.length === 2);
  sent[1]?.end();
  process.nextTick(() => sent[0]?.end());
  await Promise.all(both);
  expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);

  const [slow, quick] = [askAll([10, 11, 12, 13]), askAll([20, 21, 22, 23])];
  await vi.waitUntil(() => sent.length === 4);
  sent[3]?.end();
  await Promise.all(quick);
  sent[2]?.end();
  await Promise.all(slow);
  expect(answered.slice(8)).toEqual([20, 21, 22, 23, 10, 11, 12, 13]);
});

test("a busy process gathers, but not for long beside a statement that takes its time", async () => {
  const { ask, sent, calls, second } = await withBusyStatement();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  expect(calls()).toHaveLength(2);
  const third = ask(100);
  await turn();
  await turn();
  expect(calls()).toHaveLength(2);
  vi.advanceTimersByTime(5);
  expect(calls()[2]).toEqual([100]);
  const fourth = ask(101);
  vi.advanceTimersByTime(50);
  expect(calls()).toHaveLength(3);
  sent[2]?.end();
  expect(await third).toBe(100);
  vi.advanceTimersByTime(5);
  expect(calls()[3]).toEqual([101]);
  sent[3]?.end();
  expect(await fourth).toBe(101);
  sent[1]?.end();
  expect(await Promise.all(second)).toHaveLength(15);
});

test("an Error is one caller's, a failure everybody's, and the next ones are served", async () => {
  const { ask, sent } = statements();
  const one = Promise.allSettled([ask(1), ask(2)]);
  await turn();
  sent[0]?.end([new Error("not you"), 2]);
  expect((await one).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  const all = Promise.allSettled([ask(3), ask(4)]);
  await turn();
  sent[1]?.fail(new Error("nobody"));
  expect((await all).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const next = ask(5);
  await turn();
  sent[2]?.end();
  expect(await next).toBe(5);
});

test("beyond 2,000 that wait the next are turned away", async () => {
  const { ask, calls } = statements();
  for (let n = 0; n <= 2_000; n++) void ask(n);
  expect(() => ask(2_001)).toThrow("cannot be reached");
  await turn();
  expect(calls().length).toBeLessThanOrEqual(2);
});

test("outcomes that come late are waited for by their callers alone, and keep no statement back", async () => {
  const ends: ((outcome: number) => void)[] = [];
  const sent: (readonly number[])[] = [];
  const ask = batch<number, number>(16, async (calls) => {
    sent.push(calls);
    if (sent.length > 2) return [...calls];
    return [calls[0] ?? 0, new Promise((resolve) => ends.push(resolve)), Promise.reject(new Error("not you"))];
  });
  const late: Promise<number>[] = [];
  for (const n of [1, 4]) {
    const [first, second, failed] = [ask(n), ask(n + 1), ask(n + 2)];
    late.push(second);
    expect(await first).toBe(n);
    await expect(failed).rejects.toThrow("not you");
  }
  expect(await ask(7)).toBe(7);
  for (const [at, end] of ends.entries()) end(at);
  expect(await Promise.all(late)).toEqual([0, 1]);
  expect(sent).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

test("a statement that fails before it is under way holds no place", async () => {
  let sent = 0;
  const ask = batch<number, number>(4, (calls) => {
    sent++;
    if (sent <= 2) throw new Error("nobody");
    return Promise.resolve([...calls]);
  });
  await expect(ask(1)).rejects.toThrow("nobody");
  await expect(ask(2)).rejects.toThrow("nobody");
  expect(await ask(3)).toBe(3);
});

test.skipIf(availableParallelism() === 1)(
  "the process stays awake for a lone call, for a moment, unless the last one was slow",
  async () => {
    const { ask, sent } = statements();
    const immediates = vi.spyOn(globalThis, "setImmediate");
    onTestFinished(() => immediates.mockRestore());
    const turns = () => immediates.mock.calls.length;
    const slow = ask(1);
    await sleep(20);
    const turnsOfSlow = turns();
    expect(turnsOfSlow).toBeGreaterThan(0);
    await sleep(20);
    expect(turns()).toBe(turnsOfSlow);
    sent[0]?.end();
    await slow;

    const next = ask(2);
    await sleep(20);
    expect(turns()).toBe(turnsOfSlow);
    sent[1]?.end();
    await next;

    // Even a quick one takes long now and then on a machine that is busy.
    for (let n = 2; n < 1_000 && turns() === turnsOfSlow; n++) {
      const quick = ask(n);
      await new Promise(process.nextTick);
      sent[n]?.end();
      await quick;
    }
    expect(turns()).toBeGreaterThan(turnsOfSlow);
  },
);
