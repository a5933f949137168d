import { mergeTests } from "@playwright/test";
import { insertApiToken } from "../fixtures/api-token";
import { expect, test as inBrowser } from "../fixtures/browser";
import { query, test as withOwnService } from "../fixtures/own-service";

const test = mergeTests(withOwnService, inBrowser);
test.use({ role: null });

const OWNER = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" };

test("after a quick start in Testing the dashboard opens there, later in the last environment", async ({
  start,
  createDatabase,
  page,
}) => {
  test.slow();
  const databaseUrl = await createDatabase();
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: "ef".repeat(32) };
  const { url, said } = await start(settings);
  await expect.poll(said).toContain("/welcome#ugl_");
  const created = await fetch(`${url}/api/user/get-or-create`, {
    method: "POST",
    headers: {
      Authorization: `Token ${await insertApiToken(settings)}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ user_group_id: "example_1", name: "Example 1" }),
  });
  expect(created.status).toBe(200);
  await page.goto(/^http\S+\/welcome#ugl_\S+$/m.exec(said())?.[0] ?? "");
  await page.getByLabel("Name").fill(OWNER.name);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await page.getByRole("button", { name: "Create owner" }).click();
  await expect(page).toHaveURL(`${url}/testing/groups`, { timeout: 15_000 });
  await expect(page.getByRole("link", { name: "Example 1" })).toBeVisible();
  await page.goto(`${url}/production/activity`);
  await expect.poll(() => page.evaluate(() => localStorage.getItem("environment"))).toBe("production");
  await page.goto(url);
  await expect(page).toHaveURL(`${url}/production/groups`);
  await test.step("and in Production if no environment has groups", async () => {
    await query(databaseUrl, "DELETE FROM user_group");
    await page.goto(`${url}/docs`);
    await page.evaluate(() => localStorage.clear());
    await page.goto(url);
    await expect(page).toHaveURL(`${url}/production/groups`);
  });
});
