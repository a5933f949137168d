import { call, expectError, newId } from "../fixtures/api";
import { clipboard, expect, expectAccessible, expectNoSidewaysScrolling, type Page, test } from "../fixtures/browser";
import { run } from "../fixtures/run";
import { select } from "../fixtures/select";

const open = (page: Page, slug: string) => page.goto(`/${slug}/settings/api-tokens`);
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/** Chooses an action from a row's menu. */
async function choose(page: Page, name: string, action: string) {
  await row(page, name)
    .getByRole("button", { name: `Actions for ${name}` })
    .click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Creates an API token, and leaves the dialog that shows it open. */
async function make(page: Page, name: string, preset = "Backend"): Promise<string> {
  await page.getByRole("button", { name: "Create API token" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("radio", { name: preset }).check();
  await page.getByRole("button", { name: "Create API token" }).click();
  const dialog = page.getByRole("dialog", { name: "The API token is ready" });
  const token = await dialog.getByText(/^uga_/).textContent();
  return token ?? "";
}

test.describe("an admin", () => {
  test.use({ role: "admin", permissions: ["clipboard-read", "clipboard-write"] });

  test("creates an API token, which is shown once and works in the curl call next to it", { tag: "@release" }, async ({
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

    const copied = () => clipboard(page);
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
    await expect(page.getByRole("button", { name: "Create API token" })).toBeFocused();
    await expect(row(page, name)).toContainText("Backend");
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, history.state]),
    );
    expect(kept).not.toContain(token.slice(-20));
    // The service records the last use only periodically.
    await database.query("UPDATE api_token SET last_used_at = now() WHERE name = $1", [name]);
    await page.reload();
    await expect(row(page, name)).toContainText(/by Member.*Last used just now.*Valid/);
  });

  test("creates a read-only one, which gets groups but is refused every change", async ({ page, environment }) => {
    const { provided_id } = await environment.createGroup();
    await open(page, environment.slug);
    const name = newId("reader");
    const token = await make(page, name, "Read-only");
    const use = (method: string, id: string) =>
      call(method, "/api/user", { token, body: { user_group_id: id, name: "New" } });
    expect((await use("GET", provided_id)).status).toBe(200);
    expectError(await use("GET", newId()), 404, "unknown_user_group");
    expectError(await use("PUT", provided_id), 403, "forbidden");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await expect(row(page, name)).toContainText("Read-only");
  });

  test("sees a call next to a new one that its scopes allow", { tag: "@release" }, async ({ page, environment }) => {
    const { provided_id, token: groupToken } = await environment.createGroup();
    await open(page, environment.slug);
    const dialog = page.getByRole("dialog");
    const runShown = async (token: string) => {
      await dialog.getByRole("button", { name: "Copy", exact: true }).click();
      const copied = () => clipboard(page);
      await expect.poll(copied).toContain("curl --request");
      const env = { USER_GROUPS_API_TOKEN: token, USER_GROUP_TOKEN: groupToken };
      const { stdout } = await run("sh", ["-c", await copied()], { env });
      await dialog.getByRole("button", { name: "I have saved it" }).click();
      return JSON.parse(stdout);
    };
    const renderer = await make(page, newId("renderer"), "Renderer");
    await expect(dialog).toContainText("Returns the user group that the token identifies.");
    await expectAccessible(page);
    expect(await runShown(renderer)).toMatchObject({ active: true, user_group: { provided_id } });

    const scoped = async (...scopes: string[]) => {
      await page.getByRole("button", { name: "Create API token" }).click();
      await page.getByLabel("Name").fill(newId("scoped"));
      await page.getByRole("radio", { name: "Custom" }).check();
      for (const scope of scopes) await page.getByRole("checkbox", { name: scope, exact: true }).check();
      await page.getByRole("button", { name: "Create API token" }).click();
      return (await dialog.getByText(/^uga_/).textContent()) ?? "";
    };
    expect(await runShown(await scoped("groups:read", "groups:create"))).toMatchObject({
      user_groups: [{ provided_id }],
    });
    await scoped("webhooks:write");
    await expect(dialog.getByRole("link", { name: "API reference" })).toBeVisible();
  });

  test("revokes one, which is then refused", { tag: "@release" }, async ({ page, environment }) => {
    await open(page, environment.slug);
    const name = newId("token");
    const token = await make(page, name);
    await page.getByRole("button", { name: "I have saved it" }).click();
    const use = () => call("GET", "/api/user", { token, body: { user_group_id: newId() } });
    expect((await use()).status).toBe(200);
    const actions = row(page, name).getByRole("button", { name: `Actions for ${name}` });
    await choose(page, name, "Revoke…");
    const dialog = page.getByRole("dialog", { name: `Revoke “${name}”?` });
    await expect(dialog.getByText(environment.name)).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(actions).toBeFocused();
    expect((await use()).status).toBe(200);
    await choose(page, name, "Revoke…");
    await page.getByRole("button", { name: "Revoke API token" }).click();
    await expect(row(page, name)).toContainText("Revoked just now");
    await expect(actions).toHaveCount(0);
    expectError(await use(), 401, "unauthorized");
    await expectAccessible(page);
  });

  test("sees that someone else has already revoked it", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    await open(page, environment.slug);
    await choose(page, "e2e", "Revoke…");
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

  test("replaces one: both values work, each row says so, and the old one can be ended", { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    await open(page, environment.slug);
    const name = newId("token");
    const old = await make(page, name);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await choose(page, name, "Replace…");
    const question = page.getByRole("dialog", { name: `Replace “${name}”?` });
    await expect(question.getByRole("button", { name: "The old value Works for 24 hours" })).toBeVisible();
    await select(question, "The old value", "Works for 7 days");
    await expectAccessible(page);
    await question.getByRole("button", { name: "Replace API token" }).click();
    const shown = page.getByRole("dialog", { name: "The API token is ready" });
    const token = (await shown.getByText(/^uga_/).textContent()) ?? "";
    expect(token).not.toBe(old);
    await expect(shown).toContainText("The old value works until");
    await expectAccessible(page);
    const statusOf = async (given: string) =>
      (await call("GET", "/api/user", { token: given, body: { user_group_id: newId() } })).status;
    expect([await statusOf(old), await statusOf(token)]).toEqual([200, 200]);
    await page.getByRole("button", { name: "I have saved it" }).click();

    const oldRow = row(page, name).filter({ hasText: "Old value" });
    await expect(oldRow).toContainText(/Old value, valid until .* UTC/);
    await expect(row(page, name)).toHaveCount(2);
    await expect(page.getByText(token)).toHaveCount(0);
    await expectAccessible(page);
    await oldRow.getByRole("button", { name: `Actions for ${name} (old value)` }).click();
    await expect(page.getByRole("menuitem")).toHaveText(["End old value…"]);
    await page.getByRole("menuitem", { name: "End old value…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End old value" }).click();
    await expect(row(page, name).filter({ hasText: "Revoked just now" })).toHaveCount(1);
    expect([await statusOf(old), await statusOf(token)]).toEqual([401, 200]);
  });

  test("is told of one that replaced itself, and revokes both values", async ({ page, environment, owner }) => {
    const name = newId("token");
    const fields = { name, scopes: ["viewers:ask", "api-token:replace"], expiresAt: null };
    const { json } = await owner.in(environment.slug).post("api-tokens", fields);
    const ask = (token: string, path: string, body: object) => call("POST", path, { token, body });
    const replaced = await ask(json.token, "/api/api-tokens/replace", { overlap_seconds: 3_600 });
    await open(page, environment.slug);
    await expect(page.getByText(`“${name}” has a new value. The old one works until`)).toBeVisible();
    await expectAccessible(page);
    await row(page, name)
      .getByRole("button", { name: `Actions for ${name} (old value)` })
      .click();
    await expect(page.getByRole("menuitem")).toHaveText(["Revoke…"]);
    await page.getByRole("menuitem", { name: "Revoke…" }).click();
    const dialog = page.getByRole("dialog", { name: `Revoke “${name}”?` });
    await expect(dialog).toContainText("All calls with it or any of its other values will be refused.");
    await dialog.getByRole("button", { name: "Revoke API token" }).click();
    await expect(row(page, name).filter({ hasText: "Revoked just now" })).toHaveCount(2);
    for (const token of [json.token, replaced.json.api_token]) {
      expect((await ask(token, "/api/viewer", { token: "t" })).status).toBe(401);
    }
  });

  test("learns that someone else has already replaced it", async ({ page, environment, database }) => {
    await open(page, environment.slug);
    await choose(page, "e2e", "Replace…");
    await database.query(
      `INSERT INTO api_token (environment_id, name, token_index, binding, digest_sealed, created_by, replaces)
       SELECT t.environment_id, t.name, sha256(t.token_index), '', '', 'Ada', t.id
       FROM api_token t JOIN environment e ON e.id = t.environment_id WHERE e.slug = $1`,
      [environment.slug],
    );
    await page.getByRole("button", { name: "Replace API token" }).click();
    await expect(page.getByRole("dialog").getByRole("alert")).toContainText("has already been replaced");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(row(page, "e2e").filter({ hasText: "by Ada" })).toHaveCount(1);
  });

  test("chooses single scopes and networks, with a warning when outside the networks", { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    await open(page, environment.slug);
    await page.getByRole("button", { name: "Create API token" }).click();
    const name = newId("token");
    await page.getByLabel("Name").fill(name);
    await expect(page.getByRole("radio").last()).toHaveAccessibleName("Custom");
    await expect(page.getByRole("checkbox")).toHaveCount(0);
    await page.getByRole("radio", { name: "Custom" }).check();
    const networks = page.getByLabel("Allowed networks (optional)");
    await networks.fill("203.0.113.0");
    await page.getByRole("button", { name: "Create API token" }).click();
    await expect(page.getByText("Choose at least one scope.")).toBeVisible();
    await expect(networks).toHaveAccessibleDescription(/Each line must be a network, as in 203\.0\.113\.0\/24\./);
    await expectAccessible(page);
    const purge = page.getByRole("checkbox", { name: "groups:purge" });
    await expect(purge).toHaveAccessibleDescription("Erases deleted user groups for good.");
    await page.getByRole("checkbox", { name: "viewers:ask" }).check();
    await page.getByRole("checkbox", { name: "events:read" }).check();
    await networks.fill("203.0.113.0/24\n2001:db8::/32\n");
    await page.getByRole("button", { name: "Create API token" }).click();
    const shown = page.getByRole("dialog", { name: "The API token is ready" });
    await expect(shown).toContainText("Your own address 127.0.0.1 is not in these networks.");
    await expectAccessible(page);
    const token = (await shown.getByText(/^uga_/).textContent()) ?? "";
    expectError(await call("POST", "/api/viewer", { token, body: { token: "ugt_" } }), 401, "unauthorized");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await expect(row(page, name)).toContainText(/2 scopes.*2 networks/);
  });

  test("changes the networks of one, with a warning when outside them", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    await open(page, environment.slug);
    const name = newId("token");
    const token = await make(page, name, "Renderer");
    await page.getByRole("button", { name: "I have saved it" }).click();
    const use = async () => (await call("POST", "/api/viewer", { token, body: { token: "ugt_" } })).status;
    const dialog = page.getByRole("dialog", { name: `Networks of “${name}”`, exact: true });
    await choose(page, name, "Networks…");
    await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
    await dialog.getByLabel("Networks").fill("127.0.0.1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByLabel("Networks")).toHaveAccessibleDescription(/Each line must be a network/);
    await expectAccessible(page);
    await dialog.getByLabel("Networks").fill("127.0.0.0/8\n2001:db8::/32");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
    await expect(row(page, name)).toContainText("2 networks");
    expect(await use()).toBe(200);

    await choose(page, name, "Networks…");
    await expect(dialog.getByLabel("Networks")).toHaveValue("127.0.0.0/8\n2001:db8::/32");
    await database.query("UPDATE api_token SET allowed_networks = '{127.0.0.0/8}' WHERE name = $1", [name]);
    await dialog.getByLabel("Networks").fill("203.0.113.0/24");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("alert")).toContainText("Someone has changed this since you opened it.");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    const former = "UPDATE api_token SET allowed_networks = '{127.0.0.0/8,2001:db8::/32}' WHERE name = $1";
    await database.query(former, [name]);
    await page.reload();
    await choose(page, name, "Networks…");
    await dialog.getByLabel("Networks").fill("203.0.113.0/24");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("alert")).toContainText("Your own address 127.0.0.1 is not in these networks.");
    await expectAccessible(page);
    expect(await use()).toBe(401);
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    await expect(row(page, name)).toContainText("1 network");
  });

  test("sees how often one was refused, and from where", async ({ page, environment, database }) => {
    await database.query(
      `UPDATE api_token SET refused_count = 12, refused_from = '203.0.113.9', refused_at = now()
       WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)`,
      [environment.slug],
    );
    await open(page, environment.slug);
    await expect(row(page, "e2e")).toContainText("Refused 12 times, last from 203.0.113.9 just now");
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScrolling(page);
  });

  test("tells tokens apart by their first and last characters; an older one shows only its first", async ({
    page,
    environment,
    database,
  }) => {
    await open(page, environment.slug);
    const name = newId("token");
    const token = await make(page, name);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await expect(row(page, name)).toContainText(`uga_test_…${token.slice(-4)}`);
    await database.query("UPDATE api_token SET hint = NULL WHERE name = $1", [name]);
    await page.reload();
    await expect(row(page, name).getByText("uga_test_…", { exact: true })).toBeVisible();
  });

  test("sees the calls of one as a chart, and copies its numbers", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    const mine = "SELECT id FROM api_token WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)";
    await database.query(
      `INSERT INTO api_token_use_month (api_token_id, month, days)
       SELECT (${mine}), date_trunc('month', now() AT TIME ZONE 'UTC')::date,
         array_agg(CASE WHEN d = extract(day FROM now() AT TIME ZONE 'UTC') THEN 4120 ELSE 0 END ORDER BY d)
       FROM generate_series(1, extract(day FROM now() AT TIME ZONE 'UTC')::int) d`,
      [environment.slug],
    );
    await open(page, environment.slug);
    await expect(row(page, "e2e")).toContainText("4,120 calls today");
    const chart = row(page, "e2e").getByRole("button", { name: "Show numbers: Calls of e2e" });
    await expect(chart.locator("title")).toHaveText("4,120 calls in 30 days");
    await chart.click();
    const numbers = page.getByRole("dialog", { name: "Calls of e2e" });
    const today = new Date().toISOString().slice(0, 10);
    await expect(numbers.getByRole("row")).toHaveCount(31);
    await expect(numbers.getByRole("row").last()).toHaveText(/4,120$/);
    await expect(numbers.getByRole("row").last()).toBeInViewport();
    await expectAccessible(page);
    await numbers.getByRole("button", { name: "Copy" }).click();
    const copied = await clipboard(page);
    expect(copied.split("\n").at(0)).toBe("Day (UTC)\tCalls");
    expect(copied.split("\n").at(-1)).toBe(`${today}\t4120`);
    await page.keyboard.press("Escape");
    await expect(chart).toBeFocused();
  });

  test("sees which one has not been used for 90 days, and revokes it", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    const set = (fields: string) =>
      database.query(
        `UPDATE api_token SET ${fields} WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)`,
        [environment.slug],
      );
    await set("created_at = now() - interval '200 days', last_used_at = now() - interval '89 days'");
    await open(page, environment.slug);
    await expect(row(page, "e2e")).toContainText("Last used 2 months ago");
    await expect(row(page, "e2e").getByRole("button", { name: "Revoke… e2e" })).toHaveCount(0);
    await set("last_used_at = now() - interval '94 days'");
    await page.reload();
    await expect(row(page, "e2e")).toContainText("Unused for 94 days");
    await set("last_used_at = NULL");
    await page.reload();
    await expect(row(page, "e2e")).toContainText("Never used in 200 days");
    await expectAccessible(page);
    await row(page, "e2e").getByRole("button", { name: "Revoke… e2e" }).click();
    await page.getByRole("button", { name: "Revoke API token" }).click();
    await expect(row(page, "e2e")).toContainText("Revoked just now");
    await expect(row(page, "e2e")).not.toContainText("200 days");
  });

  test("sees everything one may do, and from where", { tag: "@release" }, async ({ page, environment, database }) => {
    await open(page, environment.slug);
    const name = newId("token");
    await make(page, name);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await database.query("UPDATE api_token SET allowed_networks = '{203.0.113.0/24}' WHERE name = $1", [name]);
    await page.reload();
    const more = row(page, name).getByRole("button", { name: `what ${name} can do` });
    await expect(more).toHaveText(/^\+ 4 from 1 network/);
    await more.click();
    const all = page.getByRole("dialog", { name: `What ${name} can do` });
    await expect(all).toContainText("tokens:rotate");
    await expect(all).toContainText("203.0.113.0/24");
    await expectAccessible(page);
  });

  test("sees on every page which ones are about to expire", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    const banner = page.getByRole("region", { name: "Expiring API tokens" });
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(banner).toHaveCount(0);
    await database.query(
      `UPDATE api_token SET created_at = now() - interval '60 days', expires_at = now() + interval '60 hours'
       WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)`,
      [environment.slug],
    );
    await page.reload();
    await expect(banner).toContainText("The API token “e2e” expires in 3 days.");
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScrolling(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await banner.getByRole("link", { name: "API tokens" }).click();
    await choose(page, "e2e", "Revoke…");
    await page.getByRole("button", { name: "Revoke API token" }).click();
    await expect(row(page, "e2e")).toContainText("Revoked just now");
    await expect(banner).toHaveCount(0);
  });

  test("chooses when it expires", { tag: "@release" }, async ({ page, environment, database }) => {
    await open(page, environment.slug);
    const ofDay = new Date(Date.now() + 4 * 86_400_000);
    for (const [choice, days] of [
      ["In 30 days", 30],
      ["In 90 days", 90],
      ["In a year", 365],
      ["On a date…", 4],
    ] as const) {
      await page.getByRole("button", { name: "Create API token" }).click();
      await page.getByLabel("Name").fill(choice);
      await select(page, "Expires", choice);
      if (choice === "On a date…") {
        await page.getByRole("button", { name: "Create API token" }).click();
        await expect(page.getByLabel("Last day")).toHaveAccessibleDescription("Choose a day.");
        await expectAccessible(page);
        await page.getByLabel("Last day").fill(ofDay.toLocaleDateString("sv"));
      }
      await page.getByRole("button", { name: "Create API token" }).click();
      await page.getByRole("button", { name: "I have saved it" }).click();
      const made = page.getByRole("row").filter({ has: page.getByTitle(choice, { exact: true }) });
      await expect(made).toContainText(new RegExp(`Expires in (${days}|${days + 1}) days`));
    }
    await database.query("UPDATE api_token SET expires_at = now() WHERE name = $1 AND expires_at > now()", [
      "In 30 days",
    ]);
    await page.reload();
    const expired = page.getByRole("row").filter({ has: page.getByTitle("In 30 days", { exact: true }) });
    await expect(expired).toContainText("Expired just now");
    await expect(expired.getByRole("button", { name: /Actions/ })).toHaveCount(0);
  });

  test("sees errors at the fields", { tag: "@release" }, async ({ page, environment }) => {
    await open(page, environment.slug);
    await page.getByRole("button", { name: "Create API token" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Create API token" }).click();
    await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/Enter a name\./);
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

  test("sees what to do when the list is empty or fails to load", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
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

  test("works at 320 pixels", { tag: "@release" }, async ({ page, environment }) => {
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

  test("an API token is revoked by typing its name", { tag: "@release" }, async ({ page, environment }) => {
    await open(page, environment.slug);
    await choose(page, "e2e", "Revoke…");
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("real customers");
    await expect(dialog.getByRole("button", { name: "Revoke API token" })).toBeDisabled();
    await dialog.getByLabel("Type e2e to confirm").fill("e2e");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expect(row(page, "e2e")).toContainText("Revoked");
  });

  test("a replacement without an overlap is confirmed by typing the name, one with an overlap is not", async ({
    page,
    environment,
  }) => {
    await open(page, environment.slug);
    await choose(page, "e2e", "Replace…");
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: "Replace API token" })).toBeEnabled();
    await select(dialog, "The old value", "Stops now");
    await expect(dialog.getByRole("button", { name: "Replace API token" })).toBeDisabled();
    await dialog.getByLabel("Type e2e to confirm").fill("e2e");
    await dialog.getByRole("button", { name: "Replace API token" }).click();
    await expect(page.getByRole("dialog")).toContainText("The old value no longer works.");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await expect(row(page, "e2e").filter({ hasText: "Old value, ended just now" })).toHaveCount(1);
  });
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees the list without actions, and no banner", async ({ page, environment, database }) => {
    await database.query(
      `UPDATE api_token SET created_at = now() - interval '60 days', expires_at = now() + interval '60 hours'
       WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)`,
      [environment.slug],
    );
    await open(page, environment.slug);
    await expect(row(page, "e2e")).toContainText("Expires in 3 days");
    await expect(page.getByRole("main").getByRole("button", { name: /Actions|Revoke|New/ })).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Expiring API tokens" })).toHaveCount(0);
    await expectAccessible(page);
  });
});
