import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures/browser";

/** What the first load of a page weighs at most, in bytes of gzipped JavaScript. */
const BUDGET = 200_000;
const EDITOR = "cm-content";
const FORMS = "setCustomValidity";

for (const { name, path, heading, without } of [
  { name: "the list", path: "groups", heading: "User groups", without: [EDITOR, FORMS] },
  { name: "a group", path: "groups/:id", heading: "Alpha", without: [EDITOR, FORMS] },
  { name: "the activity", path: "activity", heading: "Activity", without: [EDITOR, FORMS] },
  { name: "the health", path: "health", heading: "Health", without: [EDITOR, FORMS] },
  { name: "the account", path: "settings/account", heading: "Your account", without: [EDITOR] },
]) {
  test(`${name} shows after at most 200 kB of JavaScript, without what only later use needs`, async ({
    context,
    environment,
    // Signs in.
    page: _,
  }) => {
    const { team_id } = await environment.createGroup({ name: "Alpha" });
    // Without what the fixture's page does, which makes all of it load.
    const page = await context.newPage();
    const address = `/${environment.slug}/${path.replace(":id", String(team_id))}`;
    await openRendered(page, address);
    await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
    // Of this document: it may have been opened more than once.
    const scripts = await page.evaluate(() =>
      performance.getEntriesByType("resource").flatMap(({ name }) => (name.endsWith(".js") ? name : [])),
    );
    const sizes = await Promise.all(
      [...new Set(scripts)].map(async (url) => {
        const body = await (await page.request.get(url)).body();
        return { path: new URL(url).pathname, bytes: gzipSync(body).length, text: String(body) };
      }),
    );
    expect(sizes.length).toBeGreaterThan(5);
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const largest = sizes.sort((one, other) => other.bytes - one.bytes).slice(0, 8);
    const lines = largest.map(({ path, bytes }) => `${(bytes / 1000).toFixed(1).padStart(7)} kB  ${path}`);
    process.stdout.write(`First load of ${name}: ${(total / 1000).toFixed(1)} kB\n${lines.join("\n")}\n`);
    const tooEarly = sizes.filter(({ text }) => without.some((one) => text.includes(one)));
    expect(tooEarly.map(({ path }) => path)).toEqual([]);
    expect(total).toBeLessThanOrEqual(BUDGET);
  });
}

test("a group's editor takes over what was typed, clicked and focused before it loaded", { tag: "@release" }, async ({
  context,
  environment,
  page: _,
}) => {
  const page = await context.newPage();
  const { team_id } = await environment.createGroup({ name: "Alpha", properties: { plan: "pro" } });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const address = `/${environment.slug}/groups/${team_id}`;
  await openRendered(page, address);
  await page.route("**/*.js", async (route) => {
    await held;
    await route.continue();
  });
  const properties = page.getByRole("group", { name: "Properties" });
  const name = page.getByLabel("Name", { exact: true });
  await properties.getByText("JSON", { exact: true }).click();
  await name.fill("Bet");
  await expect(properties.getByRole("radio", { name: "Table" })).toBeChecked();
  release();
  await expect(properties.getByRole("radio", { name: "JSON" })).toBeChecked();
  await expect(name).toBeFocused();
  await page.keyboard.type("a");
  await expect(name).toHaveValue("Beta");
  await page.getByRole("button", { name: /^Save/ }).click();
  await expect(page.getByRole("heading", { name: "Beta", level: 1 })).toBeVisible();
});

/** Opens the page as the service rendered it with its data, for which it waits 300 ms at most. */
async function openRendered(page: Page, address: string) {
  await expect(async () => {
    const answer = await page.goto(address);
    expect(await answer?.text()).not.toMatch(/aria-label="Loading/);
  }).toPass();
}
