import type { Page } from "@playwright/test";
import type { TestEnvironment } from "../fixtures/browser";
import { addFilter, expect, expectParameter, names, narrow, searchBox, table, test } from "../fixtures/list";

/** Opens the list of an environment with these groups: id, name, properties. */
async function open(page: Page, environment: TestEnvironment, groups: [string, string, object?][]) {
  for (const [user_group_id, name, properties = {}] of groups) {
    await environment.createGroup({ user_group_id, name, properties });
  }
  await page.goto(`/${environment.slug}/groups?sort=name`);
  await expect(names(page)).toHaveCount(groups.length);
}

test("search finds part of a name or id in any case", async ({ page, environment }) => {
  await open(page, environment, [
    ["acme-1", "Acme GmbH"],
    ["b-2", "Borealis Acme"],
    ["customer-acme", "Cetus"],
    ["d-4", "Draco"],
  ]);
  await searchBox(page).fill("ACME");
  await expect(names(page)).toHaveText(["Acme GmbH", "Borealis Acme", "Cetus"]);
  await expectParameter(page, "search", "ACME");
  await searchBox(page).fill("customer-");
  await expect(names(page)).toHaveText(["Cetus"]);
  await searchBox(page).fill("");
  await expect(names(page)).toHaveCount(4);
  await expectParameter(page, "search", null);
});

test("search takes % and _ literally", { tag: "@release" }, async ({ page, environment }) => {
  await open(page, environment, [
    ["one", "100% cotton"],
    ["two", "1000 cotton"],
    ["snake_case", "Three"],
    ["snake-case", "Four"],
    ["back\\slash", "Five"],
  ]);
  for (const [text, found] of [
    ["00%", "100% cotton"],
    ["e_c", "Three"],
    ["k\\s", "Five"],
  ] as const) {
    await searchBox(page).fill(text);
    await expect(names(page)).toHaveText([found]);
  }
});

test("a property filter is added in the popover, and removed by its chip", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await open(page, environment, [
    ["a", "Alpha", { plan: "pro", seats: 10 }],
    ["b", "Beta", { plan: "free", seats: 10 }],
    ["c", "Gamma", { plan: "pro", "a=b, c": "x,y%2C" }],
    ["d", "Delta"],
  ]);
  const add = (property: string, value: string) => addFilter(page, property, value);
  await add("plan", "pro");
  await expect(names(page)).toHaveText(["Alpha", "Gamma"]);
  await add("seats", "10");
  await expect(names(page)).toHaveText(["Alpha"]);
  const chips = page.getByRole("list", { name: "Filters" }).getByRole("listitem");
  await expect(chips).toHaveText(["plan is pro", "seats is 10"]);
  await page.reload();
  await expect(chips).toHaveText(["plan is pro", "seats is 10"]);
  await expect(names(page)).toHaveText(["Alpha"]);
  await page.getByRole("button", { name: "Change filter seats is 10" }).press("Enter");
  await page.getByRole("button", { name: "Change operator is" }).press("Enter");
  await page.getByRole("button", { name: "is not", exact: true }).press("Enter");
  await page.getByLabel("Value", { exact: true }).press("Enter");
  const changed = page.getByRole("button", { name: "Change filter seats is not 10" });
  await expect(changed).toBeFocused();
  await page.getByRole("button", { name: "Remove filter plan is pro" }).click();
  await expect(names(page)).toHaveText(["Delta", "Gamma"]);
  await page.getByRole("button", { name: "Remove filter seats is not 10" }).click();
  await expect(names(page)).toHaveCount(4);
  await expect(chips).toHaveCount(0);
  await add("a=b, c", "x,y%2C");
  await expect(names(page)).toHaveText(["Gamma"]);
  await page.reload();
  await expect(names(page)).toHaveText(["Gamma"]);
  await expect(chips).toHaveText(["a=b, c is x,y%2C"]);
});

test("the list is sorted by its headers and by the menu", async ({ page, environment }) => {
  await open(page, environment, [
    ["3", "Beta"],
    ["1", "Gamma"],
    ["2", "Alpha"],
  ]);
  const header = (name: string) => table(page).getByRole("columnheader", { name });
  const press = (name: string) => header(name).getByRole("button").click();
  await expect(header("Name")).toHaveAttribute("aria-sort", "ascending");
  await expect(names(page)).toHaveText(["Alpha", "Beta", "Gamma"]);
  await press("Name");
  await expect(names(page)).toHaveText(["Gamma", "Beta", "Alpha"]);
  await expect(header("Name")).toHaveAttribute("aria-sort", "descending");
  await press("Id");
  await expect(names(page)).toHaveText(["Gamma", "Alpha", "Beta"]);
  await expect(header("Id")).toHaveAttribute("aria-sort", "ascending");
  await expect(header("Name")).toHaveAttribute("aria-sort", "none");
  await press("Updated");
  await expect(names(page)).toHaveText(["Alpha", "Gamma", "Beta"]);
  await expect(header("Updated")).toHaveAttribute("aria-sort", "descending");
  await page.getByRole("button", { name: "Sort: Last updated" }).click();
  await page.getByRole("menuitemradio", { name: "Oldest" }).click();
  await expect(names(page)).toHaveText(["Beta", "Gamma", "Alpha"]);
  await expectParameter(page, "sort", "created");
  await expect(page.getByRole("button", { name: "Sort: Oldest" })).toBeFocused();
});

