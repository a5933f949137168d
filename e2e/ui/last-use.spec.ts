import { expect, expectAccessible, expectNoSidewaysScrolling } from "../fixtures/browser";
import { expectParameter, names, narrow, table, test } from "../fixtures/list";

test("a group's page shows when its token was last used, and explains what counts as a use", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { team_id, token } = await environment.createGroup({ name: "Acme" });
  await page.goto(`/${environment.slug}/groups/${team_id}?tab=embed`);
  const card = page.getByRole("region", { name: "User group token" });
  await expect(page.getByRole("button", { name: "Access: Never used" })).toBeVisible();
  await expect(card).toContainText("Created just now");
  await expect(page.getByRole("main")).toContainText("A new viewer token or a call of POST /api/viewer counts.");
  await expectAccessible(page);
  const ask = (shown: string) => environment.call("POST", "/api/viewer", { body: { token: shown } });
  expect((await ask(token)).json.active).toBe(true);
  await expect(async () => {
    await page.reload();
    await expect(card).toContainText("Last used just now", { timeout: 500 });
  }).toPass();
  await expect(page.getByRole("button", { name: "Access: In use" })).toBeVisible();
  const rotated = await environment.call("POST", "/api/user", { body: { current_token: token } });
  await page.reload();
  await expect(card).toContainText("Last used just now");
  await expect(card).toContainText("Rotated just now by e2e · new one not seen yet");
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.setViewportSize({ width: 1280, height: 720 });
  expect((await ask(rotated.json.user_group.token)).json.active).toBe(true);
  await expect(async () => {
    await page.reload();
    await expect(card).not.toContainText("new one not seen yet", { timeout: 500 });
  }).toPass();
  await expect(card).toContainText(/new one (seen \d+ s later|in use)/);
});

test("the list is filtered by last use, in the menu and in the URL", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const used = { Today: 0, Spring: 60, Never: undefined };
  for (const [name, days] of Object.entries(used)) {
    const { team_id } = await environment.createGroup({ name });
    if (days === undefined) continue;
    await database.query("UPDATE group_use SET last_used_at = now() - $2 * interval '1 day' WHERE team_id = $1", [
      team_id,
      days,
    ]);
  }
  await page.goto(`/${environment.slug}/groups?sort=name`);
  await expect(names(page)).toHaveText(["Never", "Spring", "Today"]);
  const chips = page.getByRole("list", { name: "Filters" }).getByRole("listitem");
  const choose = (label: string) => narrow(page, "Last used", label);
  await choose("Used in the last 30 days");
  await expect(names(page)).toHaveText(["Today"]);
  await expect(chips).toHaveText(["Used in the last 30 days"]);
  await expectParameter(page, "used", "within-30d");
  await page.getByRole("button", { name: "Remove filter Used in the last 30 days" }).click();
  await choose("Not used in the last 30 days");
  await expect(names(page)).toHaveText(["Never", "Spring"]);
  await page.reload();
  await expect(names(page)).toHaveText(["Never", "Spring"]);
  await choose("Never used");
  await expect(names(page)).toHaveText(["Never"]);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.getByRole("button", { name: "Filter · 1" }).click();
  await page.getByRole("button", { name: "Remove filter Never used" }).click();
  await page.keyboard.press("Escape");
  await expect(names(page)).toHaveCount(3);
  await expectParameter(page, "used", null);
  await page.goBack();
  await expect(names(page)).toHaveText(["Never"]);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(`/${environment.slug}/groups?used=within-365d`);
  await expect(chips).toHaveText(["Used in the last 365 days"]);
  await expect(names(page)).toHaveCount(2);
  await page.goto(`/${environment.slug}/groups?used=recently`);
  await expect(page.getByText("The list could not be loaded")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(table(page)).toBeVisible();
  await expect(names(page)).toHaveCount(3);
});

test("the words for a time stay true while the page is open", async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.clock.install();
  await page.goto(`/${environment.slug}/groups`);
  const row = page.getByRole("row", { name: /Alpha/ });
  await expect(row).toContainText("just now");
  await page.clock.fastForward("10:30");
  await expect(row).toContainText("10 min ago");
});
