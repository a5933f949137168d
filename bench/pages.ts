// Weighs the dashboard's pages in Chromium, and times them: `npx tsx bench/pages.ts`, on the production build, with a
// temporary database.
//
// Scripts: the compressed size of all JavaScript a first visit requests until the page is alive, in kB of 1,000 bytes;
// at full speed, as sizes do not vary.
// Alive: seconds until the controls work, on slow 3G with an empty cache, the median of the runs.
import { type Browser, type BrowserContext, chromium } from "@playwright/test";
import { ARGS, requireChromium } from "../e2e/fixtures/chromium.mjs";
import { signInTo } from "./list-latency";
import { median } from "./quantile";
import { print } from "./report";
import { onStage } from "./stage";

const RUNS = 5;
const GROUPS = 300;
const LIMITS = { scripts: 230, settings: 250, alive: 10 };
/** 400 kbit/s, 400 ms. */
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

await onStage({ groups: GROUPS, print }, async ({ ours: { url } }) => {
  const browser = await chromium.launch({ executablePath: await requireChromium(), args: ARGS });
  try {
    const cookie = await signInTo(url);
    const visit = () => newVisitor(browser, url, cookie);
    print("\npage         scripts kB     alive s");
    for (const [name, path] of await pagesOf(url, cookie)) {
      const alive: number[] = [];
      for (let run = 0; run < RUNS; run++) alive.push(await wake(await visit(), path));
      const limit = /settings|rules/.test(path) ? LIMITS.settings : LIMITS.scripts;
      print(`${name.padEnd(13)}${mark(await weigh(await visit(), path), limit)}${mark(median(alive), LIMITS.alive)}`);
    }
    print(`limits       ${LIMITS.scripts}; settings ${LIMITS.settings}; ${LIMITS.alive}`);
  } finally {
    await browser.close();
  }
});

async function pagesOf(url: string, cookie: string): Promise<[name: string, path: string][]> {
  const answer = await fetch(`${url}/api/user-groups?limit=1`, { headers: { cookie, "x-environment": "testing" } });
  const { user_groups: groups } = (await answer.json()) as { user_groups: { team_id: number }[] };
  return [
    ["list", "/testing/groups"],
    ["group", `/testing/groups/${groups[0]?.team_id}`],
    ["activity", "/testing/activity"],
    ["data model", "/testing/data-model"],
    ["rules", "/testing/data-model?tab=rules"],
    ...["account", "api-tokens", "embedding", "environments", "members", "webhooks"].map((name): [string, string] => [
      name,
      `/testing/settings/${name}`,
    ]),
  ];
}

/** A new browser profile, signed in, with an empty cache. */
async function newVisitor(browser: Browser, url: string, cookie: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  const cookies = cookie.split("; ").map((pair) => {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    return { name, value, url };
  });
  await context.addCookies(cookies);
  return context;
}

/** The compressed kilobytes of scripts requested until the page is alive. */
async function weigh(context: BrowserContext, path: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(path, { waitUntil: "networkidle" });
  const bytes = await page.evaluate(() => {
    const alive = performance.getEntriesByName("alive")[0]?.startTime ?? 0;
    return (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ name, startTime }) => new URL(name).pathname.endsWith(".js") && startTime <= alive)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
  await context.close();
  return bytes / 1_000;
}

/** Seconds until the page is alive on slow 3G. */
async function wake(context: BrowserContext, path: string): Promise<number> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.emulateNetworkConditions", SLOW_3G);
  await page.goto(path, { waitUntil: "commit" });
  const alive = await page.waitForFunction(() => performance.getEntriesByName("alive")[0]?.startTime);
  const milliseconds = (await alive.jsonValue()) ?? 0;
  await context.close();
  return milliseconds / 1_000;
}

function mark(value: number, limit: number): string {
  return `${value.toFixed(1)} ${value <= limit ? "✓" : "✗"}`.padStart(12);
}
