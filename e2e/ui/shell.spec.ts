import { expect, test } from "../fixtures/browser";

test("the environment is always visible, and switched in the header", { tag: "@release" }, async ({ page }) => {
  await page.goto("/testing/groups");
  await page.getByRole("button", { name: "Environment: Testing" }).click();
  await page.getByRole("menuitemradio", { name: "Production" }).click();
  await expect(page).toHaveURL("/production/groups");
  await expect(page.getByRole("button", { name: "Environment: Production" })).toBeVisible();
});

test("pages open where the browser's storage is full", async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("It is full.", "QuotaExceededError");
    };
  });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("link", { name: "Alpha" }).click();
  await expect(page.getByRole("heading", { name: "Alpha" })).toBeVisible();
});

test("a menu taller than the window scrolls to its last item", { tag: "@release" }, async ({ page }) => {
  const height = 110;
  await page.setViewportSize({ width: 768, height });
  await page.goto("/production/groups");
  await page.getByRole("button", { name: "Environment: Production" }).click();
  const menu = page.getByRole("menu");
  await expect(menu).toBeVisible();
  const box = await menu.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? height)).toBeLessThanOrEqual(height);
  expect(await menu.evaluate((element) => element.scrollHeight > element.clientHeight)).toBe(true);
  await page.getByRole("menuitemradio", { name: "Testing", exact: true }).click();
  await expect(page).toHaveURL("/testing/groups");
});

test("titles are on one line, and settings have one width and one size of headings", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id } = await environment.createGroup();
  await page.setViewportSize({ width: 1440, height: 900 });
  const measure = () =>
    page.getByRole("main").evaluate((main) => {
      const sizes = [...main.querySelectorAll("section h2")].map((one) => getComputedStyle(one).fontSize);
      const title = main.querySelector("h1");
      const { y, height } = title?.getBoundingClientRect() ?? {};
      return { title: [y, height], sizes: [...new Set(sizes)], right: title?.closest("main > *")?.clientWidth };
    });
  const line = [70, 28];
  for (const path of [
    "groups",
    "groups/new",
    "groups/import",
    "groups/deleted",
    `groups/${team_id}`,
    "activity",
    "data-model",
    "settings/embedding",
    "settings/environments",
  ]) {
    await page.goto(`/${environment.slug}/${path}`);
    await expect.poll(async () => (await measure()).title, path).toEqual(line);
  }
  for (const [path, heading] of [
    ["data-model?tab=rules", "Data sources"],
    ["settings/api-tokens", undefined],
    ["settings/webhooks", "No webhooks yet"],
    ["settings/members", "What each role may do"],
    ["settings/account", "Sessions"],
  ] as const) {
    await page.goto(`/${environment.slug}/${path}`);
    if (heading) await expect(page.getByRole("heading", { name: heading, level: 2 })).toBeVisible();
    const { title, sizes, right } = await measure();
    expect({ path, title, right }).toEqual({ path, title: line, right: 952 });
    expect(sizes.filter((size) => size !== "14px")).toEqual([]);
  }
});
