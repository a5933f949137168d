import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../fixtures/browser";
import { names, searchBox } from "../fixtures/list";

test("U7: each page's title names the screen, the group and the environment", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  test.slow();
  const group = await environment.createGroup({ user_group_id: "acme", name: "Acme GmbH" });
  const [base, place] = [`/${environment.slug}`, `${environment.name} · User groups`];
  const titles: [path: string, title: string][] = [
    [`${base}/groups`, `Groups · ${place}`],
    [`${base}/groups/new`, `New user group · ${place}`],
    [`${base}/groups/import`, `Import user groups · ${place}`],
    [`${base}/groups/${group.team_id}`, `Acme GmbH · ${place}`],
    [`${base}/groups/${group.team_id}?tab=embed`, `Acme GmbH, embed · ${place}`],
    [`${base}/groups/${group.team_id}?tab=history`, `Acme GmbH, history · ${place}`],
    [`${base}/activity`, `Activity · ${place}`],
    [`${base}/settings/api-tokens`, `API tokens · ${place}`],
    [`${base}/settings/environments`, `Environments · ${place}`],
    [`${base}/settings/members`, `Members · ${place}`],
    [`${base}/settings/account`, `Your account · ${place}`],
    [`${base}/groups/999999`, `Page not found · ${place}`],
    ["/docs", "API reference · User groups"],
  ];
  expect(new Set(titles.map(([, title]) => title)).size).toBe(titles.length);
  for (const [path, title] of titles) {
    await page.goto(path);
    await expect(page).toHaveTitle(title);
  }
  await page.goto(`${base}/groups`);
  await names(page).first().click();
  await expect(page).toHaveTitle(`Acme GmbH · ${place}`);
  await page.getByRole("tab", { name: "Embed" }).click();
  await expect(page).toHaveTitle(`Acme GmbH, embed · ${place}`);
  await page.goBack();
  await expect(page).toHaveTitle(`Groups · ${place}`);
});

