import { newId } from "../fixtures/api";
import {
  clipboard,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  type TestEnvironment,
  test,
} from "../fixtures/browser";

const list = (page: Page) => page.getByRole("region", { name: "Activity", exact: true });
const entries = (page: Page) => list(page).locator("button[aria-expanded]");
const sentences = (page: Page) => list(page).getByRole("paragraph");
const filters = (page: Page) => page.getByRole("dialog", { name: "Filter the activity" });

/** Filters by a choice of one kind. */
async function filter(page: Page, kind: string, choice: string) {
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await filters(page).getByRole("button", { name: kind, exact: true }).click();
  await filters(page).getByRole("button", { name: choice, exact: true }).click();
  await expect(filters(page)).toBeHidden();
}
const open = (page: Page, slug: string, query = "") => page.goto(`/${slug}/activity${query}`);

/** A group created, updated and rotated with the environment's API token. */
async function makeHistory(environment: TestEnvironment, fields: Record<string, unknown> = {}) {
  const group = await environment.createGroup({
    name: "Acme",
    mapping: { 40: "213" },
    properties: { plan: "free", old: [1, 2] },
    ...fields,
  });
  const body = `{"user_group_id":"${group.provided_id}","name":"Acme GmbH","properties":{"plan":"pro","seats":10.0}}`;
  expect((await environment.call("PUT", "/api/user", { body })).status).toBe(200);
  expect((await environment.call("POST", "/api/user", { body: { current_token: group.token } })).status).toBe(200);
  return group;
}

