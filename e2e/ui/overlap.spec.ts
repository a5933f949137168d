import type { Page } from "@playwright/test";
import {
  clipboard,
  expectAccessible,
  expectNoSidewaysScrolling,
  type TestEnvironment,
  toasts,
} from "../fixtures/browser";
import { holdingGroup } from "../fixtures/hold";
import { expect, searchBox, test } from "../fixtures/list";
import { createMember } from "../fixtures/member";

const bar = (page: Page) => page.getByRole("region", { name: "User group token" });
const endNow = (page: Page) => bar(page).getByRole("button", { name: "End now: old token…" });
const question = (page: Page) => page.getByRole("dialog").filter({ has: page.getByRole("heading") });
const press = (page: Page, name: string) => question(page).getByRole("button", { name, exact: true }).click();
const choose = (page: Page, name: string) => question(page).getByRole("radio", { name, exact: true }).check();
const view = async (environment: TestEnvironment, token: string) =>
  (await environment.call("POST", "/api/viewer", { body: { token } })).json;

/** The page of a group in an overlap, its old token used or not. */
async function openOverlapping(page: Page, environment: TestEnvironment, { isUsed = false } = {}) {
  const { token, team_id } = await environment.createGroup({ user_group_id: "acme", name: "Acme" });
  const body = { team_id, overlap_seconds: 3_600 };
  const rotated = await environment.call("POST", "/api/user-groups/rotate", { body });
  expect(rotated.status, rotated.text).toBe(200);
  const path = `/${environment.slug}/groups/${team_id}`;
  if (isUsed) expect(await view(environment, token)).toMatchObject({ token_state: "previous" });
  await expect(async () => {
    await page.goto(path);
    await expect(bar(page)).toContainText(isUsed ? "last used just now" : "never used", { timeout: 1_000 });
  }).toPass();
  return { old: token, token: String(rotated.json.user_group.token), team_id, path };
}

