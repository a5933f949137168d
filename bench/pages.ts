// Measures the time until a dashboard page's main content is painted, in milliseconds since navigation
// or click, by the browser's clock: `npx tsx bench/pages.ts URL EMAIL PASSWORD`, with a running
// service that has groups in Testing (`npm run seed`).
import { chromium, type Page } from "@playwright/test";
import { findChromium } from "../e2e/fixtures/chromium";

const ROUNDS = 30;
const LIST = 'table[aria-label="User groups"] tbody a';
const GROUP = 'section[aria-labelledby="token-title"]';
const [, , url = "", email = "", password = ""] = process.argv;

const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const credentials = { data: { email, password }, headers: { origin: url } };
const signedIn = await context.request.post(`${url}/api/auth/sign-in/email`, credentials);
if (!signedIn.ok()) throw new Error(`Signing in as ${email} returned ${signedIn.status()}.`);
await context.addInitScript(() => {
  addEventListener("click", ({ timeStamp }) => Object.assign(window, { clickedAt: timeStamp }), { capture: true });
});

const page = await context.newPage();
const measured = new Map<string, number[]>();
// The first round warms the service and the browser's cache.
for (let round = 0; round <= ROUNDS; round++) {
  const note = (what: string, time: number) => round > 0 && measured.set(what, [...(measured.get(what) ?? []), time]);
  await page.goto(`${url}/testing/groups`, { waitUntil: "commit" });
  note("list, by its address", await painted(page, LIST));
  await page.locator(LIST).first().click();
  note("group, from the list", await painted(page, GROUP));
  const address = page.url();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Groups" }).click();
  note("list, from the group", await painted(page, LIST));
  await page.goto(address, { waitUntil: "commit" });
  note("group, by its address", await painted(page, GROUP));
}
await browser.close();

for (const [what, times] of measured) {
  times.sort((one, other) => one - other);
  const at = (share: number) => `${(times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(0).padStart(5)}`;
  process.stdout.write(`${what.padEnd(24)} p50 ${at(0.5)}   p95 ${at(0.95)}   slowest ${at(1)}\n`);
}

/** The time of the frame after the selector's first match was painted; then waits for the page to become idle. */
async function painted(page: Page, selector: string): Promise<number> {
  const time = await page.evaluate(async (selector) => {
    const start = (window as { clickedAt?: number }).clickedAt ?? 0;
    while (!document.querySelector(selector)) await new Promise((done) => requestAnimationFrame(done));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - start;
  }, selector);
  await page.waitForLoadState("networkidle");
  return time;
}
