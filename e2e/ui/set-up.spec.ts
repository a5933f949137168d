import { mergeTests } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScrolling, test as inBrowser } from "../fixtures/browser";
import { test as withOwnService } from "../fixtures/own-service";

const test = mergeTests(withOwnService, inBrowser);
test.use({ role: null });

const OWNER = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" };

test("the printed link creates the first owner, opens the dashboard, and then stops working", {
  tag: "@release",
}, async ({ start, createDatabase, page }) => {
  const { url, said } = await start({ DATABASE_URL: await createDatabase(), SECRET_KEY: "ef".repeat(32) });
  await expect.poll(said).toContain("/welcome#ugl_");
  const link = /^http\S+\/welcome#ugl_\S+$/m.exec(said())?.[0] ?? "";

  await page.goto(`${url}/sign-in`);
  await expect(page.getByText("No one can sign in yet")).toBeVisible();
  await expect(page.getByLabel("Email")).toBeHidden();

  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Create the first owner" })).toBeVisible();
  await expect(page).toHaveURL(`${url}/welcome`);
  await expectAccessible(page);

  await test.step("missing input is reported at its field", async () => {
    await page.getByRole("button", { name: "Create owner" }).click();
    await expect(page.getByLabel("Name")).toBeFocused();
    await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/Enter a name\./);
    await page.getByLabel("Password", { exact: true }).fill("too short");
    await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription(/at least 12 characters\./);
    await expectAccessible(page);
  });

  await page.getByLabel("Name").fill(OWNER.name);
  await page.getByLabel("Email").fill(OWNER.email);
  const password = page.getByLabel("Password", { exact: true });
  await test.step("a password is judged while it is typed", async () => {
    await password.fill("adalove");
    await expect(password).toHaveAccessibleDescription(/^5 more characters\./);
    await password.fill("adalovelace1");
    await expect(password).toHaveAccessibleDescription("Easy to guess. Use several words or a password manager.");
    await expectAccessible(page);
    await page.getByLabel("Name").fill("Grace Hopper");
    await page.getByLabel("Email").fill("grace@example.com");
    await expect(password).toHaveAccessibleDescription("Strong enough.");
    await page.getByLabel("Name").fill(OWNER.name);
    await page.getByLabel("Email").fill(OWNER.email);
    await password.fill(OWNER.password);
    await expect(password).toHaveAccessibleDescription("Strong enough.");
    await expectAccessible(page);
  });
  await expect(password).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Show text" }).click();
  await expect(password).toHaveAttribute("type", "text");
  await page.getByRole("button", { name: "Create owner" }).click();
  // Hashing a password and a new service's first pages take a while.
  await expect(page).toHaveURL(/\/groups$/, { timeout: 15_000 });
  await page.getByRole("button", { name: "Your account" }).click();
  await expect(page.getByRole("menu")).toContainText(OWNER.name);

  await test.step("the browser history does not keep the token", async () => {
    await page.goBack();
    await expect(page.getByRole("heading", { name: "This link is incomplete" })).toBeVisible();
    expect(page.url()).not.toContain("ugl_");
    await expectAccessible(page);
  });

  await test.step("the link no longer works", async () => {
    await page.goto(link);
    await expect(page.getByRole("heading", { name: "This link does not work" })).toBeVisible();
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScrolling(page);
  });

  await test.step("the last owner can neither leave nor lose the role", async () => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(`${url}/testing/settings/members`);
    await expect(page.getByText("You are the only member.")).toBeVisible();
    await page.getByRole("button", { name: `Actions for ${OWNER.name}` }).click();
    await page.getByRole("menuitem", { name: "Change role…" }).click();
    await expect(page.getByRole("dialog")).toContainText("This is you");
    await page.getByRole("radio", { name: "Reader" }).check();
    await page.getByRole("button", { name: "Change role" }).click();
    await expect(page.getByRole("dialog")).toContainText("This is the last active owner");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("row", { name: OWNER.email })).toContainText("Owner");
  });
});

test("a link can be retried while the service is unreachable", { tag: "@release" }, async ({ page }) => {
  await page.route("**/api/links/look-up", (route) => route.abort());
  await page.goto("/welcome#ugl_unknown");
  await expect(page.getByText("The link could not be checked")).toBeVisible({ timeout: 15_000 });
  await expectAccessible(page);
  await page.unroute("**/api/links/look-up");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "This link does not work" })).toBeVisible();
});
