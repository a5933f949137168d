import type { Page, Route } from "@playwright/test";
import { insertApiToken } from "../fixtures/api-token";
import { clipboard, holdRequests, withholdAnswers } from "../fixtures/browser";
import { expect, names, searchBox, table, test } from "../fixtures/list";
import { run } from "../fixtures/run";

const LIST = "**/api/user-groups?*";

/** Returns a function that lists the page's layout shifts since it was opened (Layout Instability). */
async function watchShifts(page: Page): Promise<() => Promise<unknown[]>> {
  await page.addInitScript(() => {
    const shifts: unknown[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node?: Node }[] })[]) {
        const what = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 120) : "text"));
        shifts.push({ value: entry.value, what });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const shifts = () => page.evaluate(() => (window as unknown as { shifts: { value: number }[] }).shifts);
  // A number that appears in an empty place is not a visible shift.
  return async () => (await shifts()).filter(({ value }) => value > 0.0001);
}

for (const [width, height] of [
  [1440, 900],
  [320, 640],
] as const) {
  test(`nothing moves while the list loads, ${width} px wide`, { tag: "@release" }, async ({ page, environment }) => {
    for (const name of ["Alpha", "Beta", "Gamma"]) await environment.createGroup({ name, properties: { plan: "pro" } });
    await withholdAnswers(page);
    await page.setViewportSize({ width, height });
    const shifts = await watchShifts(page);
    const release = await holdRequests(page, LIST);
    const releaseSession = await holdRequests(page, "**/api/admin/session");
    await page.goto(`/${environment.slug}/groups?filter=plan:is:"pro"`);
    await expect(table(page)).toHaveAttribute("aria-busy", "true");
    await page.evaluate(() => document.fonts.ready);
    const place = async () => ({
      title: (await page.getByRole("heading", { level: 1 }).boundingBox())?.y,
      search: await searchBox(page).boundingBox(),
      table: (await table(page).boundingBox())?.y,
      firstRow: (await table(page).locator("tbody tr").first().boundingBox())?.y,
    });
    const before = await place();
    releaseSession();
    await expect(page.getByRole("link", { name: "Create group" })).toBeVisible();
    expect(await place()).toEqual(before);
    release();
    await expect(names(page)).toHaveCount(3);
    expect(await place()).toEqual(before);
    expect(await shifts()).toEqual([]);
  });
}

test("a font that comes late changes no visible text", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup();
  const shifts = await watchShifts(page);
  const release = await holdRequests(page, "**/inter-latin-wght-normal.*");
  await page.goto(`/${environment.slug}/groups`, { waitUntil: "commit" });
  await expect(names(page)).toHaveCount(1);
  release();
  await page.waitForLoadState("load");
  await page.evaluate(() => document.fonts.ready);
  expect(await shifts()).toEqual([]);
});

test("the skeleton's rows are as high as the real ones", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup();
  for (const [width, height] of [
    [1440, 900],
    [320, 640],
  ] as const) {
    await withholdAnswers(page);
    await page.setViewportSize({ width, height });
    const release = await holdRequests(page, LIST);
    await page.goto(`/${environment.slug}/groups`);
    await expect(table(page)).toHaveAttribute("aria-busy", "true");
    const row = table(page).locator("tbody tr").first();
    const skeleton = await row.boundingBox();
    release();
    await expect(names(page)).toHaveCount(1);
    expect(Math.abs(((await row.boundingBox())?.height ?? 0) - (skeleton?.height ?? 0))).toBeLessThanOrEqual(20);
    await page.unrouteAll();
  }
});

test("an empty environment explains how to create a group, and its curl call works as copied", {
  tag: "@release",
}, async ({ page, context, environment, stage }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/${environment.slug}/groups`);
  await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
  await page.getByText("Or create groups from your program").click();
  await page.getByRole("button", { name: "Copy" }).click();
  await expect(page.getByText("Copied snippet")).toBeAttached();
  const curl = await clipboard(page);
  const { code, stdout } = await run("bash", ["-c", curl], {
    env: {
      USER_GROUPS_API_TOKEN: await insertApiToken(
        { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey },
        { environment: environment.slug },
      ),
    },
  });
  expect({ code, answer: JSON.parse(stdout) }).toMatchObject({ code: 0, answer: { success: 1, new_user_group: true } });
  await expect(page.getByRole("listitem").filter({ hasText: "Create a group" })).toContainText(
    "Example 1 was created.",
  );
  await page.getByRole("button", { name: "Show the list" }).click();
  await expect(names(page)).toHaveText(["Example 1"]);
});

test("a search without results says so and can be cleared", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups?search=nobody&filter=plan:is:"pro"`);
  await expect(page.getByRole("heading", { name: /^No group in .* matches/ })).toBeVisible();
  const search = await page.getByRole("searchbox").inputValue();
  await page.getByRole("button", { name: "Search all environments" }).click();
  await expect(page.getByRole("combobox", { name: "Search and commands" })).toHaveValue(search);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  await expect(names(page)).toHaveText(["Alpha"]);
  await expect(searchBox(page)).toHaveValue("");
  await expect(page).toHaveURL(`/${environment.slug}/groups`);

  await page.goto(`/${environment.slug}/groups?search=no body%26`);
  await expect(page.getByRole("button", { name: "Clear search" })).toBeVisible();
  await page.getByRole("link", { name: "Create “no body&”" }).click();
  await expect(page.getByRole("textbox", { name: "Id", exact: true })).toHaveValue("no body&");
});

test("a list that fails to load says so and can be retried", { tag: "@release" }, async ({ page, environment }) => {
  await withholdAnswers(page);
  await environment.createGroup({ name: "Alpha" });
  const requestId = "5f3c1c1e-7a3f-4b86-9d6c-2f1a4f6d2b11";
  const message = "The database is away. Try again in a moment.";
  const refusals: ((route: Route) => Promise<void>)[] = [
    (route) => route.abort("connectionrefused"),
    (route) =>
      route.fulfill({
        status: 503,
        headers: { "X-Request-Id": requestId },
        json: { success: 0, error: { code: "unavailable", message, request_id: requestId } },
      }),
    (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }),
  ];
  for (const [index, refuse] of refusals.entries()) {
    await page.route(LIST, refuse);
    await page.goto(`/${environment.slug}/groups`);
    const alert = page.getByRole("alert").filter({ hasText: "The list could not be loaded" });
    await expect(alert).toBeVisible({ timeout: 15_000 });
    if (index === 1) await expect(alert).toContainText(`Request id ${requestId}`);
    await page.unroute(LIST);
    await alert.getByRole("button", { name: "Try again" }).click();
    await expect(names(page)).toHaveText(["Alpha"]);
    await expect(alert).toHaveCount(0);
  }
});

test("a visible list stays when a refetch fails", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.clock.install();
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveText(["Alpha"]);
  await page.route(LIST, (route) => route.abort());
  await page.clock.fastForward(5_100);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.waitForTimeout(4_000);
  await expect(names(page)).toHaveText(["Alpha"]);
});
