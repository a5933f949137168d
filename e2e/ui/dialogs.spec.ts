import type { Locator } from "@playwright/test";
import {
  dialog,
  expect,
  expectNoSidewaysScrolling,
  type Page,
  type TestEnvironment,
  test,
  toasts,
} from "../fixtures/browser";
import { chooseMore } from "../fixtures/list";

const SIZES = [
  { width: 1440, height: 900 },
  { width: 320, height: 640 },
];

const click = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
const pick = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true }).click();

/** The last button of a dialog is its primary one. */
async function expectButtonsInSight(page: Page) {
  const button = dialog(page).getByRole("button").last();
  await expect(button).toBeInViewport({ ratio: 1 });
  const isOnTop = () =>
    button.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
  await expect.poll(isOnTop).toBe(true);
}

interface Scene {
  page: Page;
  environment: TestEnvironment;
  /** path of a group's page */
  group: string;
}

/** The tallest dialogs, each opened on its page. */
const DIALOGS: Record<string, (scene: Scene) => Promise<void>> = {
  async "Create API token"({ page, environment }) {
    await page.goto(`/${environment.slug}/settings/api-tokens`);
    await click(page, "Create API token");
    await dialog(page).getByRole("radio").last().check();
  },
  async "an API token's secret"({ page, environment }) {
    await page.goto(`/${environment.slug}/settings/api-tokens`);
    await click(page, "Create API token");
    await dialog(page).getByLabel("Name").fill("billing");
    await click(page, "Create API token");
    await expect(dialog(page)).toContainText("The API token is ready");
  },
  async "Create webhook"({ page, environment }) {
    await page.goto(`/${environment.slug}/settings/webhooks`);
    await page
      .getByRole("button", { name: /webhook/i })
      .first()
      .click();
  },
  async "settings to apply"({ page, environment }) {
    await page.goto(`/${environment.slug}/settings/environments`);
    await click(page, `Actions for ${environment.name}`);
    await pick(page, "Apply settings…");
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`property_${index}`, { type: "string" }]),
    );
    await dialog(page)
      .getByLabel("Settings")
      .fill(JSON.stringify({ definitions: { properties } }));
    await click(page, "Show differences");
    await expect(dialog(page).getByRole("list", { name: "Settings" })).toBeVisible();
  },
  async "the embed template"({ page, environment }) {
    await page.goto(`/${environment.slug}/settings/embedding`);
    await click(page, "Change… embed template");
    await dialog(page).getByLabel("Template").fill("{{userGroupToken}}\n".repeat(40));
  },
  async "a rotation"({ page, group }) {
    await page.goto(group);
    await click(page, "More actions");
    await pick(page, "Rotate token…");
    await dialog(page).getByRole("radio").last().check();
  },
  async "a rotated token"({ page, group }) {
    await page.goto(group);
    await click(page, "More actions");
    await pick(page, "Rotate token…");
    await click(page, "Rotate token");
    await expect(dialog(page)).toContainText("The token was rotated");
  },
  async "a deletion"({ page, group }) {
    await page.goto(group);
    await click(page, "More actions");
    await pick(page, "Delete…");
  },
  async "allowed origins"({ page, group }) {
    await page.goto(`${group}?tab=embed`);
    await click(page, /^Change… allowed origins/);
    await dialog(page).getByRole("radio").last().check();
  },
};

test.describe("on Customer data", () => {
  test.use({ role: "owner", tag: "Customer" });

  for (const [name, open] of Object.entries(DIALOGS)) {
    test(`the buttons of ${name} stay in sight, also on a phone`, async ({ page, environment }) => {
      const { team_id } = await environment.createGroup({ name: "Northwind Traders of the Far and Wide North" });
      await open({ page, environment, group: `/${environment.slug}/groups/${team_id}` });
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await expectButtonsInSight(page);
        await expectNoSidewaysScrolling(page);
      }
    });
  }
});

async function expectApart(one: Locator, other: Locator) {
  await expect(other).toBeVisible();
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()]);
  if (!a || !b) throw new Error("there is nothing to measure");
  expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true);
}

for (const width of [320, 768, 1440]) {
  test(`toasts cover no pager, bar or dialog at ${width} px`, async ({ page, environment }) => {
    // The group suspended on its own page sorts after those selected in the list.
    const last = await environment.createGroup({ user_group_id: "~" });
    await Promise.all(Array.from({ length: 59 }, () => environment.createGroup()));
    await page.setViewportSize({ width, height: width === 320 ? 640 : 900 });
    await page.goto(`/${environment.slug}/groups/${last.team_id}`);
    const shown = toasts(page).getByRole("dialog").first();
    await page.getByLabel("Name", { exact: true }).fill("Acme");
    await page.keyboard.press("ControlOrMeta+s");
    await expect(shown).toContainText("Saved");
    await page.getByLabel("Name", { exact: true }).fill("Acme AG");
    await expectApart(shown, page.getByRole("region", { name: "Unsaved changes" }));
    await click(page, "Discard");

    await click(page, "More actions");
    await pick(page, "Suspend…");
    await dialog(page)
      .getByRole("button", { name: /^Suspend/ })
      .click();
    await expect(shown).toContainText("suspended");
    await click(page, "More actions");
    await pick(page, "Delete…");
    await expectApart(shown, dialog(page));
    await expectButtonsInSight(page);

    await page.goto(`/${environment.slug}/groups?sort=id`);
    if (width < 640) await chooseMore(page, "Select groups");
    const boxes = page.getByRole("checkbox", { name: /^Select (?!all)/ });
    await boxes.nth(1).check();
    await click(page, "Suspend…");
    await dialog(page).getByRole("button", { name: "Suspend", exact: true }).click();
    await expect(shown).toContainText("Undo");
    await boxes.nth(2).check();
    await expectApart(shown, page.getByRole("region", { name: "Selected groups" }));
    await expectApart(shown, page.getByRole("navigation", { name: "List pages" }));
  });
}
