import { expect, openRendered, test, whenAlive } from "../fixtures/browser";

/** The limit on compressed JavaScript that a page loads until it is interactive, in bytes. */
const BUDGET = 230_000;
const SETTINGS_BUDGET = 250_000;
const EDITOR = "cm-content";
const FORMS = "reValidateMode";

for (const { name, path, heading, without } of [
  { name: "the list", path: "groups", heading: "User groups", without: [EDITOR, FORMS] },
  { name: "a group", path: "groups/:id", heading: "Alpha", without: [EDITOR, FORMS] },
  { name: "the activity", path: "activity", heading: "Activity", without: [EDITOR, FORMS] },
  { name: "the data model", path: "data-model", heading: "Data model", without: [EDITOR, FORMS] },
  { name: "the account", path: "settings/account", heading: "Your account", without: [EDITOR] },
  { name: "the rules", path: "data-model?tab=rules", heading: "Data model", without: [EDITOR] },
  { name: "the webhooks", path: "settings/webhooks", heading: "Webhooks", without: [EDITOR] },
  { name: "the environments", path: "settings/environments", heading: "Environments", without: [EDITOR] },
]) {
  test(`${name} becomes interactive within its JavaScript budget, without code needed only later`, async ({
    environment,
    freshPage: page,
  }) => {
    const { team_id } = await environment.createGroup({ name: "Alpha" });
    const address = `/${environment.slug}/${path.replace(":id", String(team_id))}`;
    await openRendered(page, address);
    await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
    await whenAlive(page);
    const scripts = await page.evaluate(() => {
      const alive = performance.getEntriesByName("alive")[0]?.startTime ?? 0;
      return (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
        .filter(({ name, startTime }) => name.endsWith(".js") && startTime <= alive)
        .map(({ name, encodedBodySize }) => ({ url: name, bytes: encodedBodySize }));
    });
    expect(scripts.length).toBeGreaterThan(5);
    const total = scripts.reduce((sum, { bytes }) => sum + bytes, 0);
    const largest = scripts.toSorted((one, other) => other.bytes - one.bytes).slice(0, 8);
    const lines = largest.map(({ url, bytes }) => `${(bytes / 1000).toFixed(1).padStart(7)} kB  ${url}`);
    process.stdout.write(`First load of ${name}: ${(total / 1000).toFixed(1)} kB\n${lines.join("\n")}\n`);
    for (const { url } of scripts) {
      const text = await (await page.request.get(url)).text();
      expect(
        without.filter((one) => text.includes(one)),
        url,
      ).toEqual([]);
    }
    expect(total).toBeLessThanOrEqual(/^settings|rules$/.test(path) ? SETTINGS_BUDGET : BUDGET);
  });
}
