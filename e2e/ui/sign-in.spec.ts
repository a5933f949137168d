import type { Page, Route } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScrolling, test } from "../fixtures/browser";
import { totp } from "../fixtures/cookie-client";

async function fillIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test.describe("signed out", () => {
  test.use({ role: null });

  test("a page asks to sign in, with one message for every error, and then opens", { tag: "@release" }, async ({
    page,
    member,
  }) => {
    await page.goto("/testing/groups?sort=name");
    await expect(page).toHaveURL(/\/sign-in\?next=/);
    await fillIn(page, { ...member, password: "not the password" });
    const refusal = page.getByRole("alert").filter({ hasText: "Wrong email or password." });
    await expect(refusal).toBeVisible();
    await expectAccessible(page);
    await fillIn(page, { ...member, email: "nobody@example.com" });
    await expect(refusal).toBeVisible();
    await fillIn(page, member);
    await expect(page).toHaveURL("/testing/groups?sort=name");
  });

  test("a single sign-on refusal is explained", async ({ page }) => {
    await page.goto("/sign-in?error=signup_disabled&reason=no_member");
    await expect(page.getByText("No member has the email of your Single sign-on account.")).toBeVisible();
    await expectAccessible(page);
    await page.goto("/sign-in?error=%3Cb%3Esomething+new");
    await expect(page.getByText("Try again, or sign in with your password.")).toBeVisible();
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScrolling(page);
  });
});

test("signed-in members are redirected from the sign-in page, only to our own pages", { tag: "@release" }, async ({
  page,
  stage,
}) => {
  const [ours] = stage.urls;
  const cases: [next: string, leads: string | RegExp][] = [
    ["/testing/groups?sort=name", `${ours}/testing/groups?sort=name`],
    [`${ours}/testing/activity`, `${ours}/testing/activity`],
    ["https://elsewhere.example/", /\/groups$/],
    ["//elsewhere.example/", /\/groups$/],
    ["/\\elsewhere.example/", /\/groups$/],
    ["javascript:alert(1)", /\/groups$/],
    ["http://[", /\/groups$/],
  ];
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).origin));
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector("input[type=password]")) sessionStorage.setItem("form was shown", "yes");
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  });
  for (const [next, leads] of cases) {
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await expect(page, next).toHaveURL(leads);
  }
  expect([...hosts]).toEqual([ours]);
  expect(await page.evaluate(() => sessionStorage.getItem("form was shown"))).toBeNull();
  await page.goBack();
  await expect(page).not.toHaveURL(/sign-in/);
});

test("the account is switched from its menu, or kept", { tag: "@release" }, async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/activity`);
  const toSwitch = async () => {
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Switch account…" }).click();
    await expect(page.getByRole("heading", { name: "You are signed in" })).toBeVisible();
  };
  await toSwitch();
  await expect(page.getByLabel("Password")).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Continue" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/activity`);
  await toSwitch();
  await page.getByRole("button", { name: "Switch account" }).click();
  await expect(page.getByLabel("Password")).toBeVisible();
  await page.goto("/testing/groups");
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test("a second factor is set up, requested, and entered as a code or a backup code", { tag: "@release" }, async ({
  page,
  member,
}) => {
  test.slow();
  const leave = async () => {
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect(page).toHaveURL("/sign-in");
  };
  const dialog = page.getByRole("dialog");
  await page.goto("/testing/settings/account");
  await page.getByRole("button", { name: "Turn on second factor" }).click();
  await dialog.getByLabel("Your password").fill("not the password");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByText("Wrong password.")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel("Your password").fill(member.password);
  await dialog.getByRole("button", { name: "Continue" }).click();

  await expect(dialog.getByRole("img", { name: "QR code of the key" })).toBeVisible();
  await expectAccessible(page);
  const key = await dialog.locator("code").textContent();
  const uri = `otpauth://totp/x?secret=${key}`;
  await page.mouse.click(2, 2);
  await dialog.getByRole("button", { name: "Next" }).click();
  const shownCodes = dialog.getByRole("list", { name: "Backup codes" }).getByRole("listitem");
  await expect(shownCodes).toHaveCount(10);
  const codes = await shownCodes.allTextContents();
  const saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  expect((await saved).suggestedFilename()).toBe("user-groups-backup-codes.txt");
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.setViewportSize({ width: 1280, height: 720 });
  await dialog.getByRole("button", { name: "I have saved them" }).click();

  const wrong = totp(uri) === "000000" ? "000001" : "000000";
  await dialog.getByLabel("Code").fill(wrong);
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await expect(dialog.getByLabel("Code")).toHaveAccessibleDescription(/Wrong code/);
  const held = new Promise<Route>((resolve) => page.route("**/two-factor/verify-totp", resolve, { times: 1 }));
  await dialog.getByLabel("Code").fill(totp(uri));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  const turningOn = await held;
  await dialog.getByRole("button", { name: "Back to the key" }).click();
  await turningOn.continue();
  await expect(page.getByText("On.", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Turn off" })).toBeFocused();

  await leave();
  await fillIn(page, member);
  await expect(page.getByRole("heading", { name: "Second factor" })).toBeVisible();
  await expectAccessible(page);
  // As authenticators show it: "123 456".
  await page.getByLabel("Code").fill(totp(uri).replace(/^.../, "$& "));
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page).toHaveURL(/\/groups$/);

  await leave();
  await fillIn(page, member);
  await page.getByRole("button", { name: "Use a backup code" }).click();
  await page.getByLabel("Backup code").fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page).toHaveURL(/\/groups$/);

  const password = "an entirely new one";
  await test.step("it is also required after a password reset link", async () => {
    await page.goto("/testing/settings/members");
    const row = page.getByRole("row").filter({ hasText: member.email });
    await expect(row).toContainText("On");
    await row.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Reset password…" }).click();
    await dialog.getByRole("button", { name: "Create link" }).click();
    await page.goto((await dialog.locator("code").textContent()) ?? "");
    await page.getByLabel("New password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Set password" }).click();
    await expect(page.getByText("Your new password is set.")).toBeVisible();
    await expectAccessible(page);
    // Each code works only once, so this is the next code, which is already accepted.
    await page.getByLabel("Code").fill(totp(uri, 1));
    await page.getByRole("button", { name: "Verify" }).click();
    await expect(page).toHaveURL(/\/groups$/);
  });

  await test.step("new backup codes replace the old ones, and it can be turned off", async () => {
    await page.goto("/testing/settings/account");
    await page.getByRole("button", { name: "Create new backup codes" }).click();
    await dialog.getByLabel("Your password").fill(password);
    await dialog.getByLabel("Code").fill("wrong-codes");
    await dialog.getByRole("button", { name: "Create new codes" }).click();
    await expect(dialog.getByLabel("Code")).toHaveAccessibleDescription(/Wrong code, or already used/);
    await expectAccessible(page);
    await dialog.getByLabel("Code").fill(codes[2] ?? "");
    await dialog.getByRole("button", { name: "Create new codes" }).click();
    await expect(shownCodes).toHaveCount(10);
    const fresh = await shownCodes.allTextContents();
    expect(fresh).not.toContain(codes[1]);
    await dialog.getByRole("button", { name: "I have saved them" }).click();
    await page.getByRole("button", { name: "Turn off" }).click();
    await dialog.getByLabel("Your password").fill(password);
    await dialog.getByLabel("Code").fill(fresh[0] ?? "");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await expect(page.getByText("Off. Anyone")).toBeVisible();
  });
});
