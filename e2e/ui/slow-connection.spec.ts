import type { Page } from "@playwright/test";
import { clipboard, expect, holdRequests, openRendered, test, whenAlive } from "../fixtures/browser";

const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** The time until a page's controls work on slow 3G, in milliseconds. */
const ALIVE_MS = 10_000;

/** Opens a page on slow 3G with an empty cache. */
async function openSlowly(page: Page, path: string) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.emulateNetworkConditions", SLOW_3G);
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  await openRendered(page, path, "commit");
}

/** Whether the page visibly waits until it is interactive. */
const looks = (page: Page) =>
  page.evaluate(() => ({
    isBusy: document.body.ariaBusy === "true",
    line: getComputedStyle(document.body, "::before").content !== "none",
    ready: [...document.querySelectorAll("main button:not(:disabled)")].filter((button) => {
      const { cursor, opacity } = getComputedStyle(button);
      return button.checkVisibility() && (cursor !== "progress" || Number(opacity) > 0.5);
    }).length,
  }));

test("on a slow connection a group's controls visibly wait until they work, and typed and chosen values are kept", {
  tag: "@release",
}, async ({ context, environment, freshPage: page }) => {
  const { team_id } = await environment.createGroup({ name: "Alpha", properties: { plan: "pro" } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  // Holds the scripts while the test clicks.
  const release = await holdRequests(page, "**/*.js");
  await openSlowly(page, `/${environment.slug}/groups/${team_id}`);
  await expect(page.getByRole("heading", { name: "Alpha", level: 1 })).toBeVisible();
  const properties = page.getByRole("group", { name: "Properties" });
  const mapping = page.getByRole("group", { name: "Mapping" });
  const copy = page.getByRole("button", { name: "Copy token" });
  const rotate = page.getByRole("button", { name: "Rotate…" });
  const embed = page.getByRole("tab", { name: "Embed" });
  const add = properties.getByRole("button", { name: /^Add row/ });
  const name = page.getByLabel("Name", { exact: true });

  await test.step("each click meets a waiting control", async () => {
    await expect.poll(() => looks(page)).toEqual({ isBusy: true, line: true, ready: 0 });
    for (const control of [copy, rotate, embed, add, mapping.getByText("JSON", { exact: true })]) await control.click();
    await name.fill("Bet");
    expect(await looks(page)).toEqual({ isBusy: true, line: true, ready: 0 });
  });
  await test.step("once interactive, no control has opened anything", async () => {
    release();
    await whenAlive(page);
    expect(await looks(page)).toMatchObject({ isBusy: false, line: false });
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
  await test.step("fields have their entered values", async () => {
    await expect(name).toBeFocused();
    await page.keyboard.type("a");
    await expect(name).toHaveValue("Beta");
    await expect(mapping.getByRole("radio", { name: "JSON" })).toBeChecked();
    await expect(mapping.getByRole("textbox")).toBeVisible();
    await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText("1 unsaved change");
  });
  await test.step("the same clicks work", async () => {
    await add.click();
    await expect(properties.getByLabel("Name, row 2")).toBeFocused();
    await copy.click();
    await expect.poll(() => clipboard(page)).toMatch(/^ugt_/);
    await rotate.click();
    await expect(page.getByRole("dialog", { name: /Rotate/ })).toBeVisible();
    await page.keyboard.press("Escape");
    await embed.click();
    await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
  });
});

test("what is typed into a value before the page works is kept, with its caret", { tag: "@release" }, async ({
  environment,
  freshPage: page,
}) => {
  const properties = { plan: "pro", region: "eu-west" };
  const { team_id } = await environment.createGroup({ name: "Alpha", properties });
  const path = `/${environment.slug}/groups/${team_id}`;
  for (const [label, text, typed] of [
    ["Value, row 2", "XY", "eXYwest"],
    ["Value, row 2", "", "eu-west"],
    ["Name", "XY", "AXYha"],
  ] as const) {
    const release = await holdRequests(page, "**/*.js");
    await openRendered(page, path, "commit");
    const field = page.getByLabel(label, { exact: true });
    await field.evaluate((element: HTMLTextAreaElement) => {
      element.focus();
      element.setSelectionRange(1, 3);
    });
    await page.keyboard.type(text);
    release();
    await whenAlive(page);
    await expect(field).toHaveValue(typed);
    const selection = () => field.evaluate((at: HTMLTextAreaElement) => [at.selectionStart, at.selectionEnd]);
    await expect.poll(selection).toEqual(text === "" ? [1, 3] : [3, 3]);
    await expect(field).toBeFocused();
    await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(text === "" ? 0 : 1);
    await page.unrouteAll({ behavior: "wait" });
    page.once("dialog", (dialog) => void dialog.accept());
  }
});

test("what is chosen in a part that comes alive after its page is kept", { tag: "@release" }, async ({
  environment,
  freshPage: page,
}) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/*.js", async (route) => {
    const script = await route.fetch();
    if ((await script.text()).includes("No properties are defined.")) await held;
    await route.fulfill({ response: script });
  });
  await openRendered(page, `/${environment.slug}/data-model?tab=rules`, "commit");
  await expect(page.locator("body")).not.toHaveAttribute("aria-busy");
  const refuse = page.getByRole("radio", { name: "Refuse", exact: true });
  await refuse.check({ force: true });
  await expect(page.locator("[data-part]")).toHaveAttribute("aria-busy", "true");
  release();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText(/unknown properties allow.*refuse/);
  await expect(refuse).toBeChecked();
  await page.unrouteAll({ behavior: "wait" });
});

for (const { name, path } of [
  { name: "the list", path: "groups" },
  { name: "a group", path: "groups/:id" },
  { name: "the rules", path: "data-model?tab=rules" },
]) {
  test(`on slow 3G ${name} is interactive within 10 s`, { tag: "@release" }, async ({
    environment,
    freshPage: page,
  }) => {
    const { team_id } = await environment.createGroup({ name: "Alpha" });
    await openSlowly(page, `/${environment.slug}/${path.replace(":id", String(team_id))}`);
    await whenAlive(page);
    const alive = await page.evaluate(() => performance.getEntriesByName("alive")[0]?.startTime);
    expect(alive).toBeLessThan(ALIVE_MS);
  });
}

test("a group page that loses the connection once interactive can be edited, and prompts before it is left", {
  tag: "@release",
}, async ({ context, environment, freshPage: page }) => {
  const { team_id } = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await whenAlive(page);
  await context.setOffline(true);
  await page.getByLabel("Name", { exact: true }).fill("Beta");
  const bar = page.getByRole("region", { name: "Unsaved changes" });
  await expect(bar).toContainText("1 unsaved change: name Alpha");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(bar.getByRole("alert")).toBeVisible();
  await context.setOffline(false);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Groups" }).click();
  const dialog = page.getByRole("dialog", { name: "Discard your changes?" });
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByRole("heading", { name: "Beta", level: 1 })).toBeVisible();
});

test("the JSON editor loads once the browser is idle", { tag: "@release" }, async ({
  environment,
  freshPage: page,
}) => {
  const { team_id } = await environment.createGroup({ name: "Alpha" });
  const loading = page.waitForResponse(
    async (response) => response.url().endsWith(".js") && (await response.text()).includes("cm-content"),
  );
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await loading;
});

test("the JSON editor loads once the connection is back", { tag: "@release" }, async ({
  context,
  environment,
  freshPage: page,
}) => {
  const { team_id } = await environment.createGroup({ name: "Alpha", properties: { plan: "pro" } });
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await whenAlive(page);
  await context.setOffline(true);
  const properties = page.getByRole("group", { name: "Properties" });
  await properties.getByText("JSON", { exact: true }).click();
  await expect(properties.getByRole("textbox")).toHaveValue(/plan/);
  await context.setOffline(false);
  await expect(properties.locator(".cm-content")).toBeVisible();
});
