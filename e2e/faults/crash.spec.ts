import { setTimeout as sleep } from "node:timers/promises";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { expect, isPostgres, postgresPid, printedToken, test } from "../fixtures/own-service";
import { beginGet } from "../fixtures/slow-request";

test.skip(process.platform !== "linux", "needs Linux: reads /proc");

/** Creates groups continuously, and remembers the token of each acknowledged one. */
function keepCreating(client: Client, round: string) {
  const acknowledged = new Map<string, string>();
  const work = keepDoing(8, async (lane, count) => {
    const { status, json } = await client.get(`${round}-${lane}-${count}`);
    expect(status).toBe(200);
    acknowledged.set(json.user_group.provided_id, json.user_group.token);
  });
  return { acknowledged, ...work };
}

async function expectAllThere(client: Client, acknowledged: Map<string, string>) {
  expect(acknowledged.size).toBeGreaterThan(0);
  for (const [id, token] of acknowledged) {
    const { json } = await client.get(id);
    expect(json).toMatchObject({ new_user_group: false, user_group: { token } });
  }
}

test("kill -9 of the service and its embedded database loses nothing acknowledged", async ({ start, dataDir }) => {
  const settings = { DATA_DIR: dataDir };
  const first = await start(settings);
  await expect.poll(() => first.said()).toContain("uga_test_");
  const token = printedToken(first.said());
  const pid = (await postgresPid(dataDir)) ?? 0;
  const load = keepCreating(clientOf(first.url, token), "both");
  await sleep(1_000);
  process.kill(pid, "SIGKILL");
  first.kill("SIGKILL");
  await load.ended;

  const second = await start(settings);
  await expectAllThere(clientOf(second.url, token), load.acknowledged);
  expect(await second.stop()).toBe(0);
});

test("SIGTERM under load finishes open requests without an error and exits with 0 within 10 s", {
  tag: "@release",
}, async ({ start, dataDir }) => {
  const service = await start({ DATA_DIR: dataDir });
  await expect.poll(() => service.said()).toContain("uga_test_");
  const token = printedToken(service.said());
  const pid = (await postgresPid(dataDir)) ?? 0;
  const load = keepCreating(clientOf(service.url, token), "load");
  const slow = await Promise.all(Array.from({ length: 8 }, (_, n) => beginGet(service.url, token, `slow-${n}`)));
  const begin = performance.now();
  service.kill("SIGTERM");
  await sleep(1_500);
  const answers = await Promise.all(slow.map((request) => request.finish()));
  expect(answers.map(({ status }) => status)).toEqual(slow.map(() => 200));
  expect(await service.exited).toBe(0);
  expect(performance.now() - begin).toBeLessThan(10_000);
  // Only 200s: later connections were refused.
  expect(await load.ended).toMatchObject({ code: expect.stringMatching(/^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/) });
  expect(await isPostgres(pid)).toBe(false);

  const next = await start({ DATA_DIR: dataDir });
  await expectAllThere(clientOf(next.url, token), load.acknowledged);
});

test("a request that never ends delays a stop by at most 10 s", { tag: "@release" }, async ({ start, dataDir }) => {
  const service = await start({ DATA_DIR: dataDir });
  await expect.poll(() => service.said()).toContain("uga_test_");
  await beginGet(service.url, printedToken(service.said()), "endless");
  const begin = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - begin).toBeLessThan(10_000);
});