test("every change is listed and expands to show its details", { tag: "@release" }, async ({ page, environment }) => {
  const group = await makeHistory(environment);
  await open(page, environment.slug, "?from=2020-01-01T00:00:00.000Z");
  // What members do to their own sessions is listed in every environment.
  const item = (at: number) =>
    list(page)
      .getByRole("listitem")
      .filter({ has: page.getByRole("button"), hasText: /^e2e|API token e2e/ })
      .nth(at);
  const button = (at: number) => item(at).getByRole("button").first();
  const [rotated, updated, created] = [button(0), button(1), button(2)];
  await expect(item(0)).toContainText("e2e rotated the token of Acme GmbH");
  await expect(item(1)).toContainText("e2e changed name and properties in Acme GmbH");
  await expect(item(2)).toContainText("e2e created Acme GmbH");
  await expect(item(3)).toContainText("created the API token e2e");
  await expect(item(4)).toHaveCount(0);
  await expect(item(0).getByRole("time")).toHaveText("just now");
  await expect(item(0).getByRole("time")).toHaveAttribute("title", /\d{4}/);
  await expect(item(3)).toContainText("API token e2e");
  await expectAccessible(page);

  await updated.focus();
  await page.keyboard.press("Enter");
  await expect(updated).toHaveAttribute("aria-expanded", "true");
  await expect(item(1).getByRole("list", { name: "Name" })).toContainText("BeforeAcme+AfterAcme GmbH");
  const changes = item(1).getByRole("list", { name: "Properties" }).getByRole("listitem");
  await expect(changes).toContainText(['plan−Before"free"+After"pro"', "old−Before[1,2]", "seats+After10.0"]);
  await expect(item(1).getByRole("list", { name: "Mapping" })).toHaveCount(0);
  await rotated.click();
  await expect(item(0)).toContainText("The token was rotated");
  await created.click();
  await expect(item(2).getByRole("list", { name: "Mapping" })).toContainText('40+After"213"');
  await expectAccessible(page);
  expect(await page.content()).not.toContain(group.token);
  await item(0).getByRole("link", { name: "Acme GmbH" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/groups/${group.team_id}`);
});

test("an overlap's old token and a text that became a number are described correctly", async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup({ name: "Acme", properties: { seats: "5" } });
  const { provided_id: user_group_id, token: current_token } = group;
  const send = async (method: string, body: object) =>
    expect((await environment.call(method, "/api/user", { body })).status).toBe(200);
  await send("PATCH", { user_group_id, properties: { seats: 5 } });
  await send("POST", { current_token, overlap_seconds: 3_600 });
  await open(page, environment.slug);
  await expect(sentences(page).filter({ hasText: "changed seats" })).toContainText('from "5" → to 5');
  await expect(page.getByRole("figure")).toHaveAccessibleName(/ changes in 24 h$/);
  await entries(page).first().click();
  await expect(list(page)).toContainText(/The token was rotated; the old one was set to work until \w{3} \d/);
});

test("filters apply, live in the URL, and follow back and forward", { tag: "@release" }, async ({
  page,
  environment,
  member,
}) => {
  await makeHistory(environment);
  await environment.createGroup({ name: "Borealis" });
  await open(page, environment.slug);
  await filter(page, "Action", "User group: created");
  await expect(sentences(page)).toHaveText(["e2e created Borealis", "e2e created Acme GmbH"]);
  await expect(page).toHaveURL(/action=user_group\.created/);
  await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
  await expect(filters(page).getByLabel("Filter by")).toBeFocused();
  await page.keyboard.type("acme");
  await expect(filters(page).getByRole("button", { name: /^Acme GmbH/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(sentences(page)).toHaveText(["e2e created Acme GmbH"]);
  await expect(page.getByRole("list", { name: "Filters" })).toContainText(/User group\s*is\s*Acme GmbH/);
  await page.goBack();
  await expect(entries(page)).toHaveCount(2);
  await page.goForward();
  await expect(entries(page)).toHaveCount(1);
  await page.reload();
  await expect(entries(page)).toHaveCount(1);
  await expect(page.getByRole("list", { name: "Filters" })).toContainText(/Action\s*is\s*User group: created/);

  await filter(page, "Member", `Member ${member.id}`);
  await expect(page.getByRole("heading", { name: "No activity matches" })).toBeVisible();
  await expectAccessible(page);
  await filter(page, "API token", "e2e");
  await expect(page).not.toHaveURL(/member=/);
  await expect(entries(page)).toHaveCount(1);
  await page.getByRole("button", { name: "Remove filter User group is Acme GmbH" }).click();
  await expect(entries(page)).toHaveCount(2);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(entries(page)).not.toHaveCount(1);
  await expect(page).toHaveURL(`/${environment.slug}/activity`);

  await page.getByRole("button", { name: "Any time" }).click();
  await expectAccessible(page);
  await page.getByLabel("To", { exact: true }).fill("2020-01-01T00:00:00");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("heading", { name: "No activity matches" })).toBeVisible();
  await page.getByRole("button", { name: /^Until Jan 1, 2020/ }).click();
  await page.getByLabel("From", { exact: true }).fill("2021-01-01T00:00:00");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: /^Jan 1, 2020.* to Jan 1, 2021/ }).click();
  await page.getByRole("button", { name: "Last hour" }).click();
  await expect(list(page)).toContainText("Borealis");
});

test("a five-digit year in the time filter is reported and not applied", async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/activity`);
  await page.getByRole("button", { name: "Any time" }).click();
  await page.getByLabel("From", { exact: true }).fill("12026-01-01T00:00:00");
  await expect(page.getByRole("alert")).toHaveText("Enter a day and a time, in a year from 1970 to 9999.");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/activity`);
  await page.getByLabel("From", { exact: true }).fill("2026-01-01T00:00:00");
  await expect(page.getByRole("alert")).toBeHidden();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("button", { name: /^Since Jan 1, 2026/ })).toBeVisible();
});

test("it covers this environment or all", async ({ page, environment, database }) => {
  const name = newId("elsewhere");
  const [other] = await database.query("SELECT id FROM environment WHERE slug = 'testing'");
  await database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, after)
     VALUES ($1, 'api_token.created', 'operator', 'e2e', $2)`,
    [other.id, JSON.stringify({ name })],
  );
  await open(page, environment.slug, "?action=api_token.created");
  await expect(entries(page).first()).toBeVisible();
  await expect(page.getByText(name)).toHaveCount(0);
  await filter(page, "Environment", "All environments");
  await expect(list(page)).toContainText(`${name} in testing`);
  await expect(page).toHaveURL(/scope=all/);
  await page.getByRole("button", { name: "Remove filter All environments" }).click();
  await expect(page.getByText(name)).toHaveCount(0);
});

