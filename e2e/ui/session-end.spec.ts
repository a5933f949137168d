import { mergeTests } from "@playwright/test";
import type { Database } from "../fixtures/api";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  test as inBrowser,
  type Page,
  toasts,
  whenAlive,
} from "../fixtures/browser";
import { totp } from "../fixtures/cookie-client";
import { createMember, type Member } from "../fixtures/member";
import { startProvider } from "../fixtures/oidc-provider";
import { OWNER, OWNER_SETTINGS, query, test as withOwnService } from "../fixtures/own-service";
import { freePort } from "../fixtures/service-process";

const test = inBrowser;
const dialog = (page: Page) => page.getByRole("dialog", { name: "Sign in again" });
const nameOf = (page: Page) => page.getByLabel("Name", { exact: true });

const endSessions = (database: Database, { id }: Pick<Member, "id">) =>
  database.query("DELETE FROM session WHERE member_id = $1", [id]);

/**
 * Ends the session once the next change is sent. Earlier, any other call of the page might notice, and open the dialog
 * over the button that sends the change.
 */
async function endOnChange(page: Page, end: () => Promise<unknown>) {
  let ended = false;
  await page.route("**/api/**", async (route) => {
    if (!ended && route.request().method() !== "GET") {
      ended = true;
      await end();
    }
    await route.continue();
  });
}

/** Types into a group, and saves as the session ends. */
async function saveTooLate(page: Page, path: string, end: () => Promise<unknown>) {
  await page.goto(path);
  await nameOf(page).fill("Typed before the session ended");
  await endOnChange(page, end);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toBeVisible();
}

