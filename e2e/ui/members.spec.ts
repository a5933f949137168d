import { randomUUID } from "node:crypto";
import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScrolling, test, toasts } from "../fixtures/browser";
import { createMember } from "../fixtures/member";

const MEMBERS = "/testing/settings/members";
const rowOf = (page: Page, { email }: { email: string }) =>
  page.getByRole("table", { name: "Members", exact: true }).getByRole("row").filter({ hasText: email });

/** Opens a dialog from the menu of a member's row. */
async function choose(page: Page, row: Locator, item: string): Promise<Locator> {
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
  // A toast is a dialog as well.
  const dialog = page.getByRole("dialog").filter({ has: page.getByRole("button", { name: "Close" }) });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Creates an invitation in the dashboard; returns its link. */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole("button", { name: "Create invitation" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Email")).toBeFocused();
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByRole("radio", { name: role }).check();
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  return (await dialog.locator("code").textContent()) ?? "";
}

test("a member is invited by a link shown once, and works in the given role", { tag: "@release" }, async ({
  page,
  browser,
}) => {
  const email = `${randomUUID()}@example.com`;
  await page.goto(MEMBERS);
  const link = await invite(page, email, "Admin");
  const dialog = page.getByRole("dialog");
  await expectAccessible(page);
  await page.mouse.click(2, 2);
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Create invitation" })).toBeFocused();
  const open = page.getByRole("table", { name: "Open invitations" }).getByRole("row").filter({ hasText: email });
  await expect(open).toContainText("Admin");
  expect(await page.content()).not.toContain("ugl_");

  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto(link);
  await expect(guest.getByRole("heading", { name: "Accept your invitation" })).toBeVisible();
  await expect(guest.getByText("Your role: Admin")).toBeVisible();
  await expect(guest.getByLabel("Email")).toHaveValue(email);
  await expectAccessible(guest);
  await guest.getByLabel("Name").fill("Grace Hopper");
  await guest.getByLabel("Password", { exact: true }).fill("a long passphrase");
  await guest.getByRole("button", { name: "Join" }).click();
  await expect(guest).toHaveURL(/\/groups$/, { timeout: 15_000 });
  await expect(guest.getByRole("link", { name: "Create group" })).toBeVisible();
  await guest.goto(MEMBERS);
  await expect(rowOf(guest, { email })).toContainText("(you)");
  await expect(guest.getByRole("button", { name: "Create invitation" })).toBeHidden();
  await guest.goto(link);
  await expect(guest.getByRole("heading", { name: "This link does not work" })).toBeVisible();
  await context.close();

  await page.reload();
  await expect(rowOf(page, { email })).toContainText("Grace Hopper");
  await expect(open).toBeHidden();
});

test("an invitation reports its errors, gets a new link and can be withdrawn", { tag: "@release" }, async ({
  page,
  member,
  browser,
}) => {
  const email = `${randomUUID()}@example.com`;
  await page.goto(MEMBERS);
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.getByLabel("Email").fill(member.email);
  await page.getByRole("button", { name: "Create invitation" }).click();
  await expect(page.getByLabel("Email")).toHaveAccessibleDescription(/Is already a member\./);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();

  const first = await invite(page, email, "Reader");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: `New link… for ${email}` }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create link" }).click();
  const link = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
  expect(link).not.toBe(first);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("row").filter({ hasText: email })).toHaveCount(1);
  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto(first);
  await expect(guest.getByRole("heading", { name: "This link does not work" })).toBeVisible();
  await guest.goto(link);
  await expect(guest.getByText("Your role: Reader")).toBeVisible();

  await page.getByRole("button", { name: `Withdraw the invitation for ${email}` }).click();
  await expect(toasts(page).getByText(`The invitation for ${email} was withdrawn`)).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: email })).toBeHidden();
  const late = await context.newPage();
  await late.goto(link);
  await expect(late.getByRole("heading", { name: "This link does not work" })).toBeVisible();
  await context.close();
});

test("a changed role takes effect immediately", { tag: "@release" }, async ({ page, database, openAs }) => {
  const viewer = await createMember(database, "viewer");
  const theirs = await openAs(viewer);
  await theirs.goto("/testing/groups");
  await expect(theirs.getByRole("heading", { name: "User groups", exact: true })).toBeVisible();
  await expect(theirs.getByRole("link", { name: "Create group" })).toBeHidden();

  await page.goto(MEMBERS);
  const dialog = await choose(page, rowOf(page, viewer), "Change role…");
  await expect(dialog).not.toContainText("This is you");
  await dialog.getByRole("radio", { name: "Admin" }).check();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Change role" }).click();
  await expect(rowOf(page, viewer)).toContainText("Admin");
  await expect(rowOf(page, viewer).getByRole("button", { name: /^Actions for/ })).toBeFocused();

  await theirs.reload();
  await expect(theirs.getByRole("link", { name: "Create group" })).toBeVisible();
});