test("pages lead to older entries and back", { tag: "@release" }, async ({ page, environment, database }) => {
  const [{ id }] = await database.query("SELECT id FROM environment WHERE slug = $1", [environment.slug]);
  await database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, after)
     SELECT $1, 'user_groups.import_cancelled', 'operator', 'e2e ' || n % 2, json_build_object('name', 'No. ' || n || '.') FROM generate_series(1, 120) n`,
    [id],
  );
  await open(page, environment.slug, "?action=user_groups.import_cancelled");
  await expect(list(page)).toContainText("No. 120.");
  await expect(page.getByRole("button", { name: "Newer" })).toBeDisabled();
  await page.getByRole("button", { name: "Older" }).click();
  await expect(list(page)).toContainText("No. 70.");
  await expect(list(page)).not.toContainText("No. 71.");
  await page.getByRole("button", { name: "Older" }).click();
  await expect(entries(page)).toHaveCount(20);
  await expect(page.getByRole("button", { name: "Older" })).toBeDisabled();
  await page.reload();
  await expect(entries(page)).toHaveCount(20);
  await page.getByRole("button", { name: "Newer" }).click();
  await expect(list(page)).toContainText("No. 70.");
  await page.getByRole("button", { name: "Newer" }).click();
  await expect(list(page)).toContainText("No. 120.");
  await expect(page).toHaveURL(`/${environment.slug}/activity?action=user_groups.import_cancelled`);
});

test("a group's history is the same list, for that group only", { tag: "@release" }, async ({ page, environment }) => {
  const group = await makeHistory(environment);
  await environment.createGroup();
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=history`);
  await expect(sentences(page)).toHaveText(["e2e rotated the token", "e2e changed name and properties", "e2e created"]);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(filters(page).getByRole("listitem")).toHaveText(["Action", "Member", "API token"]);
  await page.keyboard.press("Escape");
  await filter(page, "Action", "Updated");
  await expect(sentences(page)).toHaveText(["e2e changed name and properties"]);
  const body = { user_group_id: group.provided_id };
  for (let n = 0; n < 3; n++) await environment.call("POST", "/api/user-groups/rotate", { body });
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=history`);
  await expect(sentences(page).first()).toHaveText("e2e rotated the token × 4 Show 4");
});

test("neighbours that read alike are one line, which shows each of them", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const fold = (count: number) => page.getByRole("button", { name: new RegExp(`^e2e created ${count} user groups`) });
  const acme = page.getByRole("button", { name: "e2e created Acme", exact: true });
  for (const name of ["Acme", "Borealis"]) await environment.createGroup({ name });
  await open(page, environment.slug, "?action=user_group.created");
  await expect(sentences(page)).toHaveText(["e2e created Borealis", "e2e created Acme"]);
  await acme.click();
  await expect(list(page)).toContainText("Request id");
  await test.step("what is open stays open in it", async () => {
    await environment.createGroup({ name: "Contoso" });
    await expect(fold(3)).toHaveAttribute("aria-expanded", "true");
    await expect(acme).toHaveAttribute("aria-expanded", "true");
    await expect(acme).toBeFocused();
    await expectAccessible(page);
  });
  await page.reload();
  await expect(list(page).getByRole("listitem")).toHaveText([/^e2e created 3 user groups.*Contoso, Borealis, Acme/]);
  await fold(3).press("Enter");
  await expect(list(page).getByRole("listitem")).toHaveText([/Hide/, /Contoso/, /Borealis/, /created Acme/]);
  await fold(3).press("Enter");
  await expect(acme).toHaveCount(0);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
});

test("a deleted group is found by its number and still named", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const group = await makeHistory(environment);
  await database.query("DELETE FROM user_group WHERE team_id = $1", [group.team_id]);
  await open(page, environment.slug);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await filters(page).getByRole("button", { name: "User group" }).click();
  await filters(page).getByLabel("User group", { exact: true }).fill(String(group.team_id));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`group=${group.team_id}`));
  await expect(list(page)).toContainText("(deleted)");
  await expect(list(page).getByRole("link")).toHaveCount(0);
});

test("a filter that the address misspells is reported and cannot be retried", async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/activity?action=misspelt`);
  const alert = page.getByRole("main").getByRole("alert").filter({ hasText: "The activity could not be loaded" });
  await expect(alert).toContainText("must be");
  await expect(alert).not.toContainText(/Nothing was changed|Request id|Try again/);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(alert).toHaveCount(0);
});

