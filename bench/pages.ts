// Measures the dashboard's pages in Chromium with its processor slowed to a quarter, and prints one table:
//   npx tsx bench/pages.ts                      on the production build, with a temporary database of 300 groups
//   npx tsx bench/pages.ts URL EMAIL PASSWORD   on a running service with groups in Testing (`./user-groups seed`)
//
// Scripts: the compressed size of all JavaScript a first visit requests until the page is alive, in kB of 1,000 bytes.
// "Later" is what the page then loads by itself, without any input (the toasts, the editor of a group). Measured once,
// at full speed: sizes do not vary.
// Alive: seconds until the controls work, on slow 3G (400 kbit/s, 400 ms) with an empty cache.
// LCP: the largest contentful paint, in milliseconds since navigation, of a first visit: each run has a new browser
// profile, signed in, with an empty cache.
// INP: the slowest of the page's interactions, from the input to the next paint, as the browser's event timing reports
// it (in steps of 8 ms; faster ones than 16 ms count as 16). Inputs are real key presses and clicks, in the same visit,
// once the page is idle.
// Times are medians of the runs. The list shows 50 of the groups at a time.
import os from "node:os";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { ARGS, requireChromium } from "../e2e/fixtures/chromium.mjs";
import { print } from "./report";
import { OWNER, onStage } from "./stage";

const RUNS = 5;
const SLOWDOWN = 4;
const GROUPS = 300;
const LIMITS = { scripts: 230, settings: 250, alive: 10, lcp: 1_000, inp: 100 };
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** Longer than anything a page loads by itself takes to begin, in milliseconds. */
const LATER_MS = 5_000;
/** Time for a slowed page to handle and paint an input, in milliseconds. */
const PAINTED_MS = 400;

interface Measured {
  name: string;
  path: string;
  /** by what they are called; each begins where the one before it ended; none: only weighed */
  interactions: [what: string, act: (page: Page) => Promise<unknown>][];
}

interface Visited {
  lcp: number;
  /** milliseconds by interaction */
  interactions: Map<string, number>;
}

const press = (key: string) => (page: Page) => page.keyboard.press(key);
const clickButton = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name, exact: true }).first().click();
const clickTab = (name: RegExp) => (page: Page) => page.getByRole("tab", { name }).click();

const [, , url, email = "", password = ""] = process.argv;
if (url) await measure(url, { email, password });
else await onStage({ groups: GROUPS, print }, ({ ours }) => measure(ours.url, OWNER));

async function measure(url: string, credentials: { email: string; password: string }) {
  const browser = await chromium.launch({ executablePath: await requireChromium(), args: ARGS });
  try {
    const [load = 0] = os.loadavg();
    print(`${os.cpus().length} processors, load average ${load.toFixed(1)}: from about one each, times say little`);
    const session = await signIn(browser, url, credentials);
    print("\npage             scripts kB   later       alive s      LCP ms      INP ms  slowest interactions");
    for (const page of await pagesOf(session, url)) print(await lineOf(page, { browser, url, session }));
    const { scripts, settings, alive, lcp, inp } = LIMITS;
    const times = `${String(alive).padStart(22)}${String(lcp).padStart(12)}${String(inp).padStart(12)}`;
    print(`limits       ${`${scripts}; ${settings}`.padStart(14)}${times}`);
  } finally {
    await browser.close();
  }
}

type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function signIn(browser: Browser, url: string, data: object): Promise<Session> {
  const context = await browser.newContext();
  const answer = await context.request.post(`${url}/api/auth/sign-in/email`, { data, headers: { origin: url } });
  if (!answer.ok()) throw new Error(`Signing in returned ${answer.status()}.`);
  return context.storageState();
}

async function pagesOf(storageState: Session, url: string): Promise<Measured[]> {
  const cookie = storageState.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const answer = await fetch(`${url}/api/user-groups?limit=1`, { headers: { cookie, "x-environment": "testing" } });
  const { user_groups: groups } = (await answer.json()) as { user_groups: { team_id: number }[] };
  if (!groups[0]) throw new Error("There are no groups in Testing.");
  return [
    {
      name: "list",
      path: "/testing/groups",
      interactions: [
        ["focus the search", press("/")],
        ["type in the search", press("a")],
        ["type in the search", press("e")],
        ["clear the search", press("Backspace")],
        ["clear the search", press("Backspace")],
        ["leave the search", press("Escape")],
        [
          "first row",
          (page) =>
            page
              .locator("#content")
              .focus()
              .then(() => page.keyboard.press("ArrowDown")),
        ],
        ["next row", press("ArrowDown")],
        ["next row", press("ArrowDown")],
        ["select a row", press("x")],
        ["select a row by mouse", (page) => page.locator("tr[data-team] label").nth(5).click()],
        ["select all rows", (page) => page.locator("thead label").click()],
        ["open a filter", clickButton("Filter")],
        ["close a filter", press("Escape")],
        ["switch the view", (page) => page.getByRole("navigation", { name: "Views" }).getByText("Never used").click()],
      ],
    },
    {
      name: "group",
      path: `/testing/groups/${groups[0].team_id}`,
      interactions: [
        ["focus a cell", (page) => page.getByRole("textbox", { name: "Value, row 1" }).first().click()],
        ["type in a cell", press("a")],
        ["type in a cell", press("b")],
        ["next cell", press("Enter")],
        ["switch to Embed", clickTab(/^Embed/)],
        ["switch to History", clickTab(/^History/)],
        ["switch back", clickTab(/^Properties/)],
      ],
    },
    {
      name: "activity",
      path: "/testing/activity",
      interactions: [
        ["open an entry", (page) => page.locator("#content li button[aria-expanded]").first().click()],
        ["open a filter", (page) => page.locator("#content button[aria-haspopup]").first().click()],
        ["close a filter", press("Escape")],
      ],
    },
    {
      name: "account",
      path: "/testing/settings/account",
      interactions: [
        ["focus the name", (page) => page.getByLabel("Name", { exact: true }).click()],
        ["type in the name", press("a")],
        ["type in the name", press("b")],
        ["open a dialog", clickButton("Sign out everywhere")],
        ["close a dialog", press("Escape")],
      ],
    },
    { name: "data model", path: "/testing/data-model", interactions: [] },
    { name: "rules", path: "/testing/data-model?tab=rules", interactions: [] },
    ...["api-tokens", "embedding", "environments", "members", "webhooks"].map((name) => ({
      name,
      path: `/testing/settings/${name}`,
      interactions: [],
    })),
  ];
}

