import { call, expectError, newId } from "../fixtures/api";
import { expect, expectAccessible, expectNoSidewaysScrolling, type Page, test } from "../fixtures/browser";
import { run } from "../fixtures/run";

const open = (page: Page, slug: string) => page.goto(`/${slug}/settings/api-tokens`);
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/** Makes an API token by the dialog, and leaves the dialog open that shows it. */
async function make(page: Page, name: string, preset = "Backend"): Promise<string> {
  await page.getByRole("button", { name: "New API token" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("radio", { name: preset }).check();
  await page.getByRole("button", { name: "Create API token" }).click();
  const dialog = page.getByRole("dialog", { name: "The API token is ready" });
  const token = await dialog.getByText(/^uga_/).textContent();
  return token ?? "";
}

test.describe("an admin", () => {
  test.use({ role: "admin", permissions: ["clipboard-read", "clipboard-write"] });

  test("creates an API token, which is shown once and works in the curl call next to it", async ({
    page,
    environment,
    database,
  }) => {
    const { provided_id } = await environment.createGroup({ name: "It's Acme" });
    await open(page, environment.slug);
    await expect(row(page, "e2e")).toContainText("Valid");
    await expectAccessible(page);
    const name = newId("token");
    const token = await make(page, name);
    const dialog = page.getByRole("dialog");
    expect(token).toMatch(/^uga_test_[0-9A-Za-z]{49}$/);
    await expect(dialog.getByRole("button", { name: "Copy API token" })).toBeFocused();
    await expect(dialog).toContainText("Returns the user group “It's Acme”");
    await expectAccessible(page);

    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("Enter");
    await expect.poll(copied).toBe(token);
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    await expect.poll(copied).toContain("curl --request GET");
    const { stdout } = await run("sh", ["-c", await copied()], { env: { USER_GROUPS_API_TOKEN: token } });
    expect(JSON.parse(stdout)).toMatchObject({ success: 1, new_user_group: false, user_group: { provided_id } });

    await page.mouse.click(5, 5);
    await expect(dialog).toBeVisible();
    await expect(row(page, name)).toHaveCount(0);
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("button", { name: "New API token" })).toBeFocused();
    await expect(row(page, name)).toContainText("Backend");
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, history.state]),
    );
    expect(kept).not.toContain(token.slice(-20));
    // The service writes down when a token was last used only now and then.
    await database.query("UPDATE api_token SET last_used_at = now() WHERE name = $1", [name]);
    await page.reload();
    await expect(row(page, name)).toContainText(/Valid.*by Member.*Last used just now/);
  });

  test("creates a read-only one: it gets groups, and every change is refused", async ({ page, environment }) => {
    const { provided_id } = await environment.createGroup();
    await open(page, environment.slug);
    const name = newId("reader");
    const token = await make(page, name, "Read-only");
    const use = (method: string, id: string) =>
      call(method, "/api/user", { token, body: { user_group_id: id, name: "New" } });
    expect((await use("GET", provided_id)).status).toBe(200);
    expectError(await use("GET", newId()), 403, "forbidden");
    expectError(await use("PUT", provided_id), 403, "forbidden");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await expect(row(page, name)).toContainText("Read-only");
  });

  test("revokes one, which is then refused", async ({ page, environment }) => {
    await open(page, environment.slug);
    const name = newId("token");
    const token = await make(page, name);
    await page.getByRole("button", { name: "I have saved it" }).click();
    const use = () => call("GET", "/api/user", { token, body: { user_group_id: newId() } });
    expect((await use()).status).toBe(200);
    const revoke = row(page, name).getByRole("button", { name: `Revoke ${name}` });
    await revoke.click();
    const dialog = page.getByRole("dialog", { name: `Revoke “${name}”?` });
    await expect(dialog.getByText(environment.name)).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(revoke).toBeFocused();
    expect((await use()).status).toBe(200);
    await revoke.click();
    await page.getByRole("button", { name: "Revoke API token" }).click();
    await expect(row(page, name)).toContainText("Revoked just now");
    await expect(revoke).toHaveCount(0);
    expectError(await use(), 401, "unauthorized");
    await expectAccessible(page);
  });

  test("sees that someone else has already revoked it", async ({ page, environment, database }) => {
    await open(page, environment.slug);
    await row(page, "e2e").getByRole("button").click();
    await database.query(
      "UPDATE api_token SET revoked_at = now() WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)",
      [environment.slug],
    );
    await page.getByRole("button", { name: "Revoke API token" }).click();
    await expect(page.getByRole("dialog").getByRole("alert")).toContainText("it is already revoked");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(row(page, "e2e")).toContainText("Revoked");
  });

  test("chooses when it expires", async ({ page, environment, database }) => {
    await open(page, environment.slug);
    const ofDay = new Date(Date.now() + 4 * 86_400_000);
    for (const [choice, days] of [
      ["In 30 days", 30],
      ["In 90 days", 90],
      ["In a year", 365],
      ["On a date…", 4],
    ] as const) {
      await page.getByRole("button", { name: "New API token" }).click();
      await page.getByLabel("Name").fill(choice);
      await page.getByLabel("Expires").selectOption(choice);
      if (choice === "On a date…") {
        await page.getByRole("button", { name: "Create API token" }).click();
        await expect(page.getByLabel("Last day")).toHaveAccessibleDescription("Choose a day.");
        await expectAccessible(page);
        await page.getByLabel("Last day").fill(ofDay.toLocaleDateString("sv"));
      }
      await page.getByRole("button", { name: "Create API token" }).click();
      await page.getByRole("button", { name: "I have saved it" }).click();
      await expect(row(page, choice)).toContainText(new RegExp(`Expires in (${days}|${days + 1}) days`));
    }
    await database.query("UPDATE api_token SET expires_at = now() WHERE name = $1 AND expires_at > now()", [
      "In 30 days",
    ]);
    await page.reload();
    await expect(row(page, "In 30 days")).toContainText("Expired just now");
    await expect(row(page, "In 30 days").getByRole("button")).toHaveCount(0);
  });

  test("sees errors at their fields", async ({ page, environment }) => {
    await open(page, environment.slug);
    await page.getByRole("button", { name: "New API token" }).click();
    await page.getByRole("button", { name: "Create API token" }).click();
    await expect(page.getByLabel("Name")).toHaveAccessibleDescription(
      /Must not be blank: it has no visible character\./,
    );
    await expect(page.getByLabel("Name")).toBeFocused();
    await expectAccessible(page);
    await page.getByLabel("Name").fill("n");
    await page.route("**/api/admin/api-tokens", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Create API token" }).click();
    await expect(page.getByRole("dialog").getByRole("alert")).toContainText(
      "No API token was received. If the list shows a new one",
    );
    await expectAccessible(page);
  });

  test("sees what to do when there are none, and when loading fails", async ({ page, environment, database }) => {
    const mine = "environment_id = (SELECT id FROM environment WHERE slug = $1)";
    await database.query(`DELETE FROM api_token WHERE ${mine}`, [environment.slug]);
    await open(page, environment.slug);
    await expect(page.getByRole("heading", { name: "No API tokens yet" })).toBeVisible();
    await expectAccessible(page);
    await make(page, "first");
    await expect(page.getByRole("dialog")).toContainText("Creates the user group example_1");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.route("**/api/admin/api-tokens", (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await expect(page.getByRole("main").getByRole("alert")).toContainText("The API tokens could not be loaded");
    await expectAccessible(page);
    await page.unroute("**/api/admin/api-tokens");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(row(page, "first")).toBeVisible();
  });

  test("works at 320 pixels", async ({ page, environment }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, environment.slug);
    await expect(row(page, "e2e")).toBeVisible();
    await make(page, "a name so long that it does not fit into one line of a telephone ".repeat(3).trim());
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await expect(page.getByRole("row")).toHaveCount(3);
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  });
});

test.describe("in a Customer environment", () => {
  test.use({ role: "admin", tag: "Customer" });

  test("an API token is revoked by typing its name", async ({ page, environment }) => {
    await open(page, environment.slug);
    await row(page, "e2e").getByRole("button", { name: "Revoke e2e" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("Customer");
    await expect(dialog.getByRole("button", { name: "Revoke API token" })).toBeDisabled();
    await dialog.getByLabel("Type e2e to confirm").fill("e2e");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expect(row(page, "e2e")).toContainText("Revoked");
  });
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees the list without actions", async ({ page, environment }) => {
    await open(page, environment.slug);
    await expect(row(page, "e2e")).toContainText("Valid");
    await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
    await expectAccessible(page);
  });
});
