import {
  clipboard,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  test,
  toasts,
} from "../fixtures/browser";
import { expectReady, names, searchBox } from "../fixtures/list";
import { quiet } from "../fixtures/quiet";

const OFFLINE = "You are offline";
const state = (page: Page) => page.getByRole("banner").getByRole("status");

/** Waits for the page, and for the toast code, which loads last. */
async function whenSettled(page: Page) {
  await expect(page.getByRole("region", { name: "Notifications" })).toBeAttached();
  await quiet(page);
}

test("going offline shows immediately, and so does coming back", { tag: "@release" }, async ({
  page,
  context,
  environment,
}) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await expectReady(page);
  await expect(state(page)).toHaveText("");
  await context.setOffline(true);
  await expect(state(page)).toContainText(OFFLINE);
  await expectAccessible(page);
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(state(page)).toContainText(OFFLINE);
    await expectNoSidewaysScrolling(page);
  }
  await environment.createGroup({ name: "Beta" });
  await context.setOffline(false);
  await expect(state(page)).toHaveText("");
  // Refetched automatically.
  await expect(names(page)).toHaveText(["Beta", "Alpha"]);
});

test("an unreachable service shows after the next request", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await expectReady(page);
  await page.route(/\/(api|healthz)/, (route) => route.abort());
  await searchBox(page).fill("x");
  await expect(state(page)).toContainText("The service cannot be reached");
  await page.unroute(/\/(api|healthz)/);
  await expect(state(page)).toHaveText("");
});

test("a search fails with a message while offline, and works once online", { tag: "@release" }, async ({
  page,
  context,
  environment,
}) => {
  for (const name of ["Alpha", "Beta"]) await environment.createGroup({ name });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(2);
  await context.setOffline(true);
  await searchBox(page).fill("Alp");
  await expect(page.getByRole("main").getByRole("alert")).toContainText(OFFLINE);
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(names(page)).toHaveText(["Alpha"]);
});

test.describe("with a clipboard", () => {
  test.use({ role: "admin", permissions: ["clipboard-read", "clipboard-write"] });

  test("a token is not revealed or copied later, and the clipboard stays unchanged", { tag: "@release" }, async ({
    page,
    context,
    environment,
    database,
  }) => {
    const { team_id, token } = await environment.createGroup({ name: "Alpha" });
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await whenSettled(page);
    await page.evaluate(() => navigator.clipboard.writeText("what was there"));
    await context.setOffline(true);
    const card = page.getByRole("region", { name: "User group token" });
    await card.getByRole("button", { name: "Reveal token" }).click();
    await expect(card.getByRole("alert")).toContainText(OFFLINE);
    await card.getByRole("button", { name: "Copy token" }).click();
    const toast = page.getByRole("dialog").filter({ hasText: "The token was not copied" });
    await expect(toast).toContainText(OFFLINE);
    await expect(toast).toContainText("Your clipboard is unchanged.");
    await expect(page.locator("[data-announcer]")).not.toContainText("Copied");
    await expectAccessible(page);

    await context.setOffline(false);
    await quiet(page);
    await expect(card).not.toContainText(token);
    expect(await clipboard(page)).toBe("what was there");
    const history = await database.query("SELECT action FROM audit_entry WHERE team_id = $1", [team_id]);
    expect(history.map(({ action }) => action)).toEqual(["user_group.created"]);
  });
});

for (const [name, fail] of [
  ["offline", (page: Page) => page.context().setOffline(true)],
  ["while the service is away", (page: Page) => page.route(/_rsc=/, (route) => route.abort())],
] as const) {
  test(`a link that fails ${name} leaves the page unchanged, and works later`, { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    const { team_id } = await environment.createGroup({ name: "Alpha" });
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await whenSettled(page);
    const field = page.getByLabel("Name", { exact: true });
    await page.evaluate(() => Object.assign(window, { isTheSame: true }));
    await fail(page);
    const link = page.getByRole("link", { name: "Activity" });
    await link.click();
    await expect(toasts(page).getByText("This page could not be opened")).toBeVisible();
    await expect(page).toHaveURL(`/${environment.slug}/groups/${team_id}`);
    // The page still works.
    await field.fill("Typed offline");
    await expect(page.getByText("1 unsaved change")).toBeVisible();
    await page.getByRole("button", { name: "Discard" }).click();

    await page.context().setOffline(false);
    await page.unrouteAll();
    await quiet(page);
    await expect(page, "nothing opens later by itself").toHaveURL(`/${environment.slug}/groups/${team_id}`);
    await link.click();
    await expect(page).toHaveURL(`/${environment.slug}/activity`);
    await expect(page.getByRole("heading", { name: "Activity" })).toBeVisible();
    expect(await page.evaluate(() => "isTheSame" in window)).toBe(true);
  });
}