interface Visiting {
  browser: Browser;
  url: string;
  session: Session;
}

async function lineOf(page: Measured, visiting: Visiting): Promise<string> {
  const { first, later } = await weigh(page, visiting);
  const alive: number[] = [];
  for (let run = 0; run < RUNS; run++) alive.push(await wake(page, visiting));
  const limit = /settings|rules/.test(page.path) ? LIMITS.settings : LIMITS.scripts;
  const weighed = `${page.name.padEnd(13)}${mark(first, limit, 1)}${later.toFixed(1).padStart(8)}`;
  const weight = `${weighed}${mark(median(alive), LIMITS.alive, 1)}`;
  if (page.interactions.length === 0) return weight;
  const visits: Visited[] = [];
  for (let run = 0; run < RUNS; run++) visits.push(await visit(page, visiting));
  const lcp = median(visits.map((visit) => visit.lcp));
  const inp = median(visits.map(({ interactions }) => Math.max(...interactions.values())));
  const slowest = [...new Set(page.interactions.map(([what]) => what))]
    .map((what) => ({ what, ms: median(visits.map(({ interactions }) => interactions.get(what) ?? 0)) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, 3);
  const told = slowest.map(({ what, ms }) => `${what} ${ms}`).join(", ");
  return `${weight}${mark(lcp, LIMITS.lcp)}${mark(inp, LIMITS.inp)}  ${told}`;
}

function mark(value: number, limit: number, digits = 0): string {
  return `${value.toFixed(digits)} ${value <= limit ? "✓" : "✗"}`.padStart(digits ? 14 : 12);
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** The compressed kilobytes of scripts requested until the page is alive, and later. */
async function weigh({ path }: Measured, { browser, url, session }: Visiting) {
  const context = await newVisitor(browser, session);
  const page = await context.newPage();
  await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
  await page.waitForTimeout(LATER_MS);
  const scripts = await page.evaluate(() => {
    const alive = performance.getEntriesByName("alive")[0]?.startTime ?? 0;
    return (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
      .map(({ startTime, encodedBodySize }) => ({ isFirst: startTime <= alive, bytes: encodedBodySize }));
  });
  await context.close();
  const sum = (some: typeof scripts) => some.reduce((total, { bytes }) => total + bytes, 0) / 1_000;
  return {
    first: sum(scripts.filter(({ isFirst }) => isFirst)),
    later: sum(scripts.filter(({ isFirst }) => !isFirst)),
  };
}

/** Seconds until the page is alive on slow 3G. */
async function wake({ path }: Measured, { browser, url, session }: Visiting): Promise<number> {
  const context = await newVisitor(browser, session);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.emulateNetworkConditions", SLOW_3G);
  await page.goto(`${url}${path}`, { waitUntil: "commit" });
  const alive = await page.waitForFunction(() => performance.getEntriesByName("alive")[0]?.startTime);
  const milliseconds = (await alive.jsonValue()) ?? 0;
  await context.close();
  return milliseconds / 1_000;
}

async function newVisitor(browser: Browser, storageState: Session): Promise<BrowserContext> {
  const context = await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } });
  await context.addInitScript(() => {
    const seen = { lcp: 0, slowest: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) seen.lcp = startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId?: number })[]) {
        if (entry.interactionId) seen.slowest = Math.max(seen.slowest, entry.duration);
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
  return context;
}

/** Opens the page in a new profile, and makes all its interactions. */
async function visit({ path, interactions }: Measured, { browser, url, session }: Visiting): Promise<Visited> {
  const context = await newVisitor(browser, session);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
  const lcp = await page.evaluate(() => (window as unknown as Seeing).seen.lcp);
  const times = new Map<string, number>();
  for (const [what, act] of interactions) {
    await page.evaluate(() => {
      (window as unknown as Seeing).seen.slowest = 16;
    });
    await act(page);
    await page.waitForTimeout(PAINTED_MS);
    await page.waitForLoadState("networkidle");
    const slowest = await page.evaluate(() => (window as unknown as Seeing).seen.slowest);
    times.set(what, Math.max(times.get(what) ?? 0, slowest));
  }
  await context.close();
  return { lcp, interactions: times };
}

interface Seeing {
  seen: { lcp: number; slowest: number };
}
