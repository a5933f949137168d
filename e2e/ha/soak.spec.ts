import { setTimeout as sleep } from "node:timers/promises";
import { test as base, expect } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import { createVerifier } from "@/clients/typescript/src/verify";
import { missingForHa, versionsForHa } from "../fixtures/ha-cluster";
import { settled, upload } from "../fixtures/jobs";
import { beginLoad } from "../fixtures/load";
import { isLong } from "../fixtures/long";
import { missingProxies } from "../fixtures/proxies";
import { answering, receiverOf } from "../fixtures/receiver";
import { openSoakPlace, type SoakPlace } from "../fixtures/soak-place";
import { findRises, printSamples, type Sample, takeSample } from "../fixtures/soak-samples";
import { countOrphans, findMislaid, readStored } from "../fixtures/stored";
import { judge } from "../fixtures/verdict";
import { type Witness, witnessOf } from "../fixtures/witness";

// Everything that an operator and a program do within days, in 45 minutes; SOAK_MINUTES=3 scales it down.

const STEPS = 45;
const STEP_MS = (Number(process.env.SOAK_MINUTES ?? STEPS) * 60_000) / STEPS;
/** Of each lane of the load: the webhook has to keep up. */
const PAUSE_MS = 150;
const CONNECTIONS = 16;
const VIEWS_PAUSE_MS = 250;
const BULK = Array.from({ length: 500 }, (_, n) => `bulk-${n}`);
const EVENTS_MS = 180_000;
/** Requests that nginx may answer with 502 while an instance stops: it repeats no PATCH and few POSTs. */
const LOST_PER_RESTART = 4;
/** Connections of an instance, of which two are for the webhook. */
const MAX_CONNECTIONS = 15;

const test = base.extend<{ place: SoakPlace }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
  place: async ({}, use) => {
    const place = await openSoakPlace();
    await use(place);
    await place.close();
  },
});

const missing = [...(await missingForHa()), ...(await missingProxies()).filter((name) => name === "nginx")];
test.skip(!isLong, "takes 45 minutes: LONG_TESTS=1");
test.skip(missing.length > 0, `${missing.join(", ")} not installed`);
test.setTimeout(STEPS * STEP_MS + 1_200_000);

/** The groups of a step. */
const prefixOf = (step: number) => `soak-${step}-`;

/** Receives all events about groups, and verifies each. */
async function receiveEvents({ certificate, send }: SoakPlace) {
  const events = new Set<string>();
  const counts = { messages: 0, forged: 0 };
  const receiver = await receiverOf(certificate, answering(200));
  const body = { url: receiver.url, types: ["user_group.*"] };
  const { json, status, text } = await send("POST", "/api/webhooks", body);
  expect(status, text).toBe(200);
  receiver.answer = (response, { headers, body, event }, request) => {
    counts.messages++;
    events.add(event.id);
    try {
      new Webhook(json.secret).verify(body, headers as Record<string, string>);
    } catch {
      counts.forged++;
    }
    // Hundreds of thousands would fill the memory.
    receiver.received.length = 0;
    answering(200)(response, { headers, body, event }, request);
  };
  return { events, counts, close: receiver.close };
}

/** Keeps the load up: each step has its own groups, as the checker's time grows with a group's history. */
async function load(place: SoakPlace, events: ReadonlySet<string>, samples: Sample[]): Promise<Witness[]> {
  const witnesses: Witness[] = [];
  let last: Awaited<ReturnType<typeof beginLoad>> | undefined;
  const begin = performance.now();
  for (let step = 0; step < STEPS; step++) {
    const witness = witnessOf([place.url], place.token, CONNECTIONS);
    witnesses.push(witness);
    const next = await beginLoad(witness, prefixOf(step).slice(0, -1), PAUSE_MS);
    await last?.stop();
    last = next;
    await sleep(Math.max(0, begin + (step + 1) * STEP_MS - performance.now()));
    const [stored] = await place.sql<{ count: number }>(`SELECT count(*)::int FROM (${EVENTS}) AS event`);
    samples.push(await takeSample(place, witness, Math.max(0, (stored?.count ?? 0) - events.size)));
  }
  await last?.stop();
  return witnesses;
}

