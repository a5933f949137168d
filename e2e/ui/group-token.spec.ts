import { clipboard, expect, expectAccessible, PLAIN_HOST, test } from "../fixtures/browser";

test.describe("an admin", () => {
  test.use({ role: "admin", permissions: ["clipboard-read", "clipboard-write"] });

  test("reveals a token for 30 s, copies it unseen, and both are recorded", async ({ page, environment, member }) => {
    const { team_id, token } = await environment.createGroup({ name: "Acme" });
    await page.clock.install();
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    const card = page.getByRole("region", { name: "User group token" });
    await expect(card).toContainText(`ugt_${"•".repeat(16)}`);
    await expect(card).not.toContainText(token.slice(-4));
    await card.getByRole("button", { name: "Copy token" }).click();
    await expect(page.locator("[data-announcer]")).toHaveText("Copied token");
    await expect(page.getByText(token)).toHaveCount(0);
    expect(await clipboard(page)).toBe(token);

    await card.getByRole("button", { name: "Reveal token" }).click();
    await expect(card).toContainText(token);
    await page.clock.fastForward(29_000);
    await expect(card).toContainText(token);
    await page.clock.fastForward(2_000);
    await expect(card).not.toContainText(token);
    await card.getByRole("button", { name: "Reveal token" }).press("Enter");
    await expect(card).toContainText(token);
    await page.keyboard.press("Enter");
    await expect(card).not.toContainText(token);

    await page.getByRole("tab", { name: "History" }).click();
    const history = page.getByRole("tabpanel", { name: "History" });
    await expect(history).toContainText(/revealed the token/i);
    await expect(history).toContainText(/copied the token/i);
    await expect(history).toContainText(member.name);
  });

  test("copies every embed configuration with its token, including the team's own", { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    const template =
      '<embed token="{{userGroupToken}}" id="{{userGroupId}}" plan="{{properties.plan}}">{{properties.none}}';
    await database.query("UPDATE environment SET embed_template = $2 WHERE slug = $1", [environment.slug, template]);
    const group = await environment.createGroup({ name: "Acme", properties: { plan: "pro" } });
    const { team_id, token, provided_id } = group;
    await page.goto(`/${environment.slug}/groups/${team_id}?tab=embed`);
    const panel = page.getByRole("region", { name: "Embed configuration" });
    const expected = {
      JSON: JSON.stringify({ userGroupToken: token, userGroupId: provided_id }, null, 2),
      HTML: `data-user-group-token="${token}"`,
      React: `userGroupToken="${token}"`,
      ".env": `USER_GROUP_TOKEN=${token}`,
      "Your template": `<embed token="${token}" id="${provided_id}" plan="pro">{{properties.none}}`,
    };
    for (const [format, text] of Object.entries(expected)) {
      await panel.getByRole("radio", { name: format, exact: true }).check();
      await expect(panel.locator("pre")).not.toContainText(token);
      await panel.getByRole("button", { name: "Copy with token" }).click();
      await expect.poll(() => clipboard(page)).toContain(text);
    }
    await expect(panel).toContainText("This group has no value for {{properties.none}}");
    await expectAccessible(page);
  });

  test("rotates a token: the old one stops, the new one appears with its configurations", { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    const { team_id, token, provided_id } = await environment.createGroup({ name: "Acme" });
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("dialog").getByRole("radio", { name: "Now" }).check();
    await expect(page.getByRole("dialog")).toContainText("The current token stops working immediately");
    await expect(page.getByRole("dialog")).toContainText(environment.name);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.getByRole("dialog").getByRole("button", { name: "Rotate token" }).click();
    const done = page.getByRole("dialog", { name: "The token was rotated" });
    await expect(done).toContainText("has stopped");
    expect(sent.filter((one) => one.startsWith("POST "))).toEqual(["POST /api/user-groups/rotate"]);
    const { json } = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
    const fresh = json.user_group.token;
    expect(fresh).not.toBe(token);
    await expect(done.locator("code")).toHaveText(fresh);
    await expect(done.locator("pre")).toContainText(fresh);
    await expectAccessible(page);
    await done.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("button", { name: "Rotate…" })).toBeFocused();
    await expect(page.getByText(fresh)).toHaveCount(0);
    await expect(page.getByRole("region", { name: "User group token" })).toContainText(/Rotated just now by/);
  });

  test("sees in a second tab that the token was already rotated", { tag: "@release" }, async ({
    page,
    member,
    environment,
    openAs,
  }) => {
    const { team_id, provided_id } = await environment.createGroup({ name: "Acme" });
    const path = `/${environment.slug}/groups/${team_id}`;
    const second = await openAs(member);
    await second.goto(path);
    await second.getByRole("button", { name: "Rotate…" }).click();
    await page.goto(path);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate token" }).click();
    await expect(page.getByRole("dialog", { name: "The token was rotated" })).toBeVisible();
    const before = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
    await second.getByRole("dialog").getByRole("button", { name: "Rotate token" }).click();
    await expect(second.getByRole("dialog").getByRole("alert")).toContainText(
      "It has been rotated since you opened this dialog.",
    );
    await expectAccessible(second);
    const after = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
    expect(after.json.user_group.token).toBe(before.json.user_group.token);
  });

  test("copies on plain http, where browsers offer scripts no clipboard", async ({
    inBrowser: _,
    browser,
    environment,
    member,
    stage,
  }) => {
    const { team_id, token } = await environment.createGroup();
    const context = await browser.newContext();
    const page = await context.newPage();
    const base = new URL(stage.urls[0]);
    base.hostname = PLAIN_HOST;
    await page.goto(`${base.origin}/sign-in?next=/${environment.slug}/groups/${team_id}`);
    await page.getByLabel("Email").fill(member.email);
    await page.getByLabel("Password").fill(member.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    const card = page.getByRole("region", { name: "User group token" });
    // Clicks do nothing until the page's scripts have loaded.
    await expect(async () => {
      await card.getByRole("button", { name: "Copy token" }).click();
      await expect(page.locator("[data-announcer]")).toHaveText("Copied token", { timeout: 1_000 });
    }).toPass();
    expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
    await page.getByLabel("Name", { exact: true }).fill("");
    await page.getByLabel("Name", { exact: true }).press("ControlOrMeta+v");
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue(token);
    await context.close();
  });
});

