import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScrolling, test } from "../fixtures/browser";

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const tokenBar = (page: Page) => page.getByRole("region", { name: "User group token" });

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("the token is copied in one click on every tab, and the first copy explains its use", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { team_id, token } = await environment.createGroup({ name: "Acme" });
  for (const tab of ["embed", "history", "details"]) {
    await page.goto(`/${environment.slug}/groups/${team_id}?tab=${tab}`);
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await tokenBar(page).getByRole("button", { name: "Copy token" }).click();
    await expect.poll(() => clipboard(page)).toBe(token);
  }
  await expect(tokenBar(page)).toContainText("Paste it where your product shows the dashboard.");
  await expectAccessible(page);
  await tokenBar(page).getByRole("button", { name: "Embed", exact: true }).click();
  await expect(page.getByRole("tab", { name: "Embed" })).toHaveAttribute("aria-selected", "true");
  await expect(tokenBar(page)).not.toContainText("Paste it where your product");
});

test("the embed is copied in the format chosen last, here and in the next group", async ({ page, environment }) => {
  const first = await environment.createGroup({ name: "Acme" });
  const second = await environment.createGroup({ name: "Borealis" });
  await page.goto(`/${environment.slug}/groups/${first.team_id}`);
  await tokenBar(page).getByRole("button", { name: "Copy embed · HTML" }).click();
  await expect.poll(() => clipboard(page)).toContain(`data-user-group-token="${first.token}"`);
  await tokenBar(page).getByRole("button", { name: "Embed formats" }).click();
  await page.getByRole("menuitemradio", { name: "React" }).click();
  await expect.poll(() => clipboard(page)).toContain(`userGroupToken="${first.token}"`);
  await page.goto(`/${environment.slug}/groups/${second.team_id}?tab=embed`);
  await expect(page.getByRole("radio", { name: "React" })).toBeChecked();
  await tokenBar(page).getByRole("button", { name: "Copy embed · React" }).click();
  await expect.poll(() => clipboard(page)).toContain(`userGroupToken="${second.token}"`);
  await page.getByRole("button", { name: "Copy without" }).click();
  await expect.poll(() => clipboard(page)).toContain("YOUR_USER_GROUP_TOKEN");
  expect(await clipboard(page)).not.toContain(second.token);
});

test("the Embed tab turns green once a renderer checks the token, without a reload", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id, token } = await environment.createGroup({
    name: "Northwind",
    mapping: { 40: "213" },
    properties: { plan: "pro" },
  });
  await page.goto(`/${environment.slug}/groups/${team_id}?tab=embed`);
  const preview = page.getByRole("region", { name: "What Northwind sees" });
  await expect(preview).toContainText("plan pro");
  await expect(preview).toContainText("213");
  await expect(page.getByText("Waiting for the first check by your renderer…")).toBeVisible();
  await expectAccessible(page);
  const { json } = await environment.call("POST", "/api/viewer", { body: { token } });
  expect(json.active).toBe(true);
  await expect(page.getByText("Your renderer checked the token just now")).toBeVisible();
  await expect(page.getByRole("button", { name: "Access: In use" })).toBeVisible();
  await expectAccessible(page);
});

test("on a phone the token is copied from the bottom of the window", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const { team_id, token } = await environment.createGroup({ name: "Acme", properties: { plan: "pro" } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const copy = tokenBar(page).getByRole("button", { name: "Copy token" });
  const { y = 0 } = (await copy.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(560);
  await copy.click();
  await expect.poll(() => clipboard(page)).toBe(token);
  await expectNoSidewaysScrolling(page);
  // The on-screen keyboard and the save bar take its place.
  await page.getByLabel("Name", { exact: true }).fill("Acme AG");
  await expect(copy).toBeHidden();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(copy).toBeVisible();
  await expectAccessible(page);
});

test("after a rotation the dialog waits for the first check of the new token", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id, token, provided_id } = await environment.createGroup({ name: "Acme" });
  await environment.call("POST", "/api/viewer", { body: { token } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await page.getByRole("button", { name: "Rotate…" }).click();
  const question = page.getByRole("dialog", { name: "Rotate the token of “Acme”?" });
  await expect(question).toContainText(`${environment.name} · test data`);
  await expect(question).toContainText(/It (was last used|has never been used)/);
  await question.getByRole("button", { name: "Rotate token" }).click();
  const done = page.getByRole("dialog", { name: "The token was rotated" });
  await expect(done).toContainText("Waiting for the first check of the new token…");
  const { json } = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
  await environment.call("POST", "/api/viewer", { body: { token: json.user_group.token } });
  await expect(done).toContainText("First check of the new token");
  await expectAccessible(page);
});