test("a disabled member is locked out on the next request, and readmitted once enabled", { tag: "@release" }, async ({
  page,
  database,
  openAs,
}) => {
  const admin = await createMember(database, "admin");
  const theirs = await openAs(admin);
  await theirs.goto(MEMBERS);
  await expect(rowOf(theirs, admin)).toContainText("(you)");

  await page.goto(MEMBERS);
  const dialog = await choose(page, rowOf(page, admin), "Disable…");
  await expect(dialog).toContainText("All their sessions end, and they cannot sign in");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Disable member" }).click();
  await expect(rowOf(page, admin)).toContainText("Disabled");

  await theirs.getByRole("link", { name: "Groups", exact: true }).click();
  const again = theirs.getByRole("dialog", { name: "Sign in again" });
  await again.getByLabel("Password").fill(admin.password);
  await again.getByRole("button", { name: "Sign in" }).click();
  await expect(again.getByText("Wrong email or password.")).toBeVisible();

  await (await choose(page, rowOf(page, admin), "Enable…")).getByRole("button", { name: "Enable member" }).click();
  await expect(rowOf(page, admin)).toContainText("Active");
  await again.getByRole("button", { name: "Sign in" }).click();
  await expect(again).toHaveCount(0);
  await expect(theirs).toHaveURL("/testing/groups");
  await expect(theirs.getByRole("link", { name: "Create group" })).toBeVisible();
});

test("a lost password is replaced through a link from an owner", { tag: "@release" }, async ({
  page,
  database,
  browser,
  openAs,
}) => {
  const admin = await createMember(database, "admin");
  const theirs = await openAs(admin);
  await page.goto(MEMBERS);
  const dialog = await choose(page, rowOf(page, admin), "Reset password…");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = (await dialog.locator("code").textContent()) ?? "";
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Done" }).click();

  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto(link);
  await expect(guest.getByRole("heading", { name: "Choose a new password" })).toBeVisible();
  await expectAccessible(guest);
  await guest.getByLabel("New password", { exact: true }).fill("an entirely new one");
  await guest.getByRole("button", { name: "Set password" }).click();
  await expect(guest).toHaveURL(/\/groups$/, { timeout: 15_000 });
  await context.close();
  await theirs.goto(MEMBERS);
  await expect(theirs).toHaveURL(/\/sign-in\?next=/);
});

test("a member is removed after typing the email", { tag: "@release" }, async ({ page, database, openAs }) => {
  const admin = await createMember(database, "admin");
  const theirs = await openAs(admin);
  await page.goto(MEMBERS);
  const dialog = await choose(page, rowOf(page, admin), "Remove…");
  const remove = dialog.getByRole("button", { name: "Remove member" });
  await expect(remove).toBeDisabled();
  await dialog.getByLabel(/^Type/).fill(admin.email);
  await expectAccessible(page);
  await remove.click();
  // The open dialog hides the rows as well.
  await expect(toasts(page).getByText(`${admin.name} was removed`)).toBeVisible();
  await expect(rowOf(page, admin)).toBeHidden();
  await theirs.goto(MEMBERS);
  await expect(theirs).toHaveURL(/\/sign-in\?next=/);
});