test.describe("in a Customer environment", () => {
  test.use({ tag: "Customer" });

  test("a rotation that stops the old token immediately is confirmed by typing the id", async ({
    page,
    environment,
  }) => {
    const { team_id, provided_id } = await environment.createGroup();
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await page.getByRole("button", { name: "Rotate…" }).click();
    const dialog = page.getByRole("dialog");
    const confirm = dialog.getByRole("button", { name: "Rotate token" });
    await expect(confirm).toBeEnabled();
    await dialog.getByRole("radio", { name: "Now" }).check();
    await expect(confirm).toBeDisabled();
    await dialog.getByRole("textbox").fill(provided_id);
    await expect(confirm).toBeEnabled();
  });
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees masked tokens and changes nothing", { tag: "@release" }, async ({ page, environment }) => {
    const { team_id, token } = await environment.createGroup({ name: "Acme", properties: { plan: "pro" } });
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await expect(page.getByRole("region", { name: "User group token" })).toContainText("Readers cannot see tokens");
    await expect(page.getByText(token.slice(-4))).toHaveCount(0);
    await expect(page.getByLabel("Name", { exact: true })).toHaveAttribute("readonly", "");
    for (const name of ["Rotate…", "Reveal token", "Copy token", "More actions", "Add row"]) {
      await expect(page.getByRole("button", { name })).toHaveCount(0);
    }
    await page.getByRole("tab", { name: "Embed" }).click();
    await expect(page.getByText("which readers cannot see")).toBeVisible();
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByRole("link", { name: "Acme" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Create group" })).toHaveCount(0);
    await expectAccessible(page);
  });
});