test("it shows a failure and can be retried", async ({ page, environment }) => {
  await makeHistory(environment);
  await page.route(/\/api\/(admin\/activity|user-groups\/history)/, (route) =>
    route.fulfill({ status: 500, json: {} }),
  );
  await open(page, environment.slug);
  await expect(page.getByRole("main").getByRole("alert").first()).toContainText("could not be loaded");
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(2);
  await expectAccessible(page);
  await page.unroute(/\/api\/(admin\/activity|user-groups\/history)/);
  for (const what of ["The filters", "The activity"]) {
    const alert = page.getByRole("main").getByRole("alert").filter({ hasText: what });
    await alert.getByRole("button", { name: "Try again" }).click();
    await expect(alert).toHaveCount(0);
  }
  await expect(list(page)).toContainText("Acme GmbH");
});

test("it fits 320 pixels, even with the longest values", { tag: "@release" }, async ({ page, environment }) => {
  await makeHistory(environment, { properties: { note: "n".repeat(2_000), ["k".repeat(200)]: true } });
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, environment.slug);
  for (const at of [0, 1, 2]) await entries(page).nth(at).press("Enter");
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees others' changes", { tag: "@release" }, async ({ page, environment }) => {
    await makeHistory(environment);
    await open(page, environment.slug);
    await expect(list(page)).toContainText("Acme GmbH");
    await expectAccessible(page);
  });
});

test("a time range is selected by dragging over the histogram, and its numbers can be copied", {
  tag: "@release",
}, async ({ page, context, environment, database }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, after, at)
     SELECT id, 'user_groups.import_cancelled', 'operator', 'e2e', '{"name":"Counted"}', now() - d * interval '1 day'
     FROM environment, generate_series(20, 0, -10) d WHERE slug = $1`,
    [environment.slug],
  );
  await open(page, environment.slug, "?action=user_groups.import_cancelled");
  const chart = page.getByRole("figure", { name: "3 changes in 30 days" });
  await expect(chart).toBeVisible();
  await expect(entries(page)).toHaveCount(3);
  await expectAccessible(page);
  await chart.getByRole("button", { name: "Show numbers" }).click();
  const numbers = page.getByRole("dialog", { name: "3 changes in 30 days" });
  await expect(numbers.getByRole("row", { name: / 1$/ })).toHaveCount(3);
  await expectAccessible(page);
  await numbers.getByRole("button", { name: "Copy" }).click();
  const copied = await clipboard(page);
  expect(copied.split("\n").filter((line) => line.endsWith("\t1"))).toHaveLength(3);
  await page.keyboard.press("Escape");
  await expect(numbers).toHaveCount(0);

  const box = await chart.locator("svg[viewBox]").last().boundingBox();
  if (!box) throw new Error("the chart has no place");
  // The last third covers today and the entry of ten days ago.
  await page.mouse.move(box.x + box.width * 0.6, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=.*&to=/);
  await expect(entries(page)).toHaveCount(2);
  await page.goBack();
  await expect(entries(page)).toHaveCount(3);
});