test("a removal lists the API tokens that keep working, and revokes the selected ones", {
  tag: "@release",
}, async ({ page, database }) => {
  const admin = await createMember(database, "admin");
  const [kept, ended] = [randomUUID(), randomUUID()];
  for (const name of [kept, ended]) {
    await database.query(
      `INSERT INTO api_token (environment_id, name, token_index, binding, digest_sealed, created_by, created_by_id)
       SELECT id, $1::text, sha256(convert_to($1::text, 'UTF8')), '', '', $2, $3 FROM environment WHERE slug = 'testing'`,
      [name, admin.name, admin.id],
    );
  }
  await page.goto(MEMBERS);
  const dialog = await choose(page, rowOf(page, admin), "Remove…");
  const made = dialog.getByRole("region", { name: "Created by this member" });
  await expect(made).toContainText("2 API tokens keep working");
  await expect(made).toContainText("Testing · ");
  await expect(made.getByRole("checkbox", { name: kept })).not.toBeChecked();
  await made.getByRole("checkbox", { name: ended }).check();
  await expectAccessible(page);
  await dialog.getByLabel(/^Type/).fill(admin.email);
  await dialog.getByRole("button", { name: "Remove member" }).click();
  await expect(toasts(page).getByText(`${admin.name} was removed`)).toBeVisible();
  const states = "SELECT name, revoked_at IS NOT NULL AS revoked FROM api_token WHERE created_by_id = $1 ORDER BY id";
  expect(await database.query(states, [admin.id])).toEqual([
    { name: kept, revoked: false },
    { name: ended, revoked: true },
  ]);
  await page.goto("/testing/settings/api-tokens");
  await expect(page.getByRole("row").filter({ hasText: kept })).toContainText(`by ${admin.name} (removed)`);
});

test("a role change offers to revoke API tokens only for a lower role", async ({ page, database }) => {
  const admin = await createMember(database, "admin");
  await database.query(
    `INSERT INTO api_token (environment_id, name, token_index, binding, digest_sealed, created_by, created_by_id)
     SELECT id, $1::text, sha256(convert_to($1::text, 'UTF8')), '', '', $2, $3 FROM environment WHERE slug = 'testing'`,
    [randomUUID(), admin.name, admin.id],
  );
  await page.goto(MEMBERS);
  const dialog = await choose(page, rowOf(page, admin), "Change role…");
  const made = dialog.getByRole("region", { name: "Created by this member" });
  await dialog.getByRole("radio", { name: "Owner" }).check();
  await expect(made).toBeHidden();
  await dialog.getByRole("radio", { name: "Reader" }).check();
  await expect(made).toContainText("1 API token keeps working");
  await made.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Change role" }).click();
  await expect(toasts(page).getByText(`${admin.name} is now reader`)).toBeVisible();
});

test("the list fits a phone, and shows when it fails to load", { tag: "@release" }, async ({ page, member }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(MEMBERS);
  await expect(page.getByText(member.email)).toBeVisible();
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create invitation" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);

  await page.route("**/api/admin/members", (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(MEMBERS);
  await expect(page.getByText("The members could not be loaded")).toBeVisible();
  await expectAccessible(page);
  await page.unroute("**/api/admin/members");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText(member.email)).toBeVisible();
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees the members and cannot change them", async ({ page, member }) => {
    await page.goto(MEMBERS);
    await expect(rowOf(page, member)).toContainText("Reader");
    await expect(page.getByRole("button", { name: /^Actions for|^Create|^Withdraw/ })).toHaveCount(0);
    await expectAccessible(page);
  });
});

test("linked accounts are visible to their member and to owners, who can unlink them", { tag: "@release" }, async ({
  page,
  database,
  openAs,
}) => {
  const admin = await createMember(database, "admin");
  const subject = `auth0|${randomUUID()}`;
  await database.query(
    "INSERT INTO account (id, member_id, account_id, provider_id, updated_at) VALUES ($1, $2, $3, 'oidc', now())",
    [randomUUID(), admin.id, subject],
  );
  await page.goto(MEMBERS);
  const theirs = await openAs(admin);
  await theirs.goto("/testing/settings/account");
  await expect(theirs.getByRole("list", { name: "Linked accounts" })).toContainText(subject);
  await expectAccessible(theirs);
  await theirs.goto(MEMBERS);
  await expect(rowOf(theirs, admin)).toBeVisible();

  await page.reload();
  const dialog = await choose(page, rowOf(page, admin), "Single sign-on…");
  await expect(dialog.getByRole("list", { name: "Linked accounts" })).toContainText(subject);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.setViewportSize({ width: 1280, height: 720 });
  await dialog.getByRole("button", { name: `Unlink ${subject}` }).click();
  await expect(toasts(page).getByText(`An account of ${admin.name} was unlinked`)).toBeVisible();
  await theirs.reload();
  await expect(theirs).toHaveURL(/\/sign-in\?next=/);
  await rowOf(page, admin)
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await expect(page.getByRole("menuitem", { name: "Remove…" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Single sign-on…" })).toBeHidden();
  await page.keyboard.press("Escape");
  await page.goto("/testing/activity");
  await expect(page.getByRole("button", { name: "Unlinked single sign-on" }).first()).toBeVisible();
});
