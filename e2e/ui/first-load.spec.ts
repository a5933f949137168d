import { gzipSync } from "node:zlib";
import { expect, test } from "../fixtures/browser";
import { names } from "../fixtures/list";

/** What the first load of the list weighs at most, in bytes of gzipped JavaScript. */
const BUDGET = 200_000;

test("the list shows after at most 200 kB of JavaScript, and no editor", async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  const scripts = new Map<string, Promise<Buffer>>();
  page.on("response", (response) => {
    const url = new URL(response.url());
    if (url.pathname.endsWith(".js")) scripts.set(url.pathname, response.body());
  });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveText(["Alpha"]);
  const sizes = await Promise.all(
    [...scripts].map(async ([path, body]) => ({ path, bytes: gzipSync(await body).length, text: String(await body) })),
  );
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const largest = sizes.sort((one, other) => other.bytes - one.bytes).slice(0, 8);
  const lines = largest.map(({ path, bytes }) => `${(bytes / 1000).toFixed(1).padStart(7)} kB  ${path}`);
  process.stdout.write(`First load of the list: ${(total / 1000).toFixed(1)} kB\n${lines.join("\n")}\n`);
  expect(sizes.filter(({ text }) => text.includes("cm-content"))).toEqual([]);
  expect(total).toBeLessThanOrEqual(BUDGET);
});
