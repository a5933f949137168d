import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { median, quantile } from "./quantile";
import { OWNER, type Stage } from "./stage";

/** Query parameters; a list repeats its parameter. */
type Query = Record<string, string | string[]>;

/** List queries, by their characteristic. */
export const QUERIES: [what: string, query: Query][] = [
  ...["name", "-name", "user_group_id", "-user_group_id", "team_id", "-team_id", "updated_at", "-updated_at"].map(
    (sort): [string, Query] => [`all, by ${sort}`, { sort }],
  ),
  ["search, common", { search: "gmbh" }],
  ["search, common, by name", { search: "gmbh", sort: "name" }],
  ["search, 2 of 100", { search: "logistics" }],
  ["search, at the end of the order", { search: "zürich", sort: "name" }],
  ["search, beyond ASCII", { search: "東京", sort: "user_group_id" }],
  ["search, rare", { search: "12345" }],
  ["search, none", { search: "zzzqqq" }],
  ["search, 1 character", { search: "a" }],
  ["search, 2 characters", { search: "te", sort: "name" }],
  ["search, 2 characters, none", { search: "zq" }],
  ["search, punctuation", { search: "%" }],
  ["filter, common", { filter: ['plan:is:"pro"'] }],
  ["filter, common, by id", { filter: ['plan:is:"enterprise"'], sort: "user_group_id" }],
  ["filter, two", { filter: ['plan:is:"pro"', 'region:is:"eu-west"'], sort: "team_id" }],
  ["filter, 1 of 1000", { filter: ["seats:is:100"] }],
  ["filter, rare", { filter: ['contract:is:"frame-17"'], sort: "name" }],
  ["filter, none", { filter: ['plan:is:"nothing"'] }],
  ["search and filter", { search: "logistics", filter: ['plan:is:"pro"'] }],
  ["used, common", { used: "within-30d" }],
  ["used, common, by name", { used: "within-1d", sort: "name" }],
  ["not used, common, by id", { used: "not-within-90d", sort: "user_group_id" }],
  ["not used, rare", { used: "not-within-30d", search: "zürich wines" }],
  ["never used", { used: "never", sort: "team_id" }],
  ["never used and filter", { used: "never", filter: ["seats:is:100"] }],
  ["filter, gt, common", { filter: ["seats:gt:50"] }],
  ["filter, gt, none", { filter: ["seats:gt:1000000"] }],
  ["filter, lt, by name", { filter: ["seats:lt:10"], sort: "name" }],
  ["filter, contains, none", { filter: ['plan:contains:"zzz"'], sort: "-updated_at" }],
  ["filter, not", { filter: ['plan:not:"pro"'] }],
  ["filter, missing", { filter: ["contract:missing"] }],
  ["finding, unused", { filter: ["unused"] }],
  ["finding, same name", { filter: ["same_name"] }],
  ["finding, look-alike id", { filter: ["look_alike_id"] }],
  ["filter, is and gt", { filter: ['contract:is:"frame-17"', "seats:gt:10"] }],
  ["search and gt", { search: "12345", filter: ["seats:gt:10"], sort: "name" }],
  ["active", { state: "active" }],
  ["suspended", { state: "suspended", sort: "name" }],
  ["ended", { state: "ended", sort: "-updated_at" }],
  ["updated since", { updated_since: "2026-01-01T00:00:00Z", sort: "updated_at" }],
  ["updated since, none", { updated_since: "2999-01-01T00:00:00Z" }],
  ["used, rare", { used: "within-1d", filter: ['contract:is:"frame-17"'], sort: "name" }],
];

/** Pages of 100 before a page that counts as deep. */
const DEEP_PAGES = 10;

export interface Latency {
  what: string;
  p50: number;
  p95: number;
}

/**
 * Signs in as a stage's owner and returns the cookies for further requests.
 * A new service may be ready before it has created its first owner.
 */
export async function signInTo(url: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${url}/api/auth/sign-in/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify(OWNER),
    });
    if (response.ok)
      return response.headers
        .getSetCookie()
        .flatMap((cookie) => cookie.split(";")[0] ?? [])
        .join("; ");
    if (attempt === 10) throw new Error(`sign-in returned ${response.status}: ${await response.text()}`);
    await sleep(1_000);
  }
}

interface Effort {
  /** requests per list and round, one after the other */
  times?: number;
  rounds?: number;
}

/** Each query's latency over HTTP, of first and deep pages, in milliseconds: the medians of the rounds' figures. */
export async function measureListsOf(
  { ours: { url } }: Stage,
  { times = 40, rounds = 3 }: Effort = {},
): Promise<Latency[]> {
  const cookie = await signInTo(url);
  const dispatcher = new Agent({ connections: 1 });
  const get = async (query: Query): Promise<{ next_cursor: string | null; took: number }> => {
    const start = performance.now();
    const { statusCode, body } = await request(`${url}/api/user-groups?${parametersOf(query)}`, {
      dispatcher,
      headers: { cookie, "x-environment": "testing" },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${JSON.stringify(query)}: ${text}`);
    return { ...(JSON.parse(text) as { next_cursor: string | null }), took: performance.now() - start };
  };
  const lists: [what: string, query: Query][] = [];
  for (const [what, query] of QUERIES) {
    lists.push([what, query]);
    const cursor = await deepCursor(get, query);
    if (cursor) lists.push([`${what}: ${DEEP_PAGES * 100} on`, { ...query, cursor }]);
  }
  const measured = lists.map(([what]) => ({ what, p50: [] as number[], p95: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, [, query]] of lists.entries()) {
      await get(query);
      const took: number[] = [];
      for (let n = 0; n < times; n++) took.push((await get(query)).took);
      measured[at]?.p50.push(quantile(took, 0.5));
      measured[at]?.p95.push(quantile(took, 0.95));
    }
  }
  await dispatcher.close();
  return measured.map(({ what, p50, p95 }) => ({ what, p50: median(p50), p95: median(p95) }));
}

function parametersOf(query: Query): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
  );
}

async function deepCursor(
  get: (query: Query) => Promise<{ next_cursor: string | null }>,
  query: Query,
): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < DEEP_PAGES; page++) {
    const { next_cursor: next } = await get({ ...query, limit: "100", ...(cursor && { cursor }) });
    if (!next) return undefined;
    cursor = next;
  }
  return cursor;
}

/** The figures as text, followed by the worst. */
export function describeLatencies(latencies: Latency[]): string {
  const width = Math.max(...latencies.map(({ what }) => what.length));
  const lines = latencies.map(
    ({ what, p50, p95 }) =>
      `${what.padEnd(width)}  p50 ${p50.toFixed(1).padStart(6)}  p95 ${p95.toFixed(1).padStart(6)}`,
  );
  const worst = Math.max(...latencies.map(({ p95 }) => p95));
  return `${lines.join("\n")}\nThe worst p95 is ${worst.toFixed(1)} ms.\n`;
}
