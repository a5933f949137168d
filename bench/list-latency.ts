import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { QUERIES, type Query } from "../e2e/fixtures/list-queries";
import { median, quantile } from "../e2e/fixtures/statistics";
import { OWNER, type Stage } from "./stage";

/** Pages of 100 before a page that counts as deep. */
const DEEP_PAGES = 10;

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

/** Requests per list and round, one after the other. */
const TIMES = 20;
const ROUNDS = 3;

/** Each query's latency over HTTP, of first and deep pages, in milliseconds: the medians of the rounds' figures. */
export async function measureListsOf({ ours: { url } }: Stage): Promise<{ what: string; p50: number; p95: number }[]> {
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
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, [, query]] of lists.entries()) {
      await get(query);
      const took: number[] = [];
      for (let n = 0; n < TIMES; n++) took.push((await get(query)).took);
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
