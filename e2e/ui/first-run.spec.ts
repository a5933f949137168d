import { clipboard, expect, expectAccessible, expectNoSidewaysScrolling, test } from "../fixtures/browser";
import { names } from "../fixtures/list";

test("an empty environment guides the user from the first group to its first copied and used token", {
  tag: "@release",
}, async ({ page, context, environment }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/${environment.slug}/groups`);
  await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
  await expect(page.getByRole("img", { name: /^Your backend asks this service/ })).toBeVisible();
  const step = (title: string) =>
    page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title }) });
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByLabel("Your id for the customer").fill("northwind");
  await page.getByLabel("Name", { exact: true }).fill("Northwind Traders");
  await page.getByRole("button", { name: "Create group" }).click();
  await expect(step("Create a group").getByRole("status")).toHaveText("Northwind Traders was created.");
  await expect(step("Create a group").getByLabel("Done")).toBeVisible();
  await expect(step("Put its token into your page")).toHaveAttribute("aria-current", "step");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Copy embed" }).click();
  await expect(step("Put its token into your page").getByLabel("Done")).toBeVisible();
  await expect(step("Put its token into your page")).toContainText("The names are examples");
  const [, token] = /data-user-group-token="(ugt_\w+)"/.exec(await clipboard(page)) ?? [];
  await expect(step("See it used")).toContainText("Waiting for the first use…");
  const answer = await environment.call("POST", "/api/viewer", { body: { token } });
  expect(answer.json).toMatchObject({ active: true, user_group: { provided_id: "northwind" } });
  await expect(step("See it used")).toContainText("Seen just now");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Show the list" }).click();
  await expect(names(page)).toHaveText(["Northwind Traders"]);
});

test("a refused first group shows the reason, and one created by a program completes the first step as well", {
  tag: "@release",
}, async ({ page, environment }) => {
  // A clock that is ahead must not end the first steps.
  await page.clock.setSystemTime(Date.now() + 3_600_000);
  await page.goto(`/${environment.slug}/groups`);
  await page.getByLabel("Your id for the customer").fill(" northwind");
  await page.getByRole("button", { name: "Create group" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "The user group was not created" })).toBeVisible();
  await environment.createGroup({ user_group_id: "acme", name: "Acme" });
  await expect(page.getByText("Acme was created.")).toBeVisible();
});

test("a token is copied from the palette with two keys, and groups of other environments are found", {
  tag: "@release",
}, async ({ page, context, environment }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { token, team_id } = await environment.createGroup({
    user_group_id: "zebra-1",
    name: `Zebra ${environment.slug}`,
  });
  await page.goto("/testing/groups");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  await palette.getByRole("combobox").fill(`Zebra ${environment.slug}`);
  await expect(palette.getByRole("option", { name: /^Zebra/ })).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(palette).toHaveCount(0);
  await expect.poll(() => clipboard(page)).toBe(token);

  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await expect(page.getByRole("heading", { name: /^Zebra/ })).toBeVisible();
  await page.goto("/testing/groups");
  await page.keyboard.press("Control+k");
  await expect(palette.getByRole("option", { name: /^Zebra/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/${environment.slug}/groups/${team_id}`);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("follows the first steps, and is not offered the token", async ({ page, environment }) => {
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByText("An owner or admin creates user groups.")).toBeVisible();
    await environment.createGroup({ name: "Acme" });
    await expect(page.getByText("Acme was created.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Copy embed" })).toHaveCount(0);
  });
});
