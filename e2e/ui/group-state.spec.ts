import type { Page } from "@playwright/test";
import { PRESETS } from "@/lib/authority/scopes";
import { call } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { expect, type TestEnvironment, test, toasts } from "../fixtures/browser";
import { chooseMore } from "../fixtures/list";
import { stage } from "../fixtures/stage";

/** A renderer's answer about a token. */
const viewed = async ({ call }: TestEnvironment, token: string) =>
  (await call("POST", "/api/viewer", { body: { token } })).json;
/** Opens the state's popover unless it is open. */
const access = async (page: Page) => {
  const popover = page.getByRole("dialog", { name: "Access", exact: true });
  if (!(await popover.isVisible())) await page.getByRole("button", { name: /^Access: / }).click();
  await expect(popover).toBeVisible();
  return popover;
};
/** Chooses what to do with the group. */
const choose = async (page: Page, item: string | RegExp) => {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: item }).click();
};
/** A toast is a dialog as well. */
const dialog = (page: Page) => page.getByRole("dialog", { name: /\?$|^End of access/ });

test("a group is suspended with a reason and resumed on its page", async ({ page, environment }) => {
  const { team_id, token } = await environment.createGroup({ name: "Late payer" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await expect(await access(page)).toContainText("Active");
  await page.keyboard.press("Escape");
  await choose(page, "Suspend…");
  await dialog(page).getByLabel("Reason").fill("Invoice 4711 is overdue");
  await dialog(page).getByRole("button", { name: "Suspend", exact: true }).click();
  await expect(toasts(page).getByText("“Late payer” is suspended")).toBeVisible();
  await expect(page.getByRole("button", { name: "Access: Suspended" })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("just now: Invoice 4711 is overdue");
  expect(await viewed(environment, token)).toEqual({ success: 1, active: false, reason: "suspended" });
  await page.getByRole("tab", { name: "History" }).click();
  const entry = page.getByRole("list", { name: "Today" }).getByRole("listitem").first();
  await expect(entry.getByRole("button", { name: "suspended" })).toBeVisible();
  await expect(entry).toContainText("Invoice 4711 is overdue");

  await choose(page, "Resume…");
  await dialog(page).getByRole("button", { name: "Resume", exact: true }).click();
  await expect(toasts(page).getByText("“Late payer” is no longer suspended")).toBeVisible();
  expect(await viewed(environment, token)).toMatchObject({ active: true });
});

test("after a suspension or a rotation, a group's page says which renderers have asked or polled since", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { team_id, provided_id, token } = await environment.createGroup({ name: "Late payer" });
  const settings = { DATABASE_URL: stage().databaseUrl, SECRET_KEY: stage().secretKey };
  const renderer = (name: string) =>
    insertApiToken(settings, { environment: environment.slug, scopes: PRESETS.renderer, name });
  const [eu, us] = [await renderer("renderer-eu"), await renderer("renderer-us")];
  const poll = async () => expect((await call("GET", "/api/revocations", { token: us })).status).toBe(200);
  await poll();
  await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: provided_id } });
  await call("POST", "/api/viewer", { token: eu, body: { token } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  // The last use of API tokens is stored, and read by the page, every 10 s.
  const soon = { timeout: 45_000 };
  const time = String.raw`at \d\d:\d\d:\d\d`;
  const since = new RegExp(`renderer-us last polled ${time}, but not since; renderer-eu asked ${time}\\.`);
  await expect(page.getByRole("main")).toContainText(since, soon);
  await poll();
  await expect(page.getByRole("main")).toContainText(new RegExp(`renderer-us polled ${time}`), soon);

  await environment.call("POST", "/api/user-groups/resume", { body: { user_group_id: provided_id } });
  const { status } = await environment.call("POST", "/api/user", { body: { current_token: token } });
  expect(status).toBe(200);
  await page.reload();
  const card = page.getByRole("region", { name: "User group token" });
  await expect(card).toContainText(new RegExp(`renderer-eu last asked ${time}, but not since`));
});

test("a group is suspended and resumed in the list, and the delete dialog names suspension first", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { token } = await environment.createGroup({ name: "Pausing" });
  await page.goto(`/${environment.slug}/groups`);
  const open = (item: string) =>
    page
      .getByRole("button", { name: "Actions for Pausing" })
      .click()
      .then(() => page.getByRole("menuitem", { name: item }).click());
  await open("Delete…");
  await expect(dialog(page)).toContainText("creates a new user group with another token");
  await expect(dialog(page)).toContainText("To stop serving it and keep its token, suspend it.");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await open("Suspend…");
  await dialog(page).getByRole("button", { name: "Suspend", exact: true }).click();
  await expect(page.getByRole("row", { name: /Pausing/ })).toContainText("suspended");
  expect(await viewed(environment, token)).toMatchObject({ active: false, reason: "suspended" });
  await open("Resume…");
  await dialog(page).getByRole("button", { name: "Resume", exact: true }).click();
  await expect(page.getByRole("row", { name: /Pausing/ })).not.toContainText("suspended");
  expect(await viewed(environment, token)).toMatchObject({ active: true });
});