/** The events that the webhook sends. */
const EVENTS = `SELECT id::text FROM audit_entry WHERE starts_with(action, 'user_group.')
  AND id > (SELECT min(id) FROM audit_entry WHERE action = 'webhook.created')`;

/** What an operator does, and at which step. */
async function operate(place: SoakPlace) {
  const backups: Awaited<ReturnType<SoakPlace["backUp"]>>[] = [];
  const backUp = async () => backups.push(await place.backUp());
  const switchOver = async () => {
    await place.cluster.switchover();
    await place.cluster.settle();
  };
  const schedule: [step: number, act: () => Promise<unknown>][] = [
    [5, backUp],
    [8, () => place.restart(0)],
    [10, place.rotateViewerKey],
    [12, place.changeSecretKey],
    [15, backUp],
    [16, () => place.restart(1)],
    [20, place.rotateViewerKey],
    [22, switchOver],
    [24, () => place.restart(0)],
    [25, backUp],
    [32, () => place.restart(1)],
    [35, backUp],
    [43, backUp],
  ];
  const begin = performance.now();
  for (const [step, act] of schedule) {
    await sleep(Math.max(0, begin + step * STEP_MS - performance.now()));
    await act();
  }
  return backups;
}

/** Changes 500 groups by a job, and undoes that. */
async function changeInBulk({ send, sql }: SoakPlace, isOver: () => boolean): Promise<number> {
  const stored = () =>
    sql("SELECT properties, count(*)::int FROM user_group WHERE starts_with(provided_id, 'bulk-') GROUP BY 1");
  const apply = async (id: number) => {
    // A repeated request is answered 409.
    expect.soft([200, 409]).toContain((await send("POST", `/api/jobs/${id}/apply`, {})).status);
    return settled({ send }, id);
  };
  const count = BULK.length;
  const lines = BULK.map((id) => JSON.stringify({ user_group_id: id, properties: { round: 0 } }));
  const { id } = await upload({ send }, "bulk.jsonl", lines.join("\n"));
  await settled({ send }, id);
  expect(await apply(id)).toMatchObject({ state: "done", done: { created: count } });
  let round = 0;
  for (; !isOver(); await sleep(2 * STEP_MS)) {
    const change = { kind: "change", mode: "merge", user_group_ids: BULK, properties: { round: ++round } };
    const { job } = (await send("POST", "/api/jobs", change)).json;
    await settled({ send }, job.id);
    expect.soft(await apply(job.id)).toMatchObject({ state: "done", done: { changed: count, skipped: 0 } });
    expect.soft(await stored()).toEqual([{ properties: `{"round":${round}}`, count }]);
    const undo = (await send("POST", `/api/jobs/${job.id}/undo`, {})).json.job;
    await settled({ send }, undo.id);
    expect.soft(await apply(undo.id)).toMatchObject({ state: "done", done: { changed: count, skipped: 0 } });
    expect.soft(await stored()).toEqual([{ properties: '{"round":0}', count }]);
  }
  return 1 + 2 * round;
}

/** Mints viewer tokens, verifies them offline and asks about them, and ends one viewer in twenty. */
async function view({ send, url }: SoakPlace, isOver: () => boolean): Promise<number> {
  const { verify } = createVerifier({ issuer: `${url}/e/testing` });
  const group = { user_group_id: "viewed" };
  await send("GET", "/api/user", group);
  let viewers = 0;
  for (; !isOver(); await sleep(VIEWS_PAUSE_MS)) {
    const viewer = `viewer-${viewers++}`;
    const { viewer_token: token } = (await send("POST", "/api/viewer-tokens", { ...group, viewer })).json;
    expect.soft(await verify(token).catch(String)).toMatchObject({ viewer });
    expect.soft((await send("POST", "/api/viewer", { token })).json).toMatchObject({ active: true });
    if (viewers % 20 > 0) continue;
    await send("POST", "/api/viewers/end", { ...group, viewer_id: viewer });
    expect
      .soft((await send("POST", "/api/viewer", { token })).json)
      .toMatchObject({ active: false, reason: "revoked" });
  }
  return viewers;
}

