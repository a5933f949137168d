import { setTimeout as sleep } from "node:timers/promises";
import { attachEmbedded } from "../../lib/db/embedded";
import { checkHistory, isChange } from "../fixtures/history";
import { beginLoad } from "../fixtures/load";
import { isLong } from "../fixtures/long";
import { expect, test } from "../fixtures/own-service";
import { createApiToken } from "../fixtures/run";
import { freePort } from "../fixtures/service-process";
import { readStored } from "../fixtures/stored";
import { witnessOf } from "../fixtures/witness";

test.describe.configure({ retries: 0 });
test.setTimeout(600_000);

const TIMES = isLong ? 20 : 3;

test("R3: two workers on the embedded database are restarted under load: no 5xx but 503, and nothing is lost", async ({
  start,
  dataDir,
}) => {
  const settings = { DATA_DIR: dataDir, WORKERS: "2", PORT: String(await freePort()), LOG_LEVEL: "error" };
  let service = await start(settings);
  const witness = witnessOf([service.url], await createApiToken(settings, "--preset", "full"), 8);
  const load = await beginLoad(witness, "restarts");
  for (let time = 0; time < TIMES; time++) {
    await sleep(300);
    expect(await service.stop()).toBe(0);
    service = await start(settings);
  }
  expect(await load.calm(performance.now(), 1_000)).toBeLessThan(5_000);
  await load.stop();

  const postgres = await attachEmbedded(dataDir);
  const stored = await readStored(postgres.url, "restarts-");
  await witness.readAll(stored);
  await witness.close();
  await postgres.release();
  expect(checkHistory(witness.operations, stored).slice(0, 10)).toEqual([]);
  expect(witness.operations.filter(isChange).length).toBeGreaterThan(20);
  // While it is stopped nobody answers at all.
  expect(witness.failures.filter(({ status, sound }) => status !== undefined && !sound).slice(0, 10)).toEqual([]);
});