test.describe("in another time zone", () => {
  test.use({ timezoneId: "Pacific/Auckland" });

  test("the end of access is set and cleared, in local time and UTC", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    const { team_id, token } = await environment.createGroup({ name: "On trial" });
    const stored = async () =>
      (await database.query("SELECT access_ends_at FROM user_group WHERE team_id = $1", [team_id]))[0].access_ends_at;
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    const save = async (local: string, hint: string) => {
      await choose(page, /^(Set|Change) end of access…$/);
      if (local === "") await dialog(page).getByRole("button", { name: "Clear" }).click();
      else await dialog(page).getByLabel("Access ends").fill(local);
      await expect(dialog(page)).toContainText(hint);
      await dialog(page).getByRole("button", { name: "Save" }).click();
      await expect(dialog(page)).toBeHidden();
    };
    // Summer time there: 13 hours ahead.
    await save("2099-01-31T12:00", "2099-01-30 23:00 UTC");
    await expect(await access(page)).toContainText("Jan 31, 2099");
    await expect(await access(page)).toContainText("2099-01-30 23:00 UTC");
    await page.keyboard.press("Escape");
    expect((await stored()).toISOString()).toBe("2099-01-30T23:00:00.000Z");
    await save("2020-01-31T12:00", "in the past, so access ends now");
    await expect(page.getByText("Access has ended")).toBeVisible();
    expect(await viewed(environment, token)).toEqual({ success: 1, active: false, reason: "ended" });
    await save("", "Never");
    await expect(await access(page)).toContainText("Never");
    expect(await stored()).toBeNull();
    expect(await viewed(environment, token)).toMatchObject({ active: true });
  });
});

test.describe("where clocks go back", () => {
  test.use({ timezoneId: "America/New_York" });

  test("an untouched end of access keeps its second 01:30 and its milliseconds, and an unfinished one is not saved", async ({
    page,
    environment,
  }) => {
    const stored = "2026-11-01T06:30:42.123Z";
    const { team_id, provided_id } = await environment.createGroup({ name: "Autumn" });
    const ended = await environment.call("PATCH", "/api/user", {
      body: { user_group_id: provided_id, access_ends_at: stored },
    });
    expect(ended.status, ended.text).toBe(200);
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await choose(page, "Change end of access…");
    const field = dialog(page).getByLabel("Access ends");
    await expect(field).toHaveValue("2026-11-01T01:30:42");
    await expect(field).toHaveAccessibleDescription(/2026-11-01 06:30 UTC.* EST$/);
    const save = dialog(page).getByRole("button", { name: "Save" });
    await expect(save).toBeDisabled();
    await field.fill("2026-10-01T01:30:42");
    await expect(field).toHaveAccessibleDescription(/ EDT$/);
    await expect(save).toBeEnabled();
    await field.fill("2026-11-01T01:30:42");
    await expect(save).toBeDisabled();
    for (const text of ["12026-11-01T01:30:42", "0026-11-01T01:30:42"]) {
      await field.fill(text);
      await expect(dialog(page).getByRole("alert")).toHaveText("Enter a day and a time, in a year from 1970 to 9999.");
      await expect(save).toBeDisabled();
    }
  });
});

