import type { Locator, Page } from "@playwright/test";
import {
  clipboard,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  holdRequests,
  test,
} from "../fixtures/browser";
import { names, searchBox } from "../fixtures/list";

test("each page's title names the screen, the group and the environment", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  test.slow();
  const group = await environment.createGroup({ user_group_id: "acme", name: "Acme GmbH" });
  const [base, place] = [`/${environment.slug}`, `${environment.name} · User groups`];
  const titles: [path: string, title: string][] = [
    [`${base}/groups`, `Groups · ${place}`],
    [`${base}/groups/new`, `Create user group · ${place}`],
    [`${base}/groups/import`, `Import user groups · ${place}`],
    [`${base}/groups/${group.team_id}`, `Acme GmbH · ${place}`],
    [`${base}/groups/${group.team_id}?tab=embed`, `Acme GmbH, embed · ${place}`],
    [`${base}/groups/${group.team_id}?tab=history`, `Acme GmbH, history · ${place}`],
    [`${base}/activity`, `Activity · ${place}`],
    [`${base}/settings/api-tokens`, `API tokens · ${place}`],
    [`${base}/data-model`, `Data model · ${place}`],
    [`${base}/data-model?tab=rules`, `Data model, rules · ${place}`],
    [`${base}/settings/embedding`, `Embedding · ${place}`],
    [`${base}/settings/webhooks`, `Webhooks · ${place}`],
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

/** Collects all announcements of the live region. */
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

test("one live region announces the results of a search, a filter, a save and an import", {
  tag: "@release",
}, async ({ page, environment }) => {
  for (const name of ["Alpha", "Beta", "Alphabet"]) await environment.createGroup({ name, properties: { name } });
  const token = (await environment.createGroup({ name: "Holder" })).token;
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(4);
  const said = await listen(page);
  await searchBox(page).fill("alpha");
  await expect.poll(said).toContain("2 user groups found");
  await searchBox(page).fill("alphab");
  await expect.poll(said).toContain("1 user group found");
  await searchBox(page).fill("nothing of the kind");
  await expect.poll(said).toContain("0 user groups found");
  await searchBox(page).fill(token);
  await expect(page.getByRole("status").filter({ hasText: "The current token of Holder." })).toBeVisible();
  await searchBox(page).fill("");
  await expect.poll(said).toContain("4 user groups");

  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search and commands" }).fill("alpha");
  await expect.poll(said).toContainEqual(expect.stringMatching(/^[2-9] results$/));
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
  test(`on ${platform} shortcuts are shown with ${key}`, { tag: "@release" }, async ({ page, environment }) => {
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

/** The contrast between the darkest and lightest pixel inside an element's edge. */
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
  test(`with forced colours, ${colorScheme}, chosen and other labels are readable, and each state is visible`, {
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
    // Forced colours draw every line except those of the canvas.
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

test("with forced colours the chosen tab, the current page and the state marks stay visible", {
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
  const items = page.getByRole("menuitemradio");
  await expect(items.first()).toBeVisible();
  const looks = () => Promise.all([0, 1, 2].map((index) => look(items.nth(index))));
  await expect(async () => {
    // The menu takes the focus only once it is open.
    await page.keyboard.press("ArrowDown");
    expect(new Set((await looks()).map((one) => JSON.stringify(one))).size).toBe(2);
  }).toPass();
  await page.keyboard.press("Escape");

  await page.goto(`/${environment.slug}/groups`);
  const rows = page.getByRole("table", { name: "User groups" }).locator("tbody tr");
  const plain = await look(rows.first());
  await page.getByLabel("Select Alpha").check();
  expect(await look(rows.first())).not.toEqual(plain);
});

test("the header shows a page's place, and leads back to the groups", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup({ name: "Acme GmbH" });
  const trail = page.getByRole("navigation", { name: "Breadcrumb" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await expect(trail.getByRole("listitem")).toHaveText([/Groups$/, /Acme GmbH$/]);
  await expect(trail.locator("[aria-current=page]")).toHaveText("Acme GmbH");
  await expectAccessible(page);
  await trail.getByRole("link", { name: "Groups" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/groups`);
  await expect(trail).toHaveCount(0);
  for (const [path, name] of [
    ["groups/import", "Import"],
    ["settings/api-tokens", "API tokens"],
    ["data-model", "Data model"],
    ["settings/embedding", "Embedding"],
    ["settings/webhooks", "Webhooks"],
    ["settings/environments", "Environments"],
    ["settings/members", "Members"],
    ["settings/account", "Your account"],
  ]) {
    await page.goto(`/${environment.slug}/${path}`);
    await expect(trail.locator("[aria-current=page]")).toHaveText(name ?? "");
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(trail).toBeHidden();
  await expectNoSidewaysScrolling(page);
});

/** Opens the palette and types into it. */
async function search(page: Page, text: string) {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search and commands" }).fill(text);
  return page.getByRole("dialog", { name: "Search and commands" });
}

test("the palette offers every action of the open page", { tag: "@release" }, async ({
  page,
  context,
  environment,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const group = await environment.createGroup({ name: "Acme GmbH" });
  const option = (name: string) => page.getByRole("option", { name, exact: true });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await expect(page.getByRole("tab", { name: "Embed" })).toBeVisible();
  const palette = await search(page, "");
  const offered = palette.getByRole("group", { name: "On this page" }).getByRole("option");
  await expect(offered.first()).toHaveText("Copy token");
  await expect(offered).toContainText([
    "Rotate token…",
    "Suspend…",
    "Set end of access…",
    "Duplicate…",
    "Delete…",
    "Copy id",
  ]);
  await expect(offered.filter({ hasText: "Rotate" })).toHaveCount(1);
  await option("Copy token").click();
  await expect.poll(() => clipboard(page)).toBe(group.token);
  await search(page, "embed");
  await option("Embed").click();
  await expect(page).toHaveURL(/tab=embed/);
  await search(page, "suspend");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: /^Suspend “Acme GmbH”/ })).toBeVisible();
  await page.keyboard.press("Escape");

  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(1);
  await search(page, "columns");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Columns" })).toBeVisible();
  await page.keyboard.press("Escape");
  await search(page, "export as csv");
  const download = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);

  await page.goto(`/${environment.slug}/settings/environments`);
  await expect(page.getByRole("button", { name: "Create environment" })).toBeVisible();
  await search(page, "create env");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Create environment" })).toBeVisible();
});

test("the palette reaches the actions of every page, by other words too", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const imported = await environment.createGroup({ name: "Imported 1" });
  const at = (path: string) => `/${environment.slug}/${path}`;
  for (const [words, action, path, dialog] of [
    ["new api", "Create API token", "settings/api-tokens", "Create API token"],
    ["add webhook", "Create webhook", "settings/webhooks", "Create webhook"],
    ["invite", "Create invitation", "settings/members", "Create invitation"],
    ["new env", "Create environment", "settings/environments", "Create environment"],
    ["claim", "Create template", "settings/embedding", "Create template"],
  ] as const) {
    await page.goto(at("groups"));
    const palette = await search(page, words);
    await palette.getByRole("option", { name: action }).click();
    await expect(page).toHaveURL(at(path));
    await expect(page.getByRole("dialog", { name: dialog })).toBeVisible();
  }
  await page.goto(at("groups"));
  const highlighted = page.locator("[role=option][data-highlighted]");
  const first = async (words: string, text: string | RegExp) => {
    await search(page, words);
    await expect(highlighted).toHaveText(text);
    await page.keyboard.press("Enter");
  };
  await first("import", "Import");
  await expect(page).toHaveURL(at("groups/import"));
  await first("imported", new RegExp(`^Imported 1.*${environment.name}$`));
  await expect(page).toHaveURL(at(`groups/${imported.team_id}`));
  await page.goto(at("activity"));
  await first(String(imported.team_id), /^Imported 1/);
  await expect(page).toHaveURL(at(`groups/${imported.team_id}`));
  await first("compare", "Environments");
  await expect(page).toHaveURL(at("settings/environments"));
  await first("log out", "Sign out");
  await expect(page).toHaveURL("/sign-in");
});

test("the palette opens a heading of the API reference", { tag: "@release" }, async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/groups`);
  const palette = await search(page, "rotate");
  const found = palette.getByRole("group", { name: "API reference" }).getByRole("option");
  await expect(found.first()).toContainText(/Rotate .*Tokens/);
  await found.first().click();
  await expect(page).toHaveURL(/\/docs#rotateUserGroupToken$/);
  await expect(page.locator("#rotateUserGroupToken")).toBeInViewport();
});

test.describe("in another time zone", () => {
  test.use({ timezoneId: "Pacific/Auckland" });

  test("a relative time shows the exact one in local time and UTC on hover", async ({
    page,
    environment,
    database,
  }) => {
    const { team_id } = await environment.createGroup({ name: "Acme GmbH" });
    await database.query("UPDATE user_group SET updated_at = '2020-01-30T23:00:05Z' WHERE team_id = $1", [team_id]);
    await page.goto(`/${environment.slug}/groups`);
    const time = page.locator('time[datetime^="2020-01-30"]').first();
    await expect(time).toHaveText(/ago$/);
    // Summer time there: 13 hours ahead.
    await expect(time).toHaveAttribute("title", /^Jan 31, 2020, 12:00:05.PM GMT\+13, 23:00:05 UTC$/);
  });
});

test.describe("in a time zone without summer time", () => {
  test.use({ timezoneId: "Asia/Tokyo" });

  test("times are shown and entered in UTC once that is chosen, in this browser", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    const { team_id, provided_id } = await environment.createGroup({ name: "Acme GmbH" });
    const body = { user_group_id: provided_id, access_ends_at: "2099-01-30T23:00:00Z" };
    expect((await environment.call("PATCH", "/api/user", { body })).status).toBe(200);
    const at = new Date(Date.now() - 3 * 86_400_000);
    at.setUTCHours(23, 0, 5);
    await database.query(
      `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, team_id, at)
       SELECT id, 'user_group.resumed', 'operator', 'an earlier day', $2, $3 FROM environment WHERE slug = $1`,
      [environment.slug, team_id, at.toISOString()],
    );
    await page.goto(`/${environment.slug}/groups/${team_id}?tab=history`);
    const time = page.getByRole("listitem").filter({ hasText: "an earlier day" }).locator("time");
    const zone = (name: string) => page.getByRole("heading", { name: new RegExp(` ${name}$`) });
    await expect(zone("GMT\\+9")).toBeVisible();
    await expect(time).toHaveText("08:00");
    await page.getByRole("button", { name: "Your account" }).click();
    await expect(page.getByRole("menuitemradio", { name: "Your zone, GMT+9" })).toBeChecked();
    await page.getByRole("menuitemradio", { name: "UTC", exact: true }).click();
    await expect(zone("UTC")).toBeVisible();
    await expect(time).toHaveText("23:00");
    await expect(time).toHaveAttribute("title", /, 11:00:05.PM UTC$/);
    await page.reload();
    await expect(time).toHaveText("23:00");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Change end of access…" }).click();
    await expect(page.getByLabel("Access ends", { exact: true })).toHaveValue("2099-01-30T23:00");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitemradio", { name: "Your zone, GMT+9" }).click();
    await expect(time).toHaveText("08:00");
  });
});

test("an undo toast stays while it has the focus or the pointer", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await page.clock.install();
  const { provided_id } = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByLabel("Select Alpha").check();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel(`Type ${provided_id} to confirm`).fill(provided_id);
  await page.keyboard.press("Enter");
  const undo = page.getByRole("button", { name: "Undo" });
  await expect(undo).toBeVisible();
  await undo.focus();
  await page.clock.runFor(60_000);
  await expect(undo).toBeFocused();
  await undo.hover();
  await undo.blur();
  await page.clock.runFor(60_000);
  await expect(undo).toBeVisible();
  await page.mouse.move(5, 5);
  await page.clock.runFor(60_000);
  await expect(undo).toHaveCount(0);
});

test("a progress line appears below the header, but not within the first 150 ms", async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(1);
  const line = page.getByRole("main").locator(".fade-in-late");
  await expect(line).toHaveCount(0);
  const answer = await holdRequests(page, "**/api/user-groups?*search=alp*");
  await searchBox(page).fill("alp");
  await expect(line).toBeVisible();
  expect(await line.evaluate((element) => getComputedStyle(element).animationDelay)).toBe("0.15s");
  expect((await line.boundingBox())?.height).toBeCloseTo(2, 1);
  answer();
  await expect(line).toHaveCount(0);
});
