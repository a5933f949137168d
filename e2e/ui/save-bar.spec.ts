import type { Locator, Page } from "@playwright/test";
import { expect, holdRequests, test, toasts, typeInto } from "../fixtures/browser";

const PROPERTIES = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`key${index}`, `value ${index}`]));

const saveBar = (page: Page) => page.getByRole("region", { name: "Unsaved changes" });

/** Expects the whole element to be in the window, and not covered by the header or the save bar. */
async function expectUncovered(page: Page, element: Locator) {
  await expect
    .poll(
      async () => {
        const [box, bar, header] = await Promise.all(
          [element, saveBar(page), page.getByRole("banner")].map((one) => one.boundingBox()),
        );
        if (!box || !bar || !header) return "not rendered";
        if (box.y < header.y + header.height - 1) return `under the header: ${box.y}`;
        if (box.y + box.height > bar.y + 1) return `under the save bar: ${box.y + box.height} > ${bar.y}`;
        return "uncovered";
      },
      { timeout: 5_000 },
    )
    .toBe("uncovered");
}

for (const size of [
  { width: 1440, height: 700 },
  // A phone with its keyboard open.
  { width: 320, height: 330 },
]) {
  test(`the save bar covers neither the focused field nor an error, ${size.width} px wide`, {
    tag: size.width === 320 ? [] : "@release",
  }, async ({ page, environment }) => {
    const group = await environment.createGroup({ name: "Alpha", properties: PROPERTIES });
    await page.setViewportSize(size);
    await page.goto(`/${environment.slug}/groups/${group.team_id}`);
    const sheet = page.getByRole("group", { name: "Properties" });
    const isPhone = size.width < 640;
    const fields = isPhone ? sheet.getByRole("button", { name: /^key\d+: / }) : sheet.getByLabel(/^Value, row/);
    await expect(fields).toHaveCount(12);

    await test.step("a field at the lower edge, when typing brings the bar", async () => {
      const field = fields.nth(6);
      await field.evaluate((element) => element.scrollIntoView({ block: "end" }));
      await field.focus();
      if (isPhone) await page.keyboard.press("Enter");
      if (isPhone) await expect(page.getByRole("dialog").getByLabel("Value")).toBeFocused();
      await page.keyboard.type("x");
      if (isPhone) await page.keyboard.press("Enter");
      await expect(saveBar(page)).toBeVisible();
      await expect(field).toBeFocused();
      await expectUncovered(page, field);
    });
    await test.step("each field reached by Tab, in both directions", async () => {
      for (const key of ["Tab", "Shift+Tab"]) {
        for (let press = 0; press < 8; press++) {
          await page.keyboard.press(key);
          if (await saveBar(page).locator(":focus").count()) break;
          await expectUncovered(page, page.locator("main :focus"));
        }
      }
    });
    await test.step("a field with the on-screen keyboard open", async () => {
      await page.setViewportSize({ ...size, height: 600 });
      await fields.nth(9).evaluate((element) => element.scrollIntoView({ block: "end" }));
      await fields.nth(9).focus();
      await page.setViewportSize({ ...size, height: 330 });
      await expectUncovered(page, fields.nth(9));
      await page.setViewportSize(size);
    });
    await test.step("a form error at a field", async () => {
      await page.getByLabel("Name", { exact: true }).fill("");
      await fields.last().focus();
      await page.keyboard.press("ControlOrMeta+s");
      await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
      await expectUncovered(page, page.getByLabel("Name", { exact: true }));
      await expectUncovered(page, page.getByText("Enter a name."));
      await page.getByLabel("Name", { exact: true }).fill("Alpha");
    });
    await test.step("a service error about the whole form", async () => {
      const [down, up] = [{ status: 503 }, { status: 422 }];
      await page.route("**/api/user", (route) =>
        route.fulfill({
          ...down,
          json: { success: 0, error: { code: "unavailable", message: "The database is away." } },
        }),
      );
      await fields.nth(3).focus();
      await saveBar(page).getByRole("button", { name: "Save" }).click();
      const failure = page.getByRole("alert").filter({ hasText: "The database is away." });
      await expect(failure).toBeInViewport({ ratio: 1 });
      expect(await isOnTop(failure)).toBe(true);
      await page.unroute("**/api/user");
      await page.route("**/api/user", (route) =>
        route.fulfill({
          ...up,
          json: {
            success: 0,
            error: { code: "invalid_fields", message: "No.", issues: [{ path: ["name"], message: "is not liked" }] },
          },
        }),
      );
      await saveBar(page).getByRole("button", { name: "Save" }).click();
      await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
      await expectUncovered(page, page.getByText("Is not liked."));
      await page.unroute("**/api/user");
    });
    await test.step("the current line of the editor", async () => {
      const properties = page.getByRole("group", { name: "Properties" });
      await properties.getByRole("radio", { name: "JSON" }).check();
      const editor = properties.getByRole("textbox");
      await editor.click();
      await page.keyboard.press("ControlOrMeta+End");
      for (let line = 0; line < 8; line++) await page.keyboard.press("Enter");
      await expectUncovered(page, properties.locator(".cm-activeLine").last());
    });
  });
}

/** Whether an element is visible at its centre and at its lower edge. */
async function isOnTop(element: Locator) {
  return element.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return [(top + bottom) / 2, bottom - 2].every((y) => {
      const seen = document.elementFromPoint((left + right) / 2, y);
      return seen !== null && element.contains(seen);
    });
  });
}

