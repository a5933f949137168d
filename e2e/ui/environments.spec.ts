import { randomBytes } from "node:crypto";
import { expect, expectAccessible, expectNoSidewaysScrolling, type Page, test } from "../fixtures/browser";

const open = (page: Page) => page.goto("/testing/settings/environments");
const cards = (page: Page) => page.getByRole("list", { name: "Environments" }).locator("> li");
const card = (page: Page, text: string) => cards(page).filter({ hasText: text });

async function choose(page: Page, name: string, item: string) {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("an owner creates an environment, renames and deletes it", { tag: "@release" }, async ({ page, database }) => {
  const word = randomBytes(4).toString("hex");
  const [name, slug] = [`Près de Lyon ${word}`, `pres-de-lyon-${word}`];
  await open(page);
  await expect(card(page, "production").first()).toContainText("Customer");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Create environment" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create environment" }).click();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/Enter a name\./);
  await expectAccessible(page);
  await page.getByLabel("Name").fill(name);
  await expect(page.getByLabel("Slug")).toHaveValue(slug);
  await page.getByLabel("Slug").fill("production");
  await page.getByRole("button", { name: "Create environment" }).click();
  await expect(page.getByLabel("Slug")).toHaveAccessibleDescription(/Is taken by another environment\./);
  await page.getByLabel("Slug").fill("settings");
  await expect(page.getByLabel("Slug")).toHaveAccessibleDescription(/choose another\./);
  await page.getByLabel("Slug").fill(slug);
  await expect(page.getByRole("radio", { name: "Testing" })).toBeChecked();
  await page.getByRole("radio", { name: "Customer" }).check();
  await page.getByRole("button", { name: "Create environment" }).click();
  await expect(card(page, slug)).toContainText(/Customer.*No valid API tokens/);
  await expect(page.getByRole("button", { name: "Create environment" })).toBeFocused();
  await page.getByRole("button", { name: /^Environment:/ }).click();
  await page.getByRole("menuitemradio", { name }).click();
  await expect(page).toHaveURL(`/${slug}/settings/environments`);

  await choose(page, name, "Rename…");
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue(name);
  await page.getByLabel("Name", { exact: true }).fill(" ");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(/Enter a name\./);
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await expectAccessible(page);
  await page.getByLabel("Name", { exact: true }).fill(`${name} II`);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: `Environment: ${name} II` })).toBeVisible();
  const [stored] = await database.query("SELECT * FROM environment WHERE slug = $1", [slug]);
  expect(stored).toMatchObject({ name: `${name} II` });

  await choose(page, `${name} II`, "Delete…");
  await expect(page.getByRole("button", { name: "Delete environment" })).toBeDisabled();
  await page.getByLabel(`Type ${slug} to confirm`).fill(slug);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Delete environment" }).click();
  // Another test's environment may be the first with groups.
  await expect(page).toHaveURL(new RegExp(`^(?!.*/${slug}/).*/groups$`));
  expect(await database.query("SELECT FROM environment WHERE slug = $1", [slug])).toEqual([]);
});

test("an environment that is not empty lists what blocks its deletion", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await environment.createGroup();
  await open(page);
  await expect(card(page, environment.slug)).toContainText(/1 user group.*1 valid API token/);
  await choose(page, environment.name, "Delete…");
  const dialog = page.getByRole("dialog", { name: `${environment.name} cannot be deleted yet` });
  await expect(dialog).toContainText("Delete its user groups first: it has 1.");
  await expect(dialog).toContainText("Revoke its valid API tokens first: it has 1.");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: `Actions for ${environment.name}` })).toBeFocused();
});

test("an environment that fills up in the meantime is not deleted, and the server's message is shown", {
  tag: "@release",
}, async ({ page, environment, database }) => {
  const mine = "environment_id = (SELECT id FROM environment WHERE slug = $1)";
  await database.query(`UPDATE api_token SET revoked_at = now() WHERE ${mine}`, [environment.slug]);
  await open(page);
  await choose(page, environment.name, "Delete…");
  await page.getByLabel(/to confirm$/).fill(environment.slug);
  await database.query(`UPDATE api_token SET revoked_at = NULL WHERE ${mine}`, [environment.slug]);
  await page.getByRole("button", { name: "Delete environment" }).click();
  await expect(page.getByRole("dialog")).toContainText("1 valid API token");
  await expectAccessible(page);
});

test("the list shows a failure and can be retried; it fits 320 pixels", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.route("**/api/admin/environments", (route) => route.abort());
  await open(page);
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The environments could not be loaded");
  await expectAccessible(page);
  await page.unroute("**/api/admin/environments");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(card(page, environment.slug)).toBeVisible();
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
});

test("a card describes the use of its groups, and opens them", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  await open(page);
  await expect(card(page, environment.slug)).toContainText("0 user groups");
  await expect(card(page, environment.slug)).toContainText("Create the first user group to see how it is used.");
  const used = await Promise.all(["a", "b", "c"].map((name) => environment.createGroup({ name })));
  await environment.createGroup({ name: "never" });
  for (const [at, days] of [1, 2, 40].entries()) {
    await database.query(
      `INSERT INTO group_use (team_id, environment_id, last_used_at)
       SELECT team_id, environment_id, now() - $2 * interval '1 day' FROM user_group WHERE team_id = $1
       ON CONFLICT (team_id) DO UPDATE SET last_used_at = excluded.last_used_at`,
      [used[at]?.team_id, days],
    );
  }
  await page.reload();
  await expect(card(page, environment.slug)).toContainText(/4 user groups.*2 in use.*1 idle.*1 never used/);
  await expectAccessible(page);
  await page.getByRole("link", { name: environment.name }).click();
  await expect(page).toHaveURL(`/${environment.slug}/groups`);
  await page.goBack();
  await card(page, environment.slug).getByRole("link", { name: "1 idle" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/groups?state=active&used=idle-30d`);
});

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("renames environments, but cannot create or delete them", { tag: "@release" }, async ({ page, environment }) => {
    await open(page);
    await expect(card(page, environment.slug)).toBeVisible();
    await expect(page.getByRole("button", { name: "Create environment" })).toHaveCount(0);
    await page.getByRole("button", { name: `Actions for ${environment.name}` }).click();
    await expect(page.getByRole("menuitem")).toHaveText(["Rename…", "Export settings", "Apply settings…"]);
    await expectAccessible(page);
  });
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees the list without actions", { tag: "@release" }, async ({ page, environment }) => {
    await open(page);
    await expect(card(page, environment.slug)).toBeVisible();
    await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
    await expectAccessible(page);
  });
});