/** Checks the history of all steps; returns the sums. */
async function judgeAll({ databaseUrl }: SoakPlace, witnesses: Witness[]) {
  const stored = await readStored(databaseUrl, "soak-", true);
  const sums = { calls: 0, acknowledged: 0, unknown: 0, lost: 0, wrong: 0, broken: 0, outage: 0 };
  for (const [step, witness] of witnesses.entries()) {
    const rows = stored.filter(({ id }) => id.startsWith(prefixOf(step)));
    sums.outage = Math.max(sums.outage, ...witness.outages("reads"), ...witness.outages("changes"));
    await witness.readAll(rows);
    await witness.close();
    const { problems, ...counts } = judge(witness.operations, rows);
    expect.soft(problems.slice(0, 10)).toEqual([]);
    const unsound = witness.failures.filter(({ sound }) => !sound);
    expect.soft(unsound.filter(({ status }) => status !== 502).slice(0, 10)).toEqual([]);
    sums.calls += witness.attempts();
    sums.broken += unsound.length;
    for (const name of ["acknowledged", "unknown", "lost", "wrong"] as const) sums[name] += counts[name];
  }
  return { stored, sums };
}

test("everything at the same time, for long: nothing is lost, and nothing grows that should not", async ({ place }) => {
  const samples: Sample[] = [];
  const { events, counts, close } = await receiveEvents(place);
  const end = performance.now() + STEPS * STEP_MS;
  const isOver = () => performance.now() > end;
  const loading = load(place, events, samples);
  const whole = Promise.all([loading, operate(place), changeInBulk(place, isOver), view(place, isOver)]);
  const [witnesses, backups, jobs, viewers] = await whole.finally(() => printSamples(samples));

  const wanted = (await place.sql<{ id: string }>(EVENTS)).map(({ id }) => id);
  await expect.poll(() => wanted.filter((id) => !events.has(id)).length, { timeout: EVENTS_MS }).toBe(0);
  expect.soft(events.size).toBe(wanted.length);
  expect.soft(counts.forged).toBe(0);
  const unfinished = "SELECT id, state, problem FROM job WHERE state NOT IN ('done', 'checked')";
  expect.soft(await place.sql(unfinished)).toEqual([]);

  const { stored, sums } = await judgeAll(place, witnesses);
  const versions = await versionsForHa();
  process.stdout.write(`${JSON.stringify({ ...sums, events: events.size, ...counts, jobs, viewers })}\n${versions}\n`);
  expect.soft(await countOrphans(place.databaseUrl)).toBe(0);
  expect.soft(await findMislaid(place.databaseUrl)).toEqual([]);
  expect.soft(sums.broken).toBeLessThanOrEqual(10 * LOST_PER_RESTART);
  expect.soft(findRises(samples)).toEqual([]);
  const connections = samples.map(({ values }) => values["database connections"]);
  expect.soft(Math.max(...connections)).toBeLessThanOrEqual(2 * MAX_CONNECTIONS);

  for (const [at, backup] of backups.entries()) {
    const restored = new Map(
      (await readStored(await place.restore(backup, `restored_${at}`), "soak-", true)).map((row) => [row.id, row]),
    );
    // Groups of finished steps have not changed since.
    const finished = Math.floor((backup.at - (end - STEPS * STEP_MS)) / STEP_MS) - 1;
    const settled = stored.filter(({ id }) => Number(id.split("-")[1]) < finished);
    expect.soft(settled.filter((row) => JSON.stringify(row) !== JSON.stringify(restored.get(row.id)))).toEqual([]);
  }
  await close();
});