test("the save bar names what keeps it from saving, with a link to it", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const properties = { ...PROPERTIES, seats: 25, plan: "free" };
  const group = await environment.createGroup({ name: "Alpha", properties });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  const sheet = page.getByRole("group", { name: "Properties" });
  const seats = sheet.getByLabel("Value, row 13");
  await seats.fill("abc");
  await expect(saveBar(page)).toContainText("1 problem: seats is not a number");
  await expect(saveBar(page)).not.toContainText("removed");
  await sheet.getByLabel("Value, row 14").fill("pro");
  await expect(saveBar(page)).toContainText("1 unsaved change · 1 problem: seats is not a number");
  await expect(sheet.getByText("Not a number. Enter a number, or change the type to text.")).toHaveCount(1);
  await sheet.getByLabel("Name, row 2", { exact: true }).fill("key0");
  await expect(saveBar(page)).toContainText(/3 problems: key0: duplicate key/);
  await sheet.getByLabel("Name, row 2", { exact: true }).fill("key1");
  await page.getByRole("tab", { name: "Embed" }).click();
  await saveBar(page).getByRole("button", { name: "seats is not a number" }).click();
  await expect(seats).toBeFocused();
  await expectUncovered(page, seats);
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.press("ControlOrMeta+s");
  await expect(seats).toBeFocused();
  await seats.fill("26");
  await expect(saveBar(page)).toContainText("2 unsaved changes: seats 25 →to 26, plan free →to pro");
});

for (const width of [1440, 768, 320]) {
  test(`the save bar is the last row of the panel, unbroken, ${width} px wide`, { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    const group = await environment.createGroup({ name: "Alpha", properties: PROPERTIES });
    await page.setViewportSize({ width, height: 700 });
    await page.goto(`/${environment.slug}/groups/${group.team_id}`);
    await page.getByLabel("Name", { exact: true }).fill("x");
    const box = async () => (await saveBar(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const edge = width >= 900 ? 8 : 0;
    await expect.poll(async () => (await box()).y + (await box()).height).toBe(700 - edge);
    const { x, y, width: across } = await box();
    expect([x, x + across]).toEqual([width >= 900 ? 220 : 0, width - edge]);
    // The frame above it ignores the pointer.
    const covers = await page.evaluate(
      ([left = 0, right = 0, middle = 0]) =>
        [left + 30, (left + right) / 2, right - 30].map((at) =>
          Boolean(document.elementFromPoint(at, middle)?.closest('[aria-label="Unsaved changes"]')),
        ),
      [x, x + across, y + 4],
    );
    expect(covers).toEqual([true, true, true]);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect.poll(async () => (await box()).y + (await box()).height).toBe(700 - edge);
    await expectUncovered(page, page.getByRole("button", { name: /^Add row/ }).last());
  });
}

test("switching tabs keeps changes, which any tab can save and guard", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const group = await environment.createGroup({ name: "Alpha", properties: { plan: "free" } });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await page.getByLabel("Name", { exact: true }).fill("Beta");
  const properties = page.getByRole("group", { name: "Properties" });
  await properties.getByRole("radio", { name: "JSON" }).check();
  await typeInto(properties.getByRole("textbox"), '{"plan": "pro"}');
  await expect(saveBar(page)).toContainText("2 unsaved changes");

  await page.getByRole("tab", { name: "Embed" }).click();
  await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(saveBar(page)).toContainText("2 unsaved changes");
  await page.getByRole("tab", { name: /^Properties/ }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Beta");
  await expect(properties.getByRole("textbox")).toContainText('"pro"');

  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Groups" }).click();
  await page
    .getByRole("dialog", { name: "Discard your changes?" })
    .getByRole("button", { name: "Keep editing" })
    .click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  await expect(saveBar(page)).toHaveCount(0);
  const [row] = await database.query("SELECT name, properties FROM user_group WHERE team_id = $1", [group.team_id]);
  expect(row).toEqual({ name: "Beta", properties: '{"plan":"pro"}' });
});

test("text typed as soon as the fields appear is kept", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  // Types as soon as the field exists, sooner than the test could.
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const name = document.querySelector<HTMLInputElement>("input[name=name]");
      if (!name) return;
      observer.disconnect();
      name.select();
      document.execCommand("insertText", false, "Beta");
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole("link", { name: "Alpha" }).click();
  await expect(page.getByRole("tab", { name: /^History 1/ })).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Beta");
  await expect(saveBar(page)).toContainText("1 unsaved change");
});

test("what is being saved cannot be discarded", async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await page.getByLabel("Name", { exact: true }).fill("Beta");
  const release = await holdRequests(page, "**/api/user");
  const discard = saveBar(page).getByRole("button", { name: "Discard" });
  await expect(discard).toBeEnabled();
  await page.keyboard.press("ControlOrMeta+s");
  await expect(discard).toBeDisabled();
  release();
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  await expect(saveBar(page)).toHaveCount(0);
});

test("a failed save from another tab leads to the invalid field", async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await page.getByLabel("Name", { exact: true }).fill("");
  await page.getByRole("tab", { name: "Embed" }).click();
  await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
  await saveBar(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await expect(page.getByText("Enter a name.")).toBeVisible();
});

test("behind a compressing proxy, which alters or drops ETags, successive saves work", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id, provided_id } = await environment.createGroup({ name: "Alpha" });
  const marks = [(tag = "") => `W/${tag}`, (tag = "") => tag.replace(/"$/, '-gzip"'), () => undefined];
  let put = 0;
  await page.route("**/api/user", async (route) => {
    if (route.request().method() !== "PATCH") return route.continue();
    const response = await route.fetch();
    const { etag, ...headers } = response.headers();
    const marked = marks[put++ % marks.length]?.(etag);
    await route.fulfill({ response, headers: { ...headers, ...(marked && { etag: marked }) } });
  });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  for (const name of ["Beta", "Gamma", "Delta", "Epsilon"]) {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(saveBar(page)).toBeHidden();
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    const { json } = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
    expect(json.user_group.name).toBe(name);
  }
});
