import { expect, expectAccessible, type Page, test } from "../fixtures/browser";

const list = (page: Page) => page.getByRole("region", { name: "Activity", exact: true });
const sentences = (page: Page) => list(page).getByRole("paragraph");
/** The entry of a group's creation; entries of members, which other tests make too, may be above it. */
const about = (page: Page, name: string) => sentences(page).filter({ hasText: `e2e created ${name}` });

/** How often the page reads the newest entries, in milliseconds. */
const POLL_MS = 3_000;

/** The page's requests for entries. */
function watchReads(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/user-groups/history?")) asked.push(request.url());
  });
  return asked;
}

test.describe("for a viewer", () => {
  test.use({ role: "viewer" });

  test("new entries appear on top, and open entries stay open", { tag: "@release" }, async ({ page, environment }) => {
    // Filtered, as other tests add entries of the whole instance.
    await page.goto(`/${environment.slug}/activity?action=user_group.created`);
    const before = await page.evaluate(() => performance.timeOrigin);
    await environment.createGroup({ name: "Acme", properties: { plan: "free" } });
    const acme = list(page).getByRole("button", { name: "e2e created Acme" });
    await expect(sentences(page).first()).toHaveText("e2e created Acme");
    await acme.click();
    await expect(acme).toHaveAttribute("aria-expanded", "true");
    await environment.createGroup({ name: "Borealis" });
    await expect(sentences(page).first()).toHaveText("e2e created Borealis");
    await expect(acme).toHaveAttribute("aria-expanded", "true");
    await expect(acme).toBeFocused();
    await expectAccessible(page);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(before);
  });
});

test("with filters only matching entries appear, and in a group's history only that group's", {
  tag: "@release",
}, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Acme" });
  await page.goto(`/${environment.slug}/activity?action=user_group.updated`);
  const change = (id: string) =>
    environment.call("PUT", "/api/user", { body: { user_group_id: id, name: `Changed ${id.slice(-4)}` } });
  await environment.createGroup({ name: "Borealis" });
  await change(group.provided_id);
  await expect(sentences(page)).toHaveCount(1);

  const other = await environment.createGroup({ name: "Contoso" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=history`);
  await expect(sentences(page)).toHaveCount(2);
  await change(other.provided_id);
  await environment.call("POST", "/api/user", { body: { current_token: group.token } });
  await expect(sentences(page).first()).toHaveText(/rotated the token/);
  await expect(sentences(page)).toHaveCount(3);
});

test("it pauses on later pages and while the page is hidden, then catches up", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  await database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name)
     SELECT e.id, 'user_groups.exported', 'operator', 'filler' FROM environment e, generate_series(1, 60) WHERE slug = $1`,
    [environment.slug],
  );
  const asked = watchReads(page);
  await page.goto(`/${environment.slug}/activity`);
  const older = page.waitForResponse(/\/api\/user-groups\/history\?.*cursor=/);
  await page.getByRole("button", { name: "Older" }).click();
  await older;
  const onFirst = asked.length;
  await environment.createGroup({ name: "Acme" });
  await page.waitForTimeout(POLL_MS + 500);
  await expect(about(page, "Acme")).toHaveCount(0);
  expect(asked.length).toBe(onFirst);
  await page.getByRole("button", { name: "Newer" }).click();
  await expect(about(page, "Acme")).toBeVisible();

  const hide = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      Object.defineProperty(document, "visibilityState", {
        configurable: true,
        get: () => (hidden ? "hidden" : "visible"),
      });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }, isHidden);
  await hide(true);
  const shown = asked.length;
  await environment.createGroup({ name: "Borealis" });
  await page.waitForTimeout(POLL_MS + 500);
  await expect(about(page, "Borealis")).toHaveCount(0);
  expect(asked.length).toBe(shown);
  await hide(false);
  await expect(about(page, "Borealis")).toBeVisible();
});

test("it resumes after a lost connection", { tag: "@release" }, async ({ page, context, environment }) => {
  await page.goto(`/${environment.slug}/activity`);
  await context.setOffline(true);
  await environment.createGroup({ name: "Acme" });
  await context.setOffline(false);
  await expect(about(page, "Acme")).toBeVisible({ timeout: 15_000 });
  await environment.createGroup({ name: "Borealis" });
  await expect(about(page, "Borealis")).toBeVisible();
});

test("the export contains the filtered entries", async ({ page, environment }) => {
  await environment.createGroup({ name: "Acme" });
  await environment.createGroup({ name: "Borealis" });
  await page.goto(`/${environment.slug}/activity?action=user_group.created`);
  await expect(sentences(page)).toHaveCount(2);
  await page.getByRole("button", { name: "Export" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as JSON lines" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(new RegExp(`^history-${environment.slug}-[\\d-]+\\.jsonl$`));
  const stream = await download.createReadStream();
  const text = (await stream.toArray()).join("");
  const lines = text.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).user_group.name)).toEqual(["Borealis", "Acme"]);
});