test("a rotation keeps the old token for 24 hours, and the bar shows until when and whether it is used", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { token, team_id } = await environment.createGroup({ name: "Acme" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await page.getByRole("button", { name: "Rotate…" }).click();
  await expect(question(page).getByRole("radio", { name: "24 hours" })).toBeChecked();
  await expect(question(page)).toContainText("Both tokens work for 24 hours");
  await expectAccessible(page);
  await press(page, "Rotate token");
  const done = page.getByRole("dialog", { name: "The token was rotated" });
  await expect(done).toContainText(/The old token of “Acme” works until \w+ \d+, /);
  await expectAccessible(page);
  await done.getByRole("button", { name: "Done" }).click();
  await expect(bar(page)).toContainText(/Old token works until \w+ \d+, .* · never used/);
  await expect(bar(page)).not.toContainText(token.slice(-4));
  const answer = await view(environment, token);
  expect(answer).toMatchObject({ active: true, token_state: "previous" });
  expect(Math.abs(Date.parse(answer.valid_until) - Date.now() - 86_400_000)).toBeLessThan(60_000);
  await expect(async () => {
    await page.reload();
    await expect(bar(page)).toContainText("last used just now", { timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole("button", { name: "Access: Old token in use" })).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/${environment.slug}/groups`);
  await expect(page.getByRole("img", { name: "Old token in use" })).toBeVisible();
});

test("the open bar refreshes the last use of the old token", async ({ page, environment }) => {
  await page.clock.install();
  const { old } = await openOverlapping(page, environment);
  await expect(page.getByRole("button", { name: "Access: Never used" })).toBeVisible();
  await view(environment, old);
  await expect(async () => {
    await page.clock.fastForward(31_000);
    await expect(bar(page)).toContainText(/last used (just now|1 minute ago)/, { timeout: 1_000 });
  }).toPass();
});

test("a leak preselects Now and explains the other choices", async ({ page, environment }) => {
  const { token, team_id } = await environment.createGroup({ name: "Acme" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await page.getByRole("button", { name: "Rotate…" }).click();
  await choose(page, "It leaked");
  await expect(question(page).getByRole("radio", { name: "Now", exact: true })).toBeChecked();
  await expect(question(page)).toContainText("The current token stops working immediately");
  await choose(page, "1 hour");
  await expect(question(page)).toContainText("Until then, anyone with the leaked token can use it.");
  await choose(page, "Now");
  await press(page, "Rotate token");
  await expect(page.getByRole("dialog", { name: "The token was rotated" })).toContainText("has stopped");
  await press(page, "Done");
  await expect(bar(page)).toContainText("Rotated just now by");
  await expect(bar(page)).not.toContainText("Old token");
  expect(await view(environment, token)).toMatchObject({ active: false });
});

test("rotating during an overlap warns that both tokens stop, and stops them", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { old, token } = await openOverlapping(page, environment);
  await page.getByRole("button", { name: "Rotate…" }).click();
  await expect(question(page)).toContainText(/The token before it works until .* It stops now too/);
  await expect(question(page).getByRole("radio")).toHaveCount(0);
  await expectAccessible(page);
  await press(page, "Rotate token");
  await expect(page.getByRole("dialog", { name: "The token was rotated" })).toBeVisible();
  for (const stopped of [old, token]) expect(await view(environment, stopped)).toMatchObject({ active: false });
  await press(page, "Done");
  await expect(endNow(page)).toHaveCount(0);
});

test("an unused old token is ended with one confirmation, also from the palette", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { old, token } = await openOverlapping(page, environment);
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search and commands" }).fill("end now");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "End the old token of “Acme” now?" })).toBeVisible();
  await expectAccessible(page);
  await press(page, "End now");
  await expect(toasts(page)).toContainText("The old token of “Acme” has stopped");
  await expect(endNow(page)).toHaveCount(0);
  expect(await view(environment, old)).toMatchObject({ active: false });
  expect(await view(environment, token)).toMatchObject({ active: true });
  await page.getByRole("tab", { name: "History" }).click();
  const history = page.getByRole("tabpanel", { name: "History" });
  await expect(history).toContainText("ended the old token");
  await expect(history).toContainText(/rotated the token.*: the old one works for 60 min/);
});

test("the last use of an old token is shown before it is ended", { tag: "@release" }, async ({ page, environment }) => {
  const { old } = await openOverlapping(page, environment, { isUsed: true });
  await endNow(page).click();
  await expect(question(page)).toContainText("It was last used just now, and would work until");
  await expectAccessible(page);
  await press(page, "Cancel");
  await expect(endNow(page)).toBeFocused();
  await endNow(page).click();
  await press(page, "End now");
  await expect(toasts(page)).toContainText("The old token of “Acme” has stopped");
  expect(await view(environment, old)).toMatchObject({ active: false });
});

test("an overlap already ended by someone else is not ended again", async ({ page, environment }) => {
  await openOverlapping(page, environment);
  await endNow(page).click();
  await environment.call("POST", "/api/user/end-overlap", { body: { user_group_id: "acme" } });
  await press(page, "End now");
  await expect(toasts(page)).toContainText("had already stopped");
  await expect(endNow(page)).toHaveCount(0);
});

test("the old token is no longer shown once its overlap has ended", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  await page.clock.install();
  const { team_id } = await openOverlapping(page, environment);
  await expect(endNow(page)).toBeVisible();
  await database.query("UPDATE previous_token SET valid_until = now() WHERE team_id = $1", [team_id]);
  await expect(async () => {
    await page.clock.fastForward(31_000);
    await expect(endNow(page)).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
});

test("an old token finds its group", { tag: "@release" }, async ({ page, environment }) => {
  const { old, path } = await openOverlapping(page, environment);
  await page.goto(`/${environment.slug}/groups`);
  await searchBox(page).fill(old);
  const found = page
    .getByRole("main")
    .getByText(/^The old token of Acme, which works until \w+ \d+, [\d:]+\s[AP]M \S+\.$/);
  await expect(found).toBeVisible();
  await found.getByRole("link", { name: "Acme" }).click();
  await expect(page).toHaveURL(path);
});

test("a viewer sees until when the old token works and cannot end it", { tag: "@release" }, async ({
  page,
  environment,
  openAs,
  database,
}) => {
  const { path } = await openOverlapping(page, environment);
  const other = await openAs(await createMember(database, "viewer"));
  await other.goto(path);
  await expect(bar(other)).toContainText("Old token works until");
  await expect(bar(other).getByRole("button", { name: /^End now/ })).toHaveCount(0);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true });

  test("the token is rotated and the old one ended", { tag: "@release" }, async ({ page, environment }) => {
    const { team_id } = await environment.createGroup({ name: "Acme" });
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Rotate token…" }).click();
    await expectNoSidewaysScrolling(page);
    for (const choice of ["Now", "1 hour", "24 hours", "7 days"]) {
      await expect(question(page).getByText(choice, { exact: true })).toBeInViewport({ ratio: 1 });
    }
    await choose(page, "7 days");
    await press(page, "Rotate token");
    await press(page, "Done");
    await expect(bar(page)).toContainText("Old token works until");
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
    await endNow(page).tap();
    await expectNoSidewaysScrolling(page);
    await press(page, "End now");
    await expect(endNow(page)).toHaveCount(0);
  });
});

test.describe("many", () => {
  const selected = (page: Page) => page.getByRole("region", { name: "Selected groups" });
  const create = async (environment: TestEnvironment, count: number) => {
    const ids = Array.from({ length: count }, (_, index) => String(index + 1).padStart(3, "0"));
    const user_groups = ids.map((user_group_id) => ({ user_group_id, name: `G ${user_group_id}` }));
    const made = await environment.call("POST", "/api/user-groups/batch", { body: { mode: "create", user_groups } });
    expect(made.status, made.text).toBe(200);
  };
  /** Selects all groups, and opens the rotation dialog. */
  const begin = async (page: Page, environment: TestEnvironment, count: number) => {
    await page.goto(`/${environment.slug}/groups?sort=id`);
    await page.getByLabel("Select all on this page").check();
    if (count > 50)
      await selected(page)
        .getByRole("button", { name: `Select all ${count} that match` })
        .click();
    await expect(selected(page)).toContainText(`${count} selected`);
    await selected(page).getByRole("button", { name: "Rotate…" }).click();
  };
  const rotations = `SELECT team_id, count(*)::int FROM audit_entry
    WHERE action = 'user_group.token_rotated' AND environment_id = (SELECT id FROM environment WHERE slug = $1) GROUP BY 1`;

  test("tokens are rotated with an overlap, and skipped groups are named", { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const groups = [];
    for (const name of ["A", "B", "C"]) groups.push(await environment.createGroup({ user_group_id: name, name }));
    const [a, b, c] = groups.map(({ token }) => String(token));
    await environment.call("POST", "/api/user", { body: { current_token: b, overlap_seconds: 60 } });
    await begin(page, environment, 3);
    await expect(page.getByRole("dialog", { name: "Rotate the tokens of 3 user groups?" })).toBeVisible();
    await environment.call("DELETE", "/api/user", { body: { user_group_id: "C" } });
    await choose(page, "1 hour");
    await expectAccessible(page);
    await press(page, "Rotate 3 user groups");
    await expect(page.getByRole("list", { name: "Rows of the job" })).toContainText(
      "has an earlier token that still works: rotate without an overlap to stop both",
    );
    await expect(page.getByRole("list", { name: "Rows of the job" })).toContainText(
      "is not a user group of this environment",
    );
    expect(await view(environment, a ?? "")).toMatchObject({ token_state: "previous" });
    await expect(page.getByRole("button", { name: "Continue" })).toHaveCount(0);
    await begin(page, environment, 2);
    await choose(page, "Now");
    await press(page, "Rotate 2 user groups");
    await expect(toasts(page)).toContainText("2 user groups have new tokens");
    for (const token of [a, b, c]) expect(await view(environment, token ?? "")).toMatchObject({ active: false });
    await toasts(page).getByRole("button", { name: "Copy new tokens" }).click();
    await expect(toasts(page)).toContainText("Copied 2 tokens");
    const copied = await clipboard(page);
    for (const line of copied.trim().split("\n")) {
      expect(await view(environment, line.split("\t")[1] ?? "")).toMatchObject({ active: true });
    }
  });

  test("a stop keeps finished rotations, and Continue does the rest", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    test.slow();
    await create(environment, 250);
    await begin(page, environment, 250);
    const held = await holdingGroup(environment.slug, "250");
    await press(page, "Rotate 250 user groups");
    await expect(question(page)).toContainText(/2\d\d of 250/);
    await expectAccessible(page);
    await press(page, "Stop");
    await expect(page.getByText(/^2\d\d of 250 rows were applied and are kept\. \d+ not changed\.$/)).toBeVisible();
    await held.release();
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText("The job is done")).toBeVisible();
    const counts = await database.query(rotations, [environment.slug]);
    expect(counts.map(({ count }) => count)).toEqual(Array.from({ length: 250 }, () => 1));
  });

  test("after a lost answer it is retried, and no token is rotated twice", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    await create(environment, 4);
    await begin(page, environment, 4);
    let lost = 0;
    await page.route("**/api/jobs", async (route) => {
      if (++lost > 2) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await press(page, "Rotate 4 user groups");
    await expect(toasts(page)).toContainText("4 user groups have new tokens");
    expect(lost).toBe(3);
    const counts = await database.query(rotations, [environment.slug]);
    expect(counts.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  });

  test.describe("in Production", () => {
    test.use({ tag: "Customer" });

    test("stopping the old tokens immediately is confirmed by typing their number", async ({ page, environment }) => {
      await create(environment, 2);
      await begin(page, environment, 2);
      const rotate = question(page).getByRole("button", { name: "Rotate 2 user groups" });
      await expect(rotate).toBeEnabled();
      await choose(page, "Now");
      await expect(rotate).toBeDisabled();
      await question(page).getByLabel("Type rotate 2 to confirm").fill("rotate 2");
      await rotate.click();
      await expect(toasts(page)).toContainText("2 user groups have new tokens");
    });
  });
});
