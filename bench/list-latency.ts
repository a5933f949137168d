import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { median, quantile } from "./quantile";
import { OWNER, type Stage } from "./stage";

/** List queries, by their characteristic. */
export const QUERIES: [what: string, query: Record<string, string>][] = [
  ...["name", "-name", "id", "-id", "created", "-created", "updated", "-updated"].map(
    (sort): [string, Record<string, string>] => [`all, by ${sort}`, { sort }],
  ),
  ["search, common", { search: "gmbh" }],
  ["search, common, by name", { search: "gmbh", sort: "name" }],
  ["search, 2 of 100", { search: "logistics" }],
  ["search, at the end of the order", { search: "zürich", sort: "name" }],
  ["search, beyond ASCII", { search: "東京", sort: "id" }],
  ["search, rare", { search: "12345" }],
  ["search, none", { search: "zzzqqq" }],
  ["search, 1 character", { search: "a" }],
  ["search, 2 characters", { search: "te", sort: "name" }],
  ["search, 2 characters, none", { search: "zq" }],
  ["search, punctuation", { search: "%" }],
  ["filter, common", { filter: "plan = pro" }],
  ["filter, common, by id", { filter: "plan = enterprise", sort: "id" }],
  ["filter, two", { filter: "plan = pro, region = eu-west", sort: "created" }],
  ["filter, 1 of 1000", { filter: "seats = 100" }],
  ["filter, rare", { filter: "contract = frame-17", sort: "name" }],
  ["filter, none", { filter: "plan = nothing" }],
  ["search and filter", { search: "logistics", filter: "plan = pro" }],
  ["used, common", { used: "within-30d" }],
  ["used, common, by name", { used: "within-1d", sort: "name" }],
  ["not used, common, by id", { used: "not-within-90d", sort: "id" }],
  ["not used, rare", { used: "not-within-30d", search: "zürich wines" }],
  ["never used", { used: "never", sort: "created" }],
  ["never used and filter", { used: "never", filter: "seats = 100" }],
  ["used, rare", { used: "within-1d", filter: "contract = frame-17", sort: "name" }],
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
  const get = async (query: Record<string, string>): Promise<{ nextCursor: string | null; took: number }> => {
    const start = performance.now();
    const { statusCode, body } = await request(`${url}/api/admin/groups?${new URLSearchParams(query)}`, {
      dispatcher,
      headers: { cookie, "x-environment": "testing" },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${JSON.stringify(query)}: ${text}`);
    return { ...(JSON.parse(text) as { nextCursor: string | null }), took: performance.now() - start };
  };
  const lists: [what: string, query: Record<string, string>][] = [];
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

async function deepCursor(
  get: (query: Record<string, string>) => Promise<{ nextCursor: string | null }>,
  query: Record<string, string>,
): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < DEEP_PAGES; page++) {
    const { nextCursor } = await get({ ...query, limit: "100", ...(cursor && { cursor }) });
    if (!nextCursor) return undefined;
    cursor = nextCursor;
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