/** 120 groups, "Group 001" to "Group 120", 50 per page. */
async function open120(page: Page, environment: TestEnvironment) {
  const numbers = Array.from({ length: 120 }, (_, index) => String(index + 1).padStart(3, "0"));
  await Promise.all(
    numbers.map((number) => environment.createGroup({ user_group_id: `g-${number}`, name: `Group ${number}` })),
  );
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(50);
}

test("pages turn forward and back", { tag: "@release" }, async ({ page, environment }) => {
  await open120(page, environment);
  await expect(page.getByRole("main")).toContainText("120");
  await table(page).getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  const pages = page.getByRole("navigation", { name: "List pages" });
  const next = pages.getByRole("button", { name: "Next" });
  const previous = pages.getByRole("button", { name: "Prev" });
  const expectPage = async (first: string, last: string, count: number) => {
    await expect(names(page).first()).toHaveText(first);
    await expect(names(page).last()).toHaveText(last);
    await expect(names(page)).toHaveCount(count);
  };
  await expectPage("Group 001", "Group 050", 50);
  await expect(previous).toBeDisabled();
  await next.click();
  await expectPage("Group 051", "Group 100", 50);
  await page.reload();
  await expectPage("Group 051", "Group 100", 50);
  await next.click();
  await expectPage("Group 101", "Group 120", 20);
  await expect(next).toBeDisabled();
  await expect(next).toBeFocused();
  await previous.click();
  await expectPage("Group 051", "Group 100", 50);
  await previous.click();
  await expectPage("Group 001", "Group 050", 50);
  await expect(previous).toBeDisabled();
  await searchBox(page).fill("Group 1");
  await expectPage("Group 100", "Group 120", 21);
  await expectParameter(page, "cursor", null);
});

test("the list and a group's page show suspension, and the list is filtered by state", {
  tag: "@release",
}, async ({ page, environment }) => {
  await environment.createGroup({ user_group_id: "paused", name: "Paused" });
  await environment.createGroup({ user_group_id: "running", name: "Running" });
  await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: "paused" } });
  await page.goto(`/${environment.slug}/groups?sort=name`);
  await expect(names(page)).toHaveText(["Paused", "Running"]);
  await expect(table(page).getByRole("row", { name: /Paused/ })).toContainText("suspended");
  await expect(table(page).getByRole("row", { name: /Running/ })).not.toContainText("suspended");
  await narrow(page, "State", "Active");
  await expect(names(page)).toHaveText(["Running"]);
  await expectParameter(page, "state", "active");
  await page.getByRole("button", { name: "Remove filter State is Active" }).click();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Suspended" }).click();
  await expect(names(page)).toHaveText(["Paused"]);
  await names(page).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Paused" })).toBeVisible();
  await expect(page.getByRole("main").getByText("Suspended", { exact: true }).first()).toBeVisible();
});

test("search, filter, sort and page live in the URL: back, forward and reload restore them", {
  tag: "@release",
}, async ({ page, environment }) => {
  await open120(page, environment);
  await environment.createGroup({ user_group_id: "special", name: "Special group", properties: { plan: "pro" } });
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await table(page).getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await expect(names(page).first()).toHaveText("Group 001");
  await press("Next");
  await expect(names(page).first()).toHaveText("Group 051");
  await searchBox(page).pressSequentially("group 07", { delay: 5 });
  await expect(names(page)).toHaveCount(10);
  await addFilter(page, "plan", "pro");
  await expect(page.getByRole("heading", { name: /^No group in .* matches/ })).toBeVisible();

  const chips = page.getByRole("list", { name: "Filters" }).getByRole("listitem");
  const searched = async () => {
    await expect(names(page)).toHaveCount(10);
    await expect(searchBox(page)).toHaveValue("group 07");
    await expect(chips).toHaveCount(0);
  };
  await page.goBack();
  await searched();
  await page.goBack();
  await expect(names(page).first()).toHaveText("Group 051");
  await expect(searchBox(page)).toHaveValue("");
  await page.goBack();
  await expect(names(page).first()).toHaveText("Group 001");
  await page.goForward();
  await expect(names(page).first()).toHaveText("Group 051");
  await page.goForward();
  await searched();
  await page.reload();
  await searched();
  await page.goForward();
  await expect(chips).toHaveText(["plan is pro"]);

  await page.goBack();
  await names(page).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Group 070" })).toBeVisible();
  await page.goBack();
  await searched();
});

test("a malformed URL shows the list, or an error that leads back to it", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await environment.createGroup({ name: "Alpha" });
  for (const rest of ["sort=nonsense", "cursor=nonsense"]) {
    await page.goto(`/${environment.slug}/groups?${rest}`);
    await expect(names(page)).toHaveText(["Alpha"]);
  }
  // In words, as consecutive letters would be taken for a token.
  for (const rest of ["filter=plan", `search=${"a+".repeat(150)}a`]) {
    await page.goto(`/${environment.slug}/groups?${rest}`);
    await expect(page.getByRole("main").getByRole("alert")).toContainText("The list could not be loaded");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect(names(page)).toHaveText(["Alpha"]);
  }
});

test("typing never waits, however late the answers arrive", { tag: "@release" }, async ({ page, environment }) => {
  await open(page, environment, [["a", "Alpha"]]);
  await page.route("**/api/user-groups?*search=*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await searchBox(page).pressSequentially("alphabet", { delay: 250 });
  await expect(searchBox(page)).toHaveValue("alphabet");
  await expect(page.getByRole("heading", { name: /^No group in .* matches/ })).toBeVisible();
  await expect(searchBox(page)).toHaveValue("alphabet");
  await expectParameter(page, "search", "alphabet");
});