async function signIn(page: Page, password: string) {
  await dialog(page).getByLabel("Password").fill(password);
  await dialog(page).getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Saves the kept changes. */
async function expectSaved(page: Page) {
  await expect(dialog(page)).toHaveCount(0);
  await expect(nameOf(page)).toHaveValue("Typed before the session ended");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  await expect(nameOf(page)).toHaveValue("Typed before the session ended");
}

test("a signed-out member signs in over the page, and saves the typed changes", { tag: "@release" }, async ({
  page,
  environment,
  member,
  database,
}) => {
  const { team_id } = await environment.createGroup({ name: "Alpha" });
  const path = `/${environment.slug}/groups/${team_id}`;
  await saveTooLate(page, path, () => endSessions(database, member));
  await expect(page).toHaveURL(path);
  await expect(dialog(page).getByLabel("Email")).toHaveValue(member.email);
  await expect(dialog(page).getByLabel("Password")).toBeFocused();
  await expectAccessible(page);
  for (const width of [320, 768]) {
    await page.setViewportSize({ width, height: 640 });
    await expectNoSidewaysScrolling(page);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await signIn(page, "not the password");
  await expect(dialog(page).getByText("Wrong email or password.")).toBeVisible();
  await expectAccessible(page);
  await signIn(page, member.password);
  await expectSaved(page);
});

test("signing out prompts before unsaved changes are lost", async ({ page, environment }) => {
  const { team_id } = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await nameOf(page).fill("Typed before signing out");
  const signOut = async () => {
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  };
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await signOut();
  await question.getByRole("button", { name: "Keep editing" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  await nameOf(page).fill("Typed again");
  await signOut();
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect(page).toHaveURL("/sign-in");
});

test("the dialog also asks for a second factor", { tag: "@release" }, async ({
  page,
  environment,
  member,
  database,
}) => {
  const { team_id } = await environment.createGroup({ name: "Alpha" });
  const path = `/${environment.slug}/groups/${team_id}`;
  await page.goto(path);
  const uri = await page.evaluate(async (password) => {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ password });
    const answer = await fetch("/api/auth/two-factor/enable", { method: "POST", headers, body });
    return (await answer.json()).totpURI as string;
  }, member.password);
  await database.query("UPDATE member SET two_factor_enabled = true WHERE id = $1", [member.id]);
  await database.query("UPDATE two_factor SET verified = true WHERE member_id = $1", [member.id]);
  await saveTooLate(page, path, () => endSessions(database, member));
  await signIn(page, member.password);
  await expect(dialog(page).getByLabel("Code")).toBeFocused();
  await expectAccessible(page);
  await dialog(page).getByLabel("Code").fill(totp(uri));
  await dialog(page).getByRole("button", { name: "Verify" }).click();
  await expectSaved(page);
});

test("a different member who signs in there gets a fresh page", { tag: "@release" }, async ({
  page,
  environment,
  member,
  database,
}) => {
  const { team_id } = await environment.createGroup({ name: "Alpha" });
  const path = `/${environment.slug}/groups/${team_id}`;
  const other = await createMember(database, "owner");
  await saveTooLate(page, path, () => endSessions(database, member));
  await dialog(page).getByLabel("Email").fill(other.email);
  await signIn(page, other.password);
  await expect(nameOf(page)).toHaveValue("Alpha");
  await whenAlive(page);
  await expect(page.getByText("unsaved")).toHaveCount(0);
  await page.getByRole("button", { name: "Your account" }).click();
  await expect(page.getByRole("menu")).toContainText(other.email);
});

test("an open dialog stays open behind it, and works afterwards", { tag: "@release" }, async ({
  page,
  environment,
  member,
  database,
}) => {
  await environment.createGroup({ user_group_id: "alpha", name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: "Actions for Alpha" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const deletion = page.getByRole("dialog", { name: "Delete “Alpha”?" });
  await deletion.getByRole("textbox").fill("alpha");
  await endOnChange(page, () => endSessions(database, member));
  await deletion.getByRole("button", { name: "Delete user group" }).click();
  await expect(dialog(page)).toBeVisible();
  await expectAccessible(page);
  await dialog(page).getByLabel("Password").press("Escape");
  await expect(dialog(page)).toHaveCount(0);
  await expect(deletion).toBeVisible();
  await deletion.getByRole("button", { name: "Delete user group" }).click();
  await signIn(page, member.password);
  await expect(dialog(page)).toHaveCount(0);
  await expect(deletion.getByRole("textbox")).toHaveValue("alpha");
  await deletion.getByRole("button", { name: "Delete user group" }).click();
  await expect(toasts(page).getByText("“Alpha” was deleted")).toBeVisible();
});

mergeTests(withOwnService, inBrowser)(
  "single sign-on opens in another tab, and the page keeps what was typed",
  { tag: "@release" },
  async ({ start, createDatabase, page, context }) => {
    test.slow();
    const provider = await startProvider();
    const DATABASE_URL = await createDatabase();
    const PORT = String(await freePort());
    const url = `http://localhost:${PORT}`;
    const settings = { DATABASE_URL, SECRET_KEY: "cd".repeat(32), PORT, PUBLIC_URL: url, OIDC_NAME: "Example ID" };
    await start({ ...settings, ...OWNER_SETTINGS, ...provider.settings });
    await page.goto(`${url}/sign-in?next=/testing/groups/new`);
    await page.getByLabel("Email").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Id").fill("typed");
    await nameOf(page).fill("Typed before the session ended");
    await query(DATABASE_URL, "UPDATE member SET email_verified = true");
    await endOnChange(page, () => query(DATABASE_URL, "DELETE FROM session"));
    await page.getByRole("button", { name: "Create user group" }).click();
    const opened = context.waitForEvent("page");
    await dialog(page).getByRole("button", { name: "Sign in with Example ID" }).click();
    const tab = await opened;
    await tab.waitForURL(/\/authorize\?/);
    await expect(dialog(page)).toContainText("Use the new tab to sign in");
    await expectAccessible(page);
    await dialog(page).getByRole("button", { name: "Continue" }).click();
    await expect(dialog(page).getByRole("alert")).toContainText("This browser is not signed in yet");
    await tab.goto(url + provider.grant(tab.url(), { sub: "1", email: OWNER.email, email_verified: true }));
    await expect(tab).toHaveURL(/\/testing\/groups$/);
    await tab.close();
    const goOn = dialog(page).getByRole("button", { name: "Continue" });
    // The page may have continued by itself on getting the focus.
    if (await goOn.isVisible()) await goOn.click().catch(() => undefined);
    await expect(dialog(page)).toHaveCount(0);
    await page.getByRole("button", { name: "Create user group" }).click();
    await expect(page).toHaveURL(/\/testing\/groups\/\d+$/);
    await provider.stop();
  },
);
