import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { isBrowserRequired, NO_BROWSER } from "../fixtures/chromium.mjs";
import { expect, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";

const ROOT = path.resolve(".");
// The setup of `npm test` with two tests: one needs a page and one does not.
const SUITE: Record<string, string> = {
  "package.json": JSON.stringify({ type: "module", scripts: { check: "true" } }),
  "playwright.config.mjs": `
    const stage = { chromium: process.env.E2E_CHROMIUM || undefined, tokens: {}, ofWorkers: [] };
    process.env.E2E_STAGE = JSON.stringify(stage);
    export default { testMatch: "*.spec.ts", reporter: [["json", { outputFile: "test-results/e2e.json" }]], projects: [{ name: "api" }] };`,
  "two.spec.ts": `
    import { test } from "${ROOT}/e2e/fixtures/with-browser";
    test("calls", () => {});
    test("clicks", async ({ page }) => { await page.goto("about:blank"); });`,
};
/** Ends like a downloaded browser with missing libraries. */
const BROKEN = `#!/bin/sh
echo "chromium: error while loading shared libraries: libnss3.so: cannot open shared object file" >&2
exit 127
`;

for (const { title, browser, said } of [
  { title: "without a browser", browser: undefined, said: NO_BROWSER },
  {
    title: "with a browser that does not start",
    browser: BROKEN,
    said: "chromium does not start: chromium: error while",
  },
]) {
  test(`npm test ${title} runs the other tests and ends with the number of browser tests`, async ({ folder }) => {
    const programs = path.join(folder, "programs");
    await mkdir(programs);
    for (const [name, text] of Object.entries(SUITE)) await writeFile(path.join(folder, name), text);
    for (const name of ["node", "npm", "npx", "sh"]) {
      await symlink((await run("/bin/sh", ["-c", `command -v ${name}`])).stdout.trim(), path.join(programs, name));
    }
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    if (browser) {
      await writeFile(path.join(programs, "chromium"), browser);
      await chmod(path.join(programs, "chromium"), 0o755);
    }
    const env = {
      PATH: programs,
      REQUIRE_BROWSER: "1",
      PLAYWRIGHT_BROWSERS_PATH: path.join(folder, "none"),
      PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
    };
    const { code, stdout, stderr } = await run(process.execPath, [path.join(ROOT, "e2e/all.mjs"), "some", "api"], {
      cwd: folder,
      env,
    });
    expect(stderr).toContain(said);
    expect(stdout).toContain(`${NO_BROWSER}\n           [api] two.spec.ts › clicks\n`);
    expect(stdout).toMatch(/\n1 passed, 0 failed, 1 skipped\n1 browser test did not run\n$/);
    expect(code).toBe(1);
  });
}

test("a run without a browser fails as root, in CI or when one is required, and for no other user", () => {
  expect(isBrowserRequired({}, 1000)).toBe(false);
  expect(isBrowserRequired({ REQUIRE_BROWSER: "0" }, 1000)).toBe(false);
  expect(isBrowserRequired({ REQUIRE_BROWSER: "1" }, 1000)).toBe(true);
  expect(isBrowserRequired({ CI: "true" }, 1000)).toBe(true);
  expect(isBrowserRequired({}, 0)).toBe(true);
});
