import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Access } from "@/lib/endpoint/access";
import { type Answer, bodyTooLarge, type Call } from "@/lib/endpoint/call";
import { described, endpoint } from "@/lib/endpoint/endpoint";
import { AppError, notFound, unavailable } from "@/lib/errors";
import type { GroupKey } from "@/lib/store/group-row";

type LookUp = [groups: GroupKey[], mayRecall?: boolean];

const DONE: Answer = { status: 200, headers: {}, body: "done" };
const input = z.strictObject({ id: z.string() });
const group = ({ id }: z.infer<typeof input>): GroupKey[] => [{ providedId: id }];
const FOUND: LookUp = [[{ providedId: "a" }]];

let lookUps: LookUp[];
beforeEach(() => {
  lookUps = [];
});
afterEach(() => void vi.useRealTimers());

/** Notes how the caller is looked up, and who it was: the number of look-ups so far. */
const access: Access<{ who: number }> = {
  callers: { kind: "anyone" },
  admit: () => async (groups, mayRecall) => {
    lookUps.push(mayRecall === undefined ? [groups] : [groups, mayRecall]);
    return { who: lookUps.length };
  },
};

function callOf(readBody: () => Promise<Uint8Array>): Call {
  const headers = { "content-type": "application/json" };
  const address = () => "127.0.0.1";
  return { requestId: "1", method: "PUT", path: "/test", query: undefined, parameters: {}, headers, readBody, address };
}

const sending = (body: object, spaces = 0) =>
  callOf(async () => Buffer.from(JSON.stringify(body) + " ".repeat(spaces)));

test("the caller and its group are found in one look-up", async () => {
  const handle = vi.fn(({ who }: { who: number }) => ({ ...DONE, body: String(who) }));
  const { answer } = endpoint({ access, input, group, handle });
  expect(await answer(sending({ id: "a" }))).toMatchObject({ status: 200, body: "1" });
  expect(lookUps).toEqual([FOUND]);
  expect(handle.mock.calls[0]?.[0]).toMatchObject({ input: { id: "a" } });
});

test("a body of more than 16 KiB is parsed only for known callers", async () => {
  const { answer } = endpoint({ access, input, group, handle: () => DONE });
  await answer(sending({ id: "a" }, 16_384 - JSON.stringify({ id: "a" }).length));
  expect(lookUps).toEqual([FOUND]);
  lookUps = [];
  await answer(sending({ id: "a" }, 16_384));
  expect(lookUps).toEqual([[[], undefined], FOUND].map(([groups]) => [groups]));
});

test.each([
  ["that is malformed", async () => Buffer.from("{")],
  ["that is too large", () => Promise.reject(bodyTooLarge())],
])("a body %s is reported to callers with permission only", async (_, readBody) => {
  const statuses = [];
  for (const refusal of [undefined, new AppError("forbidden", "no")]) {
    const permit = () => {
      if (refusal) throw refusal;
    };
    const { answer } = endpoint({ access: { ...access, permit }, input, group, handle: () => DONE });
    statuses.push((await answer(callOf(readBody))).status);
  }
  expect(statuses).toEqual([expect.toSatisfy((status) => status === 400 || status === 413), 403]);
  expect(lookUps).toEqual([[[]], [[]]]);
});

/** Answers of an endpoint that recalls its caller, if it knows them: the first call throws this. */
function recalling(failure?: Error, isKnown = true) {
  const handle = vi.fn(({ who }: { who: number }) => {
    if (failure && who === 1) throw failure;
    return { ...DONE, body: String(who) };
  });
  const recalls = { ...access, isRemembered: ({ who }: { who: number }) => isKnown && who === 1 };
  return { ...endpoint({ access: recalls, input, mayRecall: true, handle }), handle };
}

test("a remembered caller is looked up only before a refusal", async () => {
  expect(await recalling().answer(sending({ id: "a" }))).toMatchObject({ body: "1" });
  expect(lookUps).toEqual([[[], true]]);

  lookUps = [];
  expect(await recalling(notFound()).answer(sending({ id: "a" }))).toMatchObject({ status: 200, body: "2" });
  expect(lookUps).toEqual([[[], true], [[]]]);

  lookUps = [];
  expect(await recalling().answer(sending({ other: "a" }))).toMatchObject({ status: 422 });
  expect(lookUps).toEqual([[[], true], [[]]]);
});

test("a caller that was looked up is not looked up again", async () => {
  const { answer, handle } = recalling(notFound(), false);
  expect(await answer(sending({ id: "a" }))).toMatchObject({ status: 404 });
  expect(await answer(sending({ other: "a" }))).toMatchObject({ status: 422 });
  expect([handle.mock.calls.length, lookUps.length]).toEqual([1, 2]);
});

test("a failure is not repeated after a look-up", async () => {
  const { answer, handle } = recalling(unavailable("away"));
  expect(await answer(sending({ id: "a" }))).toMatchObject({ status: 503 });
  expect([handle.mock.calls.length, lookUps.length]).toEqual([1, 1]);
});

test("a call is refused after 1.8 s, unless it has no deadline", async () => {
  vi.useFakeTimers();
  const handle = () => new Promise<Answer>((resolve) => setTimeout(() => resolve(DONE), 2_000));
  const statuses = Promise.all(
    [true, false].map(async (hasDeadline) => {
      const { answer } = endpoint({ access, input, hasDeadline, handle });
      return (await answer(sending({ id: "a" }))).status;
    }),
  );
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await statuses).toEqual([503, 200]);
  expect(vi.getTimerCount()).toBe(0);
});

test("work that finishes exactly at its deadline is answered", async () => {
  vi.useFakeTimers();
  const handle = () => new Promise<Answer>((resolve) => setTimeout(() => resolve(DONE), 1_800));
  const { answer } = endpoint({ access, input, handle });
  const answered = answer(sending({ id: "a" }));
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await answered).status).toBe(200);
});

test("an endpoint described for another path answers alike", async () => {
  const original = endpoint({ access, input, summary: "One", handle: () => DONE });
  const other = described(original, { summary: "Other" });
  expect(await other.answer(sending({ id: "a" }))).toEqual(await original.answer(sending({ id: "a" })));
  expect([original.declared.summary, other.declared.summary]).toEqual(["One", "Other"]);
  expect(other.declared.input).toBe(input);
  const request = new Request("http://localhost/test", {
    method: "PUT",
    body: '{"id":"a"}',
    headers: sending({}).headers as HeadersInit,
  });
  expect((await other(request, { params: Promise.resolve(undefined) })).status).toBe(200);
});