/** Gathers all that the one live region says. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  const region = page.locator("[data-announcer]");
  await expect(region).toHaveAttribute("aria-live", "polite");
  await region.evaluate((element) => {
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver(() => element.textContent && said.push(element.textContent)).observe(element, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said);
}

test("U7: one live region announces the results of a search, a filter, a save and an import", async ({
  page,
  environment,
}) => {
  for (const name of ["Alpha", "Beta", "Alphabet"]) await environment.createGroup({ name, properties: { name } });
  const token = (await environment.createGroup({ name: "Holder" })).token;
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(4);
  const said = await listen(page);
  await searchBox(page).fill("alpha");
  await expect.poll(said).toContain("2 user groups match");
  await searchBox(page).fill("alphab");
  await expect.poll(said).toContain("1 user group matches");
  await searchBox(page).fill("nothing of the kind");
  await expect.poll(said).toContain("No user group matches");
  await searchBox(page).fill(token);
  await expect.poll(said).toContain("The current token of Holder.");
  await searchBox(page).fill("");
  await expect.poll(said).toContain("4 user groups");

  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search and commands" }).fill("alpha");
  await expect.poll(said).toContain("2 results");
  await page.keyboard.press("Escape");

  await page.getByRole("link", { name: "Beta" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Gamma");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(said).toContain("Saved");

  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Groups" }).click();
  await page.getByRole("link", { name: "Import" }).click();
  await page.getByLabel("Drop a file here, or choose one").setInputFiles({
    name: "groups.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from('{"user_group_id":"new","name":"New"}\n'),
  });
  await expect.poll(said, { timeout: 30_000 }).toContain("Checked, not applied · to create: 1");
});

for (const [platform, key] of [
  ["MacIntel", "⌘"],
  ["Win32", "Ctrl"],
] as const) {
  test(`U7: on ${platform} shortcuts are shown with ${key}`, { tag: "@release" }, async ({ page, environment }) => {
    await page.addInitScript((platform) => {
      Object.defineProperty(navigator, "platform", { get: () => platform });
      Object.defineProperty(navigator, "userAgentData", { get: () => undefined });
    }, platform);
    const group = await environment.createGroup({ name: "Alpha" });
    await page.goto(`/${environment.slug}/groups/${group.team_id}`);
    const other = key === "⌘" ? "Ctrl" : "⌘";
    await page.getByLabel("Name", { exact: true }).fill("Beta");
    const bar = page.getByRole("region", { name: "Unsaved changes" });
    await expect(bar).toContainText(key);
    await expect(page.getByRole("button", { name: "Search and commands" })).toContainText(key);
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(help).toContainText(key);
    await expect(page.locator("body")).not.toContainText(other);
  });
}

/** The contrast between the darkest and the lightest of what is drawn within an element's edge. */
async function contrastIn(locator: Locator): Promise<number> {
  const image = (await locator.screenshot()).toString("base64");
  return locator.page().evaluate(async (image) => {
    const bytes = Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0));
    const { width, height, ...bitmap } = await drawn(bytes);
    const levels: number[] = [];
    for (let y = 4; y < height - 4; y++) {
      for (let x = 4; x < width - 4; x++) levels.push(luminance(bitmap.data, (y * width + x) * 4));
    }
    return (Math.max(...levels) + 0.05) / (Math.min(...levels) + 0.05);

    async function drawn(bytes: Uint8Array<ArrayBuffer>) {
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      if (!canvas) throw new Error("no canvas");
      canvas.drawImage(bitmap, 0, 0);
      return canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    }

    function luminance(data: Uint8ClampedArray, at: number) {
      const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((part) => {
        const value = (data[at + part] ?? 0) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
  }, image);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`with forced colours, ${colorScheme}, chosen and other labels can be read, and each state is drawn`, {
    tag: "@release",
  }, async ({ page, environment, database }) => {
    await page.emulateMedia({ forcedColors: "active", colorScheme, reducedMotion: "reduce" });
    const { team_id } = await environment.createGroup({ name: "Used", properties: { plan: "pro" } });
    await environment.createGroup({ user_group_id: "paused", name: "Paused" });
    await environment.createGroup({ name: "Never" });
    await database.query("UPDATE group_use SET last_used_at = now() WHERE team_id = $1", [team_id]);
    await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: "paused" } });
    await page.goto(`/${environment.slug}/groups?sort=name`);
    const marks = page.getByRole("table", { name: "User groups" }).locator("td:has(a) svg[viewBox='0 0 8 8']");
    const shapes = new Set<string>();
    for (const mark of await marks.all()) {
      if (!(await mark.isVisible())) continue;
      shapes.add(await mark.innerHTML());
      // Its colour is the text's.
      expect(await mark.evaluate((element) => getComputedStyle(element).color)).toBe(
        await page.evaluate(() => getComputedStyle(document.body).color),
      );
    }
    expect(shapes.size).toBe(3);
    const views = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    const outline = (link: Locator) => link.evaluate((element) => getComputedStyle(element).outlineStyle);
    expect(await outline(views.nth(0))).toBe("solid");
    expect(await outline(views.nth(1))).toBe("none");
    // Every line is drawn in forced colours, but for those of the canvas.
    const line = (link: Locator) =>
      link.evaluate((element) => getComputedStyle(element.parentElement ?? element).borderBottomColor);
    expect(await line(views.nth(1))).toBe(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    for (const view of [views.nth(0), views.nth(1)]) expect(await contrastIn(view)).toBeGreaterThan(4.5);

    await page.goto(`/${environment.slug}/groups/${team_id}`);
    const segments = page.getByRole("group", { name: "Properties" }).locator("label");
    for (const segment of await segments.all()) expect(await contrastIn(segment)).toBeGreaterThan(4.5);
    for (const tab of await page.getByRole("tab").all()) expect(await contrastIn(tab)).toBeGreaterThan(4.5);
  });
}

test("U7: with forced colours the chosen tab, the current page and the state marks stay visible", {
  tag: "@release",
}, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  const look = (locator: ReturnType<Page["locator"]>) =>
    locator.evaluate((element) => {
      const { backgroundColor, borderBottomColor, color, outlineStyle } = getComputedStyle(element);
      return { backgroundColor, borderBottomColor, color, outlineStyle };
    });
  const tab = (name: string | RegExp) => page.getByRole("tab", { name });
  const pages = page.getByRole("navigation", { name: "Pages" });
  expect(await look(tab("Embed"))).not.toEqual(await look(tab(/^Properties/)));
  expect(await look(pages.getByRole("link", { name: "Groups" }))).not.toEqual(
    await look(pages.getByRole("link", { name: "Activity" })),
  );
  const canvas = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const mark = page.getByRole("button", { name: /^Environment: / }).locator("[aria-hidden].rounded-full");
  expect((await look(mark)).backgroundColor).not.toBe(canvas);
  const view = page.getByRole("group", { name: "Properties" }).locator("label");
  expect(await look(view.filter({ hasText: "Table" }))).not.toEqual(await look(view.filter({ hasText: "JSON" })));

  await page.getByRole("button", { name: "Theme" }).click();
  await page.keyboard.press("ArrowDown");
  const items = page.getByRole("menuitemradio");
  const looks = await Promise.all([0, 1, 2].map((index) => look(items.nth(index))));
  expect(new Set(looks.map((one) => JSON.stringify(one))).size).toBe(2);
  await page.keyboard.press("Escape");

  await page.goto(`/${environment.slug}/groups`);
  const rows = page.getByRole("table", { name: "User groups" }).locator("tbody tr");
  const plain = await look(rows.first());
  await page.getByLabel("Select Alpha").check();
  expect(await look(rows.first())).not.toEqual(plain);
});
