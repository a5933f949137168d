import { randomUUID } from "node:crypto";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  refuseReload,
  test,
} from "../fixtures/browser";
import { totp } from "../fixtures/cookie-client";
import { createMember, type Member } from "../fixtures/member";

interface Scene {
  page: Page;
  slug: string;
  member: Member;
  other: Member;
}

/** Each opens a dialog with a secret that cannot be shown again. */
const SECRETS: { name: string; copy: string; saved: string; open: (scene: Scene) => Promise<void> }[] = [
  {
    name: "a new API token",
    copy: "Copy API token",
    saved: "I have saved it",
    open: async ({ page, slug }) => {
      await page.goto(`/${slug}/settings/api-tokens`);
      await page.getByRole("button", { name: "Create API token" }).click();
      await page.getByLabel("Name").fill("fresh");
      await page.getByRole("button", { name: "Create API token" }).click();
    },
  },
  {
    name: "the new value of an API token",
    copy: "Copy API token",
    saved: "I have saved it",
    open: async ({ page, slug }) => {
      await page.goto(`/${slug}/settings/api-tokens`);
      await page.getByRole("button", { name: "Actions for e2e", exact: true }).click();
      await page.getByRole("menuitem", { name: "Replace…" }).click();
      await page.getByRole("button", { name: "Replace API token" }).click();
    },
  },
  {
    name: "an invitation link",
    copy: "Copy link",
    saved: "Done",
    open: async ({ page }) => {
      await page.goto("/testing/settings/members");
      await page.getByRole("button", { name: "Create invitation" }).click();
      await page.getByLabel("Email").fill(`${randomUUID()}@example.com`);
      await page.getByRole("button", { name: "Create invitation" }).click();
    },
  },
  {
    name: "a password link",
    copy: "Copy link",
    saved: "Done",
    open: async ({ page, other }) => {
      await page.goto("/testing/settings/members");
      const row = page.getByRole("row").filter({ hasText: other.email });
      await row.getByRole("button", { name: /^Actions for/ }).click();
      await page.getByRole("menuitem", { name: "Reset password…" }).click();
      await page.getByRole("button", { name: "Create link" }).click();
    },
  },
];

const dialog = (page: Page) => page.getByRole("dialog").filter({ has: page.getByRole("heading") });
const question = (page: Page) => dialog(page).getByRole("alert");

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

for (const { name, copy, saved, open } of SECRETS) {
  test(`${name} prompts before it closes, unless it was copied or confirmed as saved`, async ({
    page,
    environment,
    database,
    member,
  }) => {
    const scene = { page, slug: environment.slug, member, other: await createMember(database, "viewer") };
    await open(scene);
    await expect(dialog(page).getByRole("button", { name: copy })).toBeVisible();
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(2, 2),
      () => dialog(page).getByRole("button", { name: "Close", exact: true }).click(),
    ]) {
      await close();
      await expect(question(page)).toContainText("Close anyway?");
      await expect(dialog(page).getByRole("button", { name: "Keep open" })).toBeFocused();
      await page.keyboard.press("Escape");
      await expect(question(page)).toHaveCount(0);
    }
    await page.keyboard.press("Escape");
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScrolling(page);
    await page.setViewportSize({ width: 1280, height: 720 });
    await dialog(page).getByRole("button", { name: "Keep open" }).click();
    await dialog(page).getByRole("button", { name: copy }).click();
    await expect(page.locator("[data-announcer]")).toContainText("Copied");
    await page.keyboard.press("Escape");
    await expect(dialog(page)).toHaveCount(0);

    await open(scene);
    await dialog(page).getByRole("button", { name: saved }).click();
    await expect(dialog(page)).toHaveCount(0);

    await open(scene);
    await expect(dialog(page).getByRole("button", { name: copy })).toBeVisible();
    await page.keyboard.press("Escape");
    await dialog(page).getByRole("button", { name: "Close anyway" }).click();
    await expect(dialog(page)).toHaveCount(0);
  });
}

test("a secret that was not copied prompts before its page is left", async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API tokens" }).click();
  await page.getByRole("button", { name: "Create API token" }).click();
  await page.getByLabel("Name").fill("fresh");
  await page.getByRole("button", { name: "Create API token" }).click();
  const secret = dialog(page).getByText(/^uga_test_\w+$/);
  const goByPalette = async () => {
    await page.keyboard.press("ControlOrMeta+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await palette.getByRole("combobox").fill("activity");
    await expect(palette.getByRole("option", { name: "Activity", exact: true })).toBeVisible();
    await page.keyboard.press("Enter");
  };
  for (const leave of [() => page.evaluate(() => window.history.back()), goByPalette]) {
    await expect(secret).toBeVisible();
    await leave();
    await expect(question(page)).toContainText("The API token is shown only once.");
    await dialog(page).getByRole("button", { name: "Keep open" }).click();
    await expect(question(page)).toHaveCount(0);
  }
  await refuseReload(page);
  await expect(secret).toBeVisible();
  await goByPalette();
  await dialog(page).getByRole("button", { name: "Close anyway" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/activity`);
  await expect(dialog(page)).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(`/${environment.slug}/settings/api-tokens`);
});

test("second factor setup and new backup codes prompt before they are discarded", async ({
  page,
  member,
  database,
}) => {
  await page.goto("/testing/settings/account");
  await page.getByRole("button", { name: "Turn on second factor" }).click();
  await page.getByLabel("Your password").fill(member.password);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(dialog(page).getByRole("button", { name: "Next" })).toBeFocused();
  const key = await dialog(page).locator("code").textContent();
  await dialog(page).getByRole("button", { name: "Next" }).click();
  await page.keyboard.press("Escape");
  await expect(question(page)).toContainText("The second factor is not on yet.");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Close anyway" }).click();
  await expect(dialog(page)).toHaveCount(0);

  await database.query("UPDATE member SET two_factor_enabled = true WHERE id = $1", [member.id]);
  await database.query("UPDATE two_factor SET verified = true WHERE member_id = $1", [member.id]);
  await page.reload();
  await page.getByRole("button", { name: "Create new backup codes" }).click();
  await page.getByLabel("Your password").fill(member.password);
  await page.getByLabel("Code", { exact: true }).fill(totp(`otpauth://totp/x?secret=${key}`));
  await page.getByRole("button", { name: "Create new codes" }).click();
  await expect(dialog(page).getByRole("list", { name: "Backup codes" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(question(page)).toContainText("You have not copied or downloaded them.");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Keep open" }).click();
  const saved = page.waitForEvent("download");
  await dialog(page).getByRole("button", { name: "Download" }).click();
  await saved;
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
});
