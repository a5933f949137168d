import { mergeTests } from "@playwright/test";
import { insertApiToken } from "../fixtures/api-token";
import { expect, expectAccessible, test as inBrowser, toasts } from "../fixtures/browser";
import { holding } from "../fixtures/hold";
import { browserCookie, createMember, openSession } from "../fixtures/member";
import { query, test as withOwnService } from "../fixtures/own-service";
import { stage } from "../fixtures/stage";
import { type Forwarder, wayTo } from "../fixtures/tcp-forwarder";

interface Place {
  /** the service's URL */
  url: string;
  /** between the service and its database */
  way: Forwarder;
  /** the database's URL, bypassing the forwarder */
  databaseUrl: string;
}

const test = mergeTests(withOwnService, inBrowser).extend<{ place: Place }>({
  place: async ({ start, createDatabase, context }, use) => {
    const databaseUrl = await createDatabase();
    const through = await wayTo(databaseUrl);
    const settings = { DATABASE_URL: through.url, SECRET_KEY: stage().secretKey };
    const { url } = await start(settings);
    const database = { query: (text: string, values?: unknown[]) => query(databaseUrl, text, values) };
    const member = await createMember(database, "admin");
    await context.addCookies([{ ...browserCookie(await openSession(database, member, [url])), url }]);
    const user_groups = Array.from({ length: 500 }, (_, index) => ({
      user_group_id: String(index + 1).padStart(3, "0"),
    }));
    const created = await fetch(`${url}/api/user-groups/batch`, {
      method: "POST",
      headers: { Authorization: `Token ${await insertApiToken(settings)}`, "Content-Type": "application/json" },
      body: JSON.stringify({ mode: "create", user_groups }),
    });
    expect(created.status).toBe(200);
    await use({ url, way: through.way, databaseUrl });
    await through.way.cut();
  },
});
test.use({ role: null });

test("after 503s in the middle, Continue changes the rest, each group once", { tag: "@release" }, async ({
  page,
  place: { url, way, databaseUrl },
}) => {
  test.slow();
  await page.goto(`${url}/testing/groups?sort=id`);
  await page.getByLabel("Select all on this page").check();
  await page.getByRole("button", { name: "Select all 500 that match" }).click();
  await page.getByRole("button", { name: "Property…" }).click();
  const dialog = page.getByRole("dialog", { name: "Change a property of 500 user groups" });
  await dialog.getByLabel("Property", { exact: true }).fill("tier");
  await dialog.getByLabel("Value", { exact: true }).fill("gold");
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog).toContainText("500 will change.");

  await test.step("the database breaks after 400 of them", async () => {
    await query(
      databaseUrl,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
       CREATE TRIGGER refuse BEFORE UPDATE ON user_group FOR EACH ROW WHEN (NEW.provided_id > '400') EXECUTE FUNCTION refuse()`,
    );
    await dialog.getByRole("button", { name: "Change 500 user groups" }).click();
    await expect(page).toHaveURL(/\/groups\/jobs\/\d+$/);
    await expect(page.getByText("400 of 500 rows were applied and are kept. 100 not changed.")).toBeVisible();
  });
  const proceed = page.getByRole("button", { name: "Continue" });

  await test.step("Continue gets a 503", async () => {
    await way.cut();
    const refused = page.waitForResponse(`${url}/api/jobs/*/apply`);
    await proceed.click();
    expect((await refused).status()).toBe(503);
    await way.open();
    await expect(toasts(page)).toContainText("The job was not continued");
    await expectAccessible(page);
  });

  await test.step("the database goes away during Continue, and the job resumes on its own", async () => {
    await query(databaseUrl, "DROP TRIGGER refuse ON user_group");
    const held = await holding(databaseUrl, "450");
    await proceed.click();
    await held.waited();
    await way.cut();
    await expect
      .poll(async () =>
        (await page.request.get(`${url}/api/jobs`, { headers: { "X-Environment": "testing" } })).status(),
      )
      .toBe(503);
    await expect(page.getByRole("progressbar", { name: "Applying" })).toBeVisible();
    await held.release();
    await way.open();
    await expect(page.getByText("The job is done")).toBeVisible({ timeout: 40_000 });
  });

  const changes = "SELECT count(*)::int, count(DISTINCT team_id)::int AS groups FROM audit_entry WHERE action = $1";
  expect(await query(databaseUrl, changes, ["user_group.updated"])).toEqual([{ count: 500, groups: 500 }]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Apply 500 rows…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  expect(await query(databaseUrl, "SELECT DISTINCT properties FROM user_group")).toEqual([{ properties: null }]);
});
