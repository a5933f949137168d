import { execFileSync } from "node:child_process";
import { expect, SECRET_KEY, test } from "../fixtures/own-service";
import { environmentWith } from "../fixtures/service-process";

/**
 * Runs many statements concurrently, and prints the bytes per row left if only a full collection would free
 * them.
 */
const PROBE = `
  import { getHeapSpaceStatistics } from "node:v8";
  import pg from "pg";
  import { openPool, readText } from "./lib/db/pool.ts";

  // Interpreted until compiled, and again whenever compiled code is discarded.
  %NeverOptimizeFunction(pg.Client.prototype.query);
  openPool(process.env.DATABASE_URL, 4);
  const statement = { name: "rows", text: "SELECT n::text, repeat('a', 400) FROM generate_series(1, $1::int) AS n" };
  const ROWS = 32;
  let seen = 0;
  const run = (times) => Promise.all([1, 2, 3, 4].map(async () => {
    for (let time = 0; time < times / 4; time++) {
      const rows = await readText(statement, [ROWS]);
      seen += rows.length;
    }
  }));
  const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
  await run(1_000);
  global.gc();
  const before = old();
  await run(1_000);
  console.log(Math.round((old() - before) / 1_000 / ROWS));
  if (seen !== 2_000 * ROWS) throw new Error(\`there were \${seen} rows\`);
  process.exit();
`;

test("rows of a statement are collected with the young generation, even when freshly compiled code runs it", async ({
  createDatabase,
}) => {
  const options = ["--import", "tsx", "--expose-gc", "--allow-natives-syntax", "--input-type=module"];
  const env = environmentWith({ DATABASE_URL: await createDatabase(), SECRET_KEY });
  const left = execFileSync(process.execPath, [...options, "-e", PROBE], { encoding: "utf8", env });
  // Retained rows would take about 350.
  expect(Number(left)).toBeLessThan(100);
});
