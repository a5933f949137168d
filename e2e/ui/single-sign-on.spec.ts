import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScrolling, test, toasts } from "../fixtures/browser";
import { browserOf, totp } from "../fixtures/cookie-client";
import type { Member } from "../fixtures/member";
import type { Claims } from "../fixtures/oidc-provider";
import { type Site, startSite, verifiedMember } from "../fixtures/single-sign-on";

test.use({ role: null });

let site: Site;
test.beforeAll(async () => {
  site = await startSite();
});
test.afterAll(() => site.stop());

/** Starts single sign-on from the sign-in page; the provider signs in this person without asking. */
async function signInAt(page: Page, claims: Claims) {
  const { provider, service } = site;
  await page.route(`${provider.settings.OIDC_ISSUER}/authorize?**`, (route) => {
    const location = service.url + provider.grant(route.request().url(), claims);
    return route.fulfill({ status: 302, headers: { location } });
  });
  await page.goto(`${service.url}/sign-in?next=/testing/activity`);
  await page.getByRole("button", { name: "Sign in with Example ID" }).click();
}

async function fillIn(page: Page, { email, password }: Member) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function expectFits(page: Page) {
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("a refused sign-in shows a code with which an owner links the account", async ({ page, browser }) => {
  const member = await verifiedMember(site.database);
  const person = { sub: randomUUID(), email: member.email };
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await signInAt(page, person);
  const refusal = page.getByRole("alert").filter({ hasText: "Example ID could not sign you in" });
  await expect(refusal).toContainText("Ask an owner to link you");
  const code = String(await refusal.getByRole("code").textContent());
  expect(code).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/);
  expect(page.url()).not.toContain(code);
  expect(requested.filter((url) => url.includes(code))).toEqual([]);
  await expectFits(page);
  // A code in someone else's link would link their account.
  const link = "/sign-in?next=/testing/activity&error=account_not_linked&reason=not_verified&code=ABCD-EFGH#ABCD-EFGH";
  await page.goto(site.service.url + link);
  await expect(refusal.getByRole("code")).toHaveText(code);

  const context = await browser.newContext();
  const owners = await context.newPage();
  await owners.goto(`${site.service.url}/sign-in?next=/testing/settings/members`);
  await fillIn(owners, await verifiedMember(site.database, "owner"));
  await owners.getByRole("button", { name: `Actions for ${member.name}` }).click();
  await owners.getByRole("menuitem", { name: "Single sign-on…" }).click();
  const dialog = owners.getByRole("dialog", { name: `Single sign-on of ${member.name}` });
  await dialog.getByLabel("Code").fill("AAAA-AAAA");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByLabel("Code")).toHaveAccessibleDescription(/unknown or has expired\. Ask for a new one\.$/);
  await expectFits(owners);
  await dialog.getByLabel("Code").fill(code.toLowerCase());
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog).toContainText(`The account’s email is ${member.email}, not verified by Example ID.`);
  await expect(dialog).toContainText(person.sub);
  await expectFits(owners);
  const age = (days: number) =>
    site.database.query("UPDATE verification SET expires_at = expires_at - $1 * interval '1 day'", [days]);
  await age(2);
  await dialog.getByRole("button", { name: "Link account" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Nothing was linked");
  await age(-2);
  await dialog.getByRole("button", { name: "Link account" }).click();
  await expect(toasts(owners)).toContainText(`${member.name} can sign in with Example ID`);
  await context.close();

  await page.getByRole("button", { name: "Sign in with Example ID" }).click();
  await expect(page).toHaveURL(`${site.service.url}/testing/activity`);
});

test("single sign-on asks for the second factor, then opens the page", async ({ page }) => {
  const member = await verifiedMember(site.database);
  const earlier = browserOf(site.service.url);
  await earlier.signIn(member);
  const { password } = member;
  const uri = String((await earlier.post("/api/auth/two-factor/enable", { password })).json.totpURI);
  expect((await earlier.post("/api/auth/two-factor/verify-totp", { code: totp(uri) })).status).toBe(200);

  await signInAt(page, { sub: randomUUID(), email: member.email, email_verified: true });
  await expect(page.getByRole("heading", { name: "Second factor" })).toBeVisible();
  await page.getByLabel("Code").fill(totp(uri, 1));
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page).toHaveURL(`${site.service.url}/testing/activity`);
});

test("a code entered before the page is interactive gets into no URL", async ({ inBrowser: _, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(`${site.service.url}/sign-in?error=second_factor`);
  await page.getByLabel("Code").fill("768633");
  await expect(page.getByRole("button", { name: "Verify" })).toBeDisabled();
  await page.getByLabel("Code").press("Enter");
  await page.reload();
  expect(requested.filter((url) => url.includes("768633"))).toEqual([]);
  await context.close();
});