test("a deleted group is restored with its token, also in place of the group that took its id", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { provided_id, token } = await environment.createGroup({ name: "Old" });
  const remove = () => environment.call("DELETE", "/api/user", { body: { user_group_id: provided_id } });
  await remove();
  await page.goto(`/${environment.slug}/groups`);
  // The list is empty.
  await page.getByRole("link", { name: "Recently deleted" }).click();
  const row = page.getByRole("row", { name: /Old/ });
  await expect(row).toContainText("by e2e");
  await row.getByRole("button", { name: "Restore Old" }).click();
  await dialog(page).getByRole("button", { name: "Restore", exact: true }).click();
  await expect(toasts(page).getByText("“Old” was restored")).toBeVisible();
  await expect(page.getByText("No deleted user groups")).toBeVisible();
  expect(await viewed(environment, token)).toMatchObject({ active: true });

  await remove();
  const living = await environment.createGroup({ user_group_id: provided_id, name: "Living" });
  await page.reload();
  await row.getByRole("button", { name: "Replace Old" }).click();
  await expect(dialog(page)).toContainText("its token stops working immediately");
  await dialog(page).getByRole("button", { name: "Replace", exact: true }).click();
  await expect(toasts(page).getByText("“Old” was restored")).toBeVisible();
  await expect(page.getByRole("row", { name: /Living/ })).toBeVisible();
  expect(await viewed(environment, token)).toMatchObject({ active: true });
  expect(await viewed(environment, living.token)).toEqual({ success: 1, active: false });
});

test("a deleted group is erased for good by typing its id", async ({ page, environment, database }) => {
  const { provided_id, team_id } = await environment.createGroup({ name: "Former", properties: { secret: "kept" } });
  await environment.call("DELETE", "/api/user", { body: { user_group_id: provided_id } });
  await page.goto(`/${environment.slug}/groups/deleted`);
  await page.getByRole("button", { name: "Erase for good: Former" }).click();
  const confirm = dialog(page).getByRole("button", { name: "Erase for good" });
  await expect(confirm).toBeDisabled();
  await dialog(page).getByRole("textbox").fill(provided_id);
  await confirm.click();
  await expect(toasts(page).getByText("“Former” was erased for good")).toBeVisible();
  await expect(page.getByText("No deleted user groups")).toBeVisible();
  const kept = "SELECT FROM audit_entry WHERE team_id = $1 AND (before IS NOT NULL OR after IS NOT NULL)";
  expect(await database.query(kept, [team_id])).toEqual([]);
  await page.goto(`/${environment.slug}/activity`);
  await expect(page.getByRole("button", { name: "Erased for good" })).toBeVisible();
  await expect(page.getByText("kept")).toBeHidden();
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees deleted groups and a group's state, and cannot change either", { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    const gone = await environment.createGroup({ name: "Gone" });
    await environment.call("DELETE", "/api/user", { body: { user_group_id: gone.provided_id } });
    const { team_id } = await environment.createGroup({ name: "Here" });
    await page.goto(`/${environment.slug}/groups`);
    await chooseMore(page, "Recently deleted");
    await expect(page.getByRole("row", { name: /Gone/ })).toBeVisible();
    await expect(page.getByRole("button", { name: /Restore|Erase/ })).toBeHidden();
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await expect(await access(page)).toContainText("Active");
  });
});
