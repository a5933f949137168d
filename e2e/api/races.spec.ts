import { randomUUID } from "node:crypto";
import { expect, test } from "../fixtures/api";
import { checkHistory, isChange } from "../fixtures/history";
import { isLong, printTable } from "../fixtures/long";
import { findMislaid, readStored } from "../fixtures/stored";
import { type Witness, witnessOf } from "../fixtures/witness";

const IDS = isLong ? 10_000 : 300;
const CALLERS = 32;
/** Ids raced for concurrently, so that their creations share statements. */
const ABREAST = 4;
const ROUNDS = isLong ? 1_000 : 20;
const ROTATIONS = 64;

const rows: (string | number)[][] = [];

test.describe.configure({ mode: "default", retries: 0, timeout: isLong ? 900_000 : 90_000 });
test.afterAll(() => {
  if (isLong) printTable(["Race", "Requests", "Seconds", "Rows", "Won", "Failed", "Problems"], rows);
});

/** Alternates between both services; each race's callers run concurrently. */
const witness = (urls: string[], token: string) => witnessOf(urls, token, (CALLERS * ABREAST) / 2);

async function finish(race: string, { witness, run, url, start }: Race) {
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const { operations, failures } = witness;
  const asked = operations.length;
  const stored = await readStored(url, run);
  await witness.readAll(stored);
  await witness.close();
  const problems = checkHistory(operations, stored);
  const won = operations.filter(
    ({ kind, outcome }) => typeof outcome === "object" && (kind === "rotate" || outcome.created),
  );
  rows.push([race, asked, seconds, stored.length, won.length, failures.length, problems.length]);
  expect(problems.slice(0, 10)).toEqual([]);
  expect(failures.slice(0, 10)).toEqual([]);
  expect(await findMislaid(url)).toEqual([]);
  return { stored, won };
}

interface Race {
  witness: Witness;
  run: string;
  url: string;
  start: number;
}

test(`${IDS} new ids, each requested by ${CALLERS} concurrent callers over two services, are created once each`, async ({
  stage,
}) => {
  const race = { witness: witness(stage.urls, stage.tokens.testing), run: randomUUID(), url: stage.databaseUrl };
  const start = performance.now();
  for (let first = 0; first < IDS; first += ABREAST) {
    const asks = Array.from({ length: CALLERS * ABREAST }, (_, caller) => {
      const id = `${race.run}-${first + (caller % ABREAST)}`;
      return race.witness.ask({ kind: "create", id, asked: `caller ${caller}`, service: (caller >> 2) % 2 });
    });
    await Promise.all(asks);
  }
  const { stored, won } = await finish(`${IDS} ids × ${CALLERS} callers`, { ...race, start });
  expect(stored).toHaveLength(IDS);
  expect(won).toHaveLength(IDS);
});

test(`of ${ROTATIONS} concurrent rotations of a current token one wins, ${ROUNDS} times in a chain`, async ({
  stage,
}) => {
  const race = { witness: witness(stage.urls, stage.tokens.testing), run: randomUUID(), url: stage.databaseUrl };
  const id = `${race.run}-rotated`;
  const start = performance.now();
  let { outcome } = await race.witness.ask({ kind: "create", id, asked: "rotated" });
  for (let round = 0; round < ROUNDS; round++) {
    const asked = (typeof outcome === "object" && outcome.token) || "";
    const asks = Array.from({ length: ROTATIONS }, (_, caller) =>
      race.witness.ask({ kind: "rotate", id, asked, service: caller % 2 }),
    );
    const answers = await Promise.all(asks);
    const winners = answers.filter((answer) => typeof answer.outcome === "object");
    expect(winners).toHaveLength(1);
    expect(answers.filter((answer) => answer.outcome === "refused")).toHaveLength(ROTATIONS - 1);
    outcome = winners[0]?.outcome ?? outcome;
  }
  // Long-ended tokens do not come back either.
  const ended = race.witness.operations
    .filter((one) => isChange(one) && one.kind === "rotate")
    .map(({ asked }) => asked);
  for (const asked of ended.filter((_, at) => at % 10 === 0)) await race.witness.ask({ kind: "rotate", id, asked });
  const { stored } = await finish(`${ROUNDS} rounds × ${ROTATIONS} rotations`, { ...race, start });
  expect(stored).toMatchObject([{ version: ROUNDS + 1, rotated: ROUNDS }]);
});
