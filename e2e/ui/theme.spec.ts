import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures/browser";

/** The theme in the first frame with content. */
async function atFirst(page: Page) {
  return page.evaluate(() => (window as unknown as { first: { theme: string; scheme: string } }).first);
}

async function watchFirst(page: Page) {
  await page.addInitScript(() => {
    const look = () => {
      if ("first" in window || !document.querySelector("main, header")) return;
      const theme = document.documentElement.dataset.theme;
      Object.assign(window, { first: { theme, scheme: getComputedStyle(document.documentElement).colorScheme } });
    };
    // Before the first paint: a frame is drawn only after this callback.
    const next = () => {
      look();
      if (!("first" in window)) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

const isDark = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d");
    if (!canvas) throw new Error("no canvas");
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    return (canvas.getImageData(0, 0, 1, 1).data[0] ?? 0) < 128;
  });

test("a chosen theme stays, and no other flashes before it", { tag: "@release" }, async ({ page, environment }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect.poll(() => isDark(page)).toBe(true);
  await watchFirst(page);
  await page.reload();
  await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
  expect(await atFirst(page)).toEqual({ theme: "dark", scheme: "dark" });
  expect(await isDark(page)).toBe(true);
  await page.getByRole("button", { name: "Theme" }).click();
  await expect(page.getByRole("menuitemradio", { name: "Dark" })).toBeChecked();
  await page.getByRole("menuitemradio", { name: "System" }).click();
  await expect.poll(() => isDark(page)).toBe(false);
});

test("without a choice the theme follows the system", { tag: "@release" }, async ({ page, environment }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await watchFirst(page);
  await page.goto(`/${environment.slug}/groups`);
  await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
  expect(await atFirst(page)).toMatchObject({ theme: "dark" });
  expect(await isDark(page)).toBe(true);
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(() => isDark(page)).toBe(false);
});

test("with reduced motion nothing moves", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByLabel("Select Alpha").check();
  await page.getByRole("button", { name: "Delete…" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll("*")].filter((element) => {
        const { animationDuration, animationName, transitionDuration } = getComputedStyle(element);
        const lasts = (duration: string) => duration.split(", ").some((one) => Number.parseFloat(one) > 0);
        return (animationName !== "none" && lasts(animationDuration)) || lasts(transitionDuration);
      }).length,
  );
  expect(moving).toBe(0);
  expect(
    await page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length),
  ).toBe(0);
});
