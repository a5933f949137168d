import type { Route } from "@playwright/test";
import { call, expectError } from "../fixtures/api";
import { expect, expectAccessible, expectNoSidewaysScrolling, test, toasts } from "../fixtures/browser";
import { totp } from "../fixtures/cookie-client";
import { openSession, signIn } from "../fixtures/member";

const ACCOUNT = "/testing/settings/account";

test.use({ role: "viewer" });

/** Expects the cookie's session to have ended. */
async function expectEnded(cookie: string) {
  const headers = { cookie, "x-environment": "testing" };
  expectError(await call("GET", "/api/admin/session", { token: null, headers }), 401, "unauthorized");
}

test("a member changes their name, and the menu shows it immediately", { tag: "@release" }, async ({ page }) => {
  await page.goto(ACCOUNT);
  await expect(page.getByRole("list", { name: "Sessions" })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("Name").fill(" ");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/Enter a name\./);
  await page.getByLabel("Name").fill("Grace Hopper");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(toasts(page).getByText("Your name was changed")).toBeVisible();
  await page.getByRole("button", { name: "Your account" }).click();
  await expect(page.getByRole("menu")).toContainText("Grace Hopper");
});

test("a new name whose answer was lost is looked up", { tag: "@release" }, async ({ page }) => {
  await page.goto(ACCOUNT);
  await page.route("**/api/admin/account", async (route) => {
    if (route.request().method() !== "PATCH") return route.fallback();
    await route.fetch();
    await route.abort();
  });
  // A read that began before the change, and is still under way, does not count.
  const early = new Promise<Route>((resolve) => page.route("**/api/admin/account", resolve, { times: 1 }));
  await page.waitForTimeout(5_500);
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  const read = await early;
  const former = await read.fetch();
  await page.getByLabel("Name").fill("Grace Hopper");
  const lost = page.waitForEvent("requestfailed", (request) => request.method() === "PATCH");
  await page.getByRole("button", { name: "Save name" }).click();
  await lost;
  await read.fulfill({ response: former }).catch(() => undefined);
  const toast = page.getByRole("dialog").filter({ hasText: "Your name was changed" });
  await expect(toast).toContainText("The response was lost, so the dashboard checked the result.");
  await expect(page.getByRole("button", { name: "Save name" })).toBeDisabled();
});

test("a first code whose answer was lost has turned the second factor on", { tag: "@release" }, async ({
  page,
  member,
}) => {
  await page.goto(ACCOUNT);
  await page.getByRole("button", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(member.password);
  const begun = page.waitForResponse("**/api/auth/two-factor/enable");
  await dialog.getByRole("button", { name: "Continue" }).click();
  const { totpURI } = await (await begun).json();
  await dialog.getByRole("button", { name: "Next" }).click();
  await dialog.getByRole("button", { name: "I have saved them" }).click();
  await page.route("**/api/auth/two-factor/verify-totp", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialog.getByLabel("Code").fill(totp(totpURI));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  const toast = page.getByRole("dialog").filter({ hasText: "The second factor is on" });
  await expect(toast).toContainText("The response was lost, so the dashboard checked the result.");
});

test("a member changes their password, which ends their other sessions", { tag: "@release" }, async ({
  page,
  member,
  openAs,
}) => {
  const other = await openAs(member);
  const next = "an entirely new one";
  await page.goto(ACCOUNT);
  const [current, fresh] = [page.getByLabel("Current password"), page.getByLabel("New password", { exact: true })];
  await current.fill("not the password");
  await fresh.fill("too short");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(fresh).toHaveAccessibleDescription(/Must have at least 12 characters\./);
  await fresh.fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(current).toHaveAccessibleDescription("Wrong password.");
  await expect(current).toBeFocused();
  await expectAccessible(page);
  await current.fill(member.password);
  await fresh.fill("qwertyuiop12");
  await expect(fresh).toHaveAccessibleDescription(/^Easy to guess/);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(fresh).toHaveAccessibleDescription(/^This password is easy to guess/);
  await fresh.fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(toasts(page).getByText("Your password was changed")).toBeVisible();
  await expect(current).toHaveValue("");

  await other.goto(ACCOUNT);
  await expect(other).toHaveURL(/\/sign-in\?next=/);
  expect((await signIn(member)).status).toBe(401);
  expect((await signIn({ ...member, password: next })).status).toBe(200);
});

test("sessions are listed and ended: one, all others, all", { tag: "@release" }, async ({ page, member, database }) => {
  const open = () => openSession(database, member);
  const others = [await open(), await open(), await open()];
  await page.goto(ACCOUNT);
  const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
  await expect(sessions).toHaveCount(4);
  await expect(sessions.filter({ hasText: "This session" })).toHaveCount(1);
  await expect(sessions.filter({ hasText: "This session" }).getByRole("button")).toHaveCount(0);

  await sessions.getByRole("button", { name: /^End/ }).first().click();
  await expect(sessions).toHaveCount(3);
  await expect(page.getByRole("list", { name: "Sessions" })).toBeFocused();

  await page.getByRole("button", { name: "Sign out all others" }).click();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Sign out all others" }).click();
  await expect(sessions).toHaveCount(1);
  for (const cookie of others) await expectEnded(cookie);

  const last = await open();
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL("/sign-in");
  await expectEnded(last);
});

test("signing out ends the session in the server, too", { tag: "@release" }, async ({ page, context }) => {
  await page.goto(ACCOUNT);
  const cookies = await context.cookies();
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
  await context.addCookies(cookies);
  await page.goto(ACCOUNT);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test("the page fits a phone, and shows when it fails to load", { tag: "@release" }, async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(ACCOUNT);
  await expect(page.getByRole("list", { name: "Sessions" })).toBeVisible();
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
  await page.route("**/api/admin/account", (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(ACCOUNT);
  await expect(page.getByText("Your account could not be loaded")).toBeVisible();
  await expectAccessible(page);
});
