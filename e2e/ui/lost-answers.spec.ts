import type { Locator, Route } from "@playwright/test";
import { expect, expectAccessible, type Page, test, toasts } from "../fixtures/browser";

const API = "**/api/user";
const dialog = (page: Page) => page.getByRole("dialog", { name: "Delete “Alpha”?" });

/** Confirms a group's deletion, in the list or on its page, and returns its request, held back. */
async function confirm(page: Page, slug: string, where: "list" | "page" = "list"): Promise<Route> {
  await page.goto(`/${slug}/groups`);
  if (where === "page") await page.getByRole("link", { name: "Alpha" }).click();
  await page.getByRole("button", { name: where === "page" ? "More actions" : "Actions for Alpha" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await dialog(page).getByRole("textbox").fill("alpha");
  const held = new Promise<Route>((resolve) => page.route(API, resolve));
  await dialog(page).getByRole("button", { name: "Delete user group" }).click();
  return held;
}

test.beforeEach(async ({ environment }) => {
  await environment.createGroup({ user_group_id: "alpha", name: "Alpha" });
});

test("once sent, a change has no Cancel, and Escape closes nothing", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "DELETE" && sent.push(request.url()));
  const route = await confirm(page, environment.slug);
  await expect(dialog(page).getByRole("button", { name: "Deleting…" })).toBeDisabled();
  await expect(dialog(page).getByRole("button", { name: "Deleting…" })).toBeFocused();
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("textbox").press("Enter");
  await expect(dialog(page).getByRole("button", { name: "Cancel" })).toHaveCount(0);
  await expect(dialog(page).getByRole("button", { name: "Close" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.mouse.click(2, 2);
  await expect(dialog(page)).toBeVisible();
  await expectAccessible(page);
  await test.step("a slow answer can be awaited elsewhere", async () => {
    await expect(dialog(page)).toContainText("Still waiting for the service");
    await expectAccessible(page);
    await dialog(page).getByRole("button", { name: "Close" }).last().click();
    await expect(dialog(page)).toHaveCount(0);
  });
  await route.continue();
  await expect(toasts(page).getByText("“Alpha” was deleted")).toBeVisible();
  expect(sent).toHaveLength(1);
});

test("a lost answer is looked up: the change was made", { tag: "@release" }, async ({ page, environment }) => {
  const route = await confirm(page, environment.slug);
  await route.fetch();
  await route.abort();
  const toast = page.getByRole("dialog").filter({ hasText: "“Alpha” was deleted" });
  await expect(toast).toContainText("The response was lost, so the dashboard checked the result.");
  await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
  await toast.getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page).getByText("“Alpha” was restored")).toBeVisible();
});

test("a lost answer is looked up: the change was not made", { tag: "@release" }, async ({ page, environment }) => {
  const route = await confirm(page, environment.slug);
  await route.abort();
  await expect(dialog(page).getByRole("alert")).toContainText("The response was lost");
  await expect(dialog(page).getByRole("alert")).toContainText("Nothing was deleted. Try again.");
  await expect(dialog(page).getByRole("button", { name: "Delete user group" })).toBeFocused();
  await expectAccessible(page);
  await page.unroute(API);
  await dialog(page).getByRole("button", { name: "Delete user group" }).click();
  await expect(toasts(page).getByText("“Alpha” was deleted")).toBeVisible();
});

test("a connection lost after the request reports the outcome once it returns", { tag: "@release" }, async ({
  page,
  context,
  environment,
}) => {
  const route = await confirm(page, environment.slug);
  await route.fetch();
  await context.setOffline(true);
  await route.abort();
  await expect(dialog(page)).toContainText("No response received");
  await expect(dialog(page).getByRole("button", { name: "Checking…" })).toBeDisabled();
  await expect(dialog(page).getByRole("button", { name: "Cancel" })).toHaveCount(0);
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(toasts(page).getByText("“Alpha” was deleted")).toBeVisible();
  await expect(dialog(page)).toHaveCount(0);
});

test("an answer that comes after its page was left leads nowhere", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id } = await environment.createGroup({ name: "Beta" });
  const route = await confirm(page, environment.slug, "page");
  await expect(dialog(page)).toContainText("Still waiting for the service");
  await dialog(page).getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Groups" }).click();
  await page.getByRole("link", { name: "Beta" }).click();
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Typed later");
  const read = page.waitForResponse("**/api/user-groups?*");
  await route.continue();
  await expect(toasts(page).getByText("“Alpha” was deleted")).toBeVisible();
  await read;
  await expect(name).toHaveValue("Typed later");
  await expect(page).toHaveURL(`/${environment.slug}/groups/${team_id}`);
});

test("what is typed while a group is created is not dropped unasked", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await page.goto(`/${environment.slug}/groups/new`);
  await page.getByLabel("Id", { exact: true }).fill("gamma");
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Gamma");
  const held = new Promise<Route>((resolve) => page.route("**/api/user/get-or-create", resolve, { times: 1 }));
  await page.getByRole("button", { name: "Create user group" }).click();
  const creation = await held;
  await name.fill("Typed later");
  await creation.continue();
  await expect(toasts(page).getByText("“Gamma” was created")).toBeVisible();
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(name).toHaveValue("Typed later");
});

test("an answer that comes after its dialog was closed updates the page, and leaves a newer dialog open", {
  tag: "@release",
}, async ({ page, environment }) => {
  const hold = (url: string) => new Promise<Route>((resolve) => page.route(url, resolve, { times: 1 }));
  const closeSlow = async (open: Locator) => {
    await expect(open).toContainText("Still waiting for the service");
    await open.getByRole("button", { name: "Close" }).last().click();
    await expect(open).toHaveCount(0);
  };
  const rotate = page.getByRole("dialog", { name: "Rotate the token of “Alpha”?" });
  const rename = page.getByRole("dialog", { name: "Change the id of “Alpha”" });
  const id = rename.getByLabel("Id", { exact: true });
  const changeId = async (to: string) => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Change id…" }).click();
    await id.fill(to);
  };
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("link", { name: "Alpha" }).click();

  const rotation = hold("**/api/user-groups/rotate");
  await page.getByRole("button", { name: "Rotate…" }).click();
  await rotate.getByRole("button", { name: "Rotate token" }).click();
  const rotated = await rotation;
  await closeSlow(rotate);
  await changeId("beta");
  await rotated.continue();
  await expect(toasts(page).getByText("The token of “Alpha” was rotated")).toBeVisible();
  await expect(id).toHaveValue("beta");

  const renaming = hold(API);
  await rename.getByRole("button", { name: "Save" }).click();
  const renamed = await renaming;
  await closeSlow(rename);
  await expect(page.getByRole("button", { name: "End now: old token…" })).toBeVisible();
  await changeId("gamma");
  await renamed.continue();
  await expect(toasts(page).getByText("“Alpha” now has the id beta")).toBeVisible();
  await expect(id).toHaveValue("gamma");
});
