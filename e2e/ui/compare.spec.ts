import { randomBytes } from "node:crypto";
import { SCOPES } from "@/lib/db/scopes";
import { call, createGroup } from "../fixtures/api";
import {
  test as base,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  toasts,
} from "../fixtures/browser";

/** The environment to copy to. */
interface Live {
  slug: string;
  name: string;
  call: typeof call;
  createGroup: typeof createGroup;
}

const test = base.extend<{ live: Live }>({
  live: async ({ database, owner }, use) => {
    const slug = `live-${randomBytes(6).toString("hex")}`;
    const name = `Live ${slug.slice(-4)}`;
    await database.query("INSERT INTO environment (slug, name, tag) VALUES ($1, $2, 'Customer')", [slug, name]);
    const made = await owner.in(slug).post("api-tokens", { name: "e2e", scopes: SCOPES, expiresAt: null });
    const token: string = made.json.token;
    await use({
      slug,
      name,
      call: (method, path, options) => call(method, path, { token, ...options }),
      createGroup: (fields) => createGroup(fields, { token }),
    });
    for (const table of ["user_group", "deleted_group", "api_token"]) {
      const its = "environment_id = (SELECT id FROM environment WHERE slug = $1)";
      await database.query(`DELETE FROM ${table} WHERE ${its}`, [slug]);
    }
    await database.query("DELETE FROM environment WHERE slug = $1", [slug]);
  },
});

const dialog = (page: Page) => page.getByRole("dialog").and(page.locator(":not([aria-modal=false])"));
const row = (page: Page, name: string) =>
  page.getByRole("list", { name: "Settings" }).getByRole("listitem").filter({ hasText: name });
const open = (page: Page, from: { slug: string }, to: Live) =>
  page.goto(`/${from.slug}/settings/compare?with=${to.slug}`);

const put = async (where: { call: typeof call }, path: string, body: object, method = "PUT") => {
  const { status, text } = await where.call(method, path, { body });
  expect(status, text).toBe(200);
};
const definitionsOf = async (where: { call: typeof call }) => (await where.call("GET", "/api/definitions")).json;
const PLAN = {
  properties: { plan: { type: "string", required: true, enum: ["free", "pro"] } },
  enforcement: "enforce",
};
const HOOK = { url: "https://127.0.0.1:1/hook?key=hidden", description: "billing", types: ["environment.deleted"] };

test("chosen parts are promoted with their difference shown first, and a new webhook's secret once", {
  tag: "@release",
}, async ({ page, environment, live }) => {
  await put(environment, "/api/definitions", PLAN);
  await put(environment, "/api/viewer-settings", { allowed_origins: ["https://app.example.com"], audience: "testing" });
  await put(environment, "/api/webhooks", HOOK, "POST");
  await put(live, "/api/definitions", { properties: { plan: { type: "string" }, old: { type: "integer" } } });
  await open(page, environment, live);
  await expect(row(page, "Embed template")).toContainText("The same");
  await expect(row(page, "Embed template").getByRole("checkbox")).toHaveCount(0);
  await expect(row(page, "Webhook to 127.0.0.1:1/hook")).toContainText(`Only in ${environment.name}`);
  await page.getByRole("button", { name: "Difference of Definitions" }).click();
  await expect(row(page, "Definitions").getByRole("list", { name: "Properties" })).toContainText(
    /plan: enum.*\["free","pro"\]/,
  );
  await expect(row(page, "Definitions")).toContainText(/old.*type integer/);
  await expectAccessible(page);

  const copyButton = page.getByRole("button", { name: `Copy to ${live.name}…` });
  await expect(copyButton).toBeDisabled();
  for (const name of ["Definitions", "Allowed origins", "Webhook to 127.0.0.1:1/hook"]) {
    await page.getByRole("checkbox", { name, exact: true }).check();
  }
  await expect(page.getByRole("checkbox", { name: "All that can be copied" })).toBeChecked({ indeterminate: true });
  await copyButton.click();
  await expect(dialog(page)).toContainText(`${live.name} · real customers`);
  await expect(dialog(page).getByRole("region", { name: "Definitions" })).toContainText(
    "Changes that add a problem will be refused",
  );
  await expect(dialog(page).getByRole("region", { name: "Allowed origins" })).toContainText(
    /anywhere.*https:\/\/app.example.com/s,
  );
  await expect(dialog(page)).toContainText("The new webhook is disabled at first");
  await expect(dialog(page)).not.toContainText("hidden");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  expect((await definitionsOf(live)).version).toBe(1);
  await copyButton.click();
  await dialog(page)
    .getByRole("button", { name: `Copy to ${live.name}` })
    .click();

  await expect(toasts(page).getByText(`Copied to ${live.name}`)).toBeVisible();
  await expect(dialog(page)).toContainText("whsec_");
  await expect(dialog(page)).toContainText("Check each delivery with it");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toContainText("The secret is shown only once");
  await dialog(page).getByRole("button", { name: "Keep open" }).click();
  await dialog(page).getByRole("button", { name: "I have saved it" }).click();
  await expect(dialog(page)).toHaveCount(0);
  for (const name of ["Definitions", "Allowed origins", "Webhook to 127.0.0.1:1/hook"]) {
    await expect(row(page, name)).toContainText("The same");
  }
  await expect(row(page, "What they contain")).toContainText("1 difference");
  expect((await definitionsOf(live)).definitions).toMatchObject(PLAN);
  const settings = (await live.call("GET", "/api/viewer-settings")).json.settings;
  expect(settings).toMatchObject({ allowed_origins: ["https://app.example.com"], audience: null });
  const { webhooks } = (await live.call("GET", "/api/webhooks")).json;
  expect(webhooks).toMatchObject([{ url: "https://127.0.0.1:1/hook", description: "billing", enabled: false }]);

  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole("button", { name: "Difference of Viewer tokens" }).click();
  await expectNoSidewaysScrolling(page);
  await page.goto(`/${live.slug}/activity`);
  await expect(page.getByRole("button", { name: /changed the definitions/ }).first()).toBeVisible();
});

test("a part that someone changes before the copy is refused with all the others, and is compared again", {
  tag: "@release",
}, async ({ page, environment, live }) => {
  await put(environment, "/api/definitions", PLAN);
  await put(environment, "/api/viewer-settings", { allowed_origins: ["https://app.example.com"] });
  await open(page, environment, live);
  await page.getByRole("checkbox", { name: "All that can be copied" }).check();
  await page.getByRole("button", { name: `Copy to ${live.name}…` }).click();
  await put(live, "/api/definitions", { properties: { theirs: { type: "date" } } });
  await dialog(page)
    .getByRole("button", { name: `Copy to ${live.name}` })
    .click();
  await expect(dialog(page).getByRole("alert")).toContainText("Nothing was copied: definitions changed since");
  await expect(dialog(page).getByRole("button", { name: `Copy to ${live.name}` })).toBeDisabled();
  await expectAccessible(page);
  expect((await live.call("GET", "/api/viewer-settings")).json.settings.allowed_origins).toBeNull();
  await dialog(page).getByRole("button", { name: "Compare again" }).click();
  await page.getByRole("button", { name: `Copy to ${live.name}…` }).click();
  await expect(dialog(page).getByRole("region", { name: "Definitions" })).toContainText(/theirs.*type date/);
  await dialog(page)
    .getByRole("button", { name: `Copy to ${live.name}` })
    .click();
  await expect(page.getByText(`Nothing to copy: ${live.name} has all that ${environment.name} has.`)).toBeVisible();
  expect((await definitionsOf(live)).definitions).toMatchObject(PLAN);
});

test("groups are side by side: only here, only there, and what differs", { tag: "@release" }, async ({
  page,
  environment,
  live,
}) => {
  const both = async (user_group_id: string, one: object, other: object) => {
    await environment.createGroup({ user_group_id, ...one });
    return live.createGroup({ user_group_id, ...other });
  };
  await both("alike", { properties: { a: 1, b: 2 } }, { properties: { b: 2, a: 1 } });
  const acme = await both(
    "acme",
    { name: "Acme", properties: { plan: "pro", seats: 5 } },
    { name: "Acme Inc", properties: { plan: "free", seats: 5 } },
  );
  await environment.createGroup({ user_group_id: "mine", name: "Mine" });
  await live.createGroup({ user_group_id: "<b>thine</b>", name: "x".repeat(255) });
  await open(page, environment, live);
  await page.getByRole("tab", { name: "Groups" }).click();
  await expect(page.getByText("1 group is the same.")).toBeVisible();
  const table = page.getByRole("table", { name: "Groups that differ" });
  await expect(table.getByRole("row")).toHaveCount(4);
  await expect(page.getByRole("radio", { name: "All 3" })).toBeChecked();
  await expectAccessible(page);
  await table.getByRole("button", { name: "Differences of acme: name, properties" }).click();
  await expect(dialog(page).getByRole("list", { name: "Properties" })).toContainText(/plan.*free.*pro/s);
  await expect(dialog(page).getByRole("list", { name: "Properties" })).not.toContainText("seats");
  await expect(dialog(page).getByRole("list", { name: "Name" })).toContainText(/Acme Inc.*Acme/s);
  await expectAccessible(page);
  await page.keyboard.press("Escape");

  await page.getByRole("radio", { name: `Only in ${live.name} 1` }).check();
  await expect(table.getByRole("row")).toHaveCount(2);
  await expect(table).toContainText("<b>thine</b>");
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.reload();
  await expect(page.getByRole("radio", { name: `Only in ${live.name} 1` })).toBeChecked();
  await page.getByRole("radio", { name: "Differing 1" }).check();
  await expect(table.getByRole("link", { name: "Acme Inc" })).toHaveAttribute(
    "href",
    `/${live.slug}/groups/${acme.team_id}`,
  );

  // The other way round.
  await page.getByRole("link", { name: "Swap" }).click();
  await expect(page).toHaveURL(new RegExp(`/${live.slug}/settings/compare\\?with=${environment.slug}`));
  await expect(page.getByRole("tab", { name: "Groups" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("radio", { name: `Only in ${live.name} 1` })).toBeVisible();
});

test("more groups than a page are read on demand", async ({ page, environment, live, database }) => {
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, token_index, token_sealed)
     SELECT e.id, 'g' || n, 'Group ' || n, sha256((e.slug || n)::bytea), '' FROM environment e, generate_series(101, 230) n WHERE e.slug = $1`,
    [environment.slug],
  );
  await page.goto(`/${environment.slug}/settings/compare?with=${live.slug}&tab=groups`);
  const rows = page.getByRole("table", { name: "Groups that differ" }).getByRole("row");
  await expect(page.getByRole("radio", { name: "All 130" })).toBeVisible();
  await expect(rows).toHaveCount(51);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(101);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(131);
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(0);
  await live.createGroup({ user_group_id: "g101", name: "Group 101" });
  await page.getByRole("button", { name: "Compare again" }).click();
  await expect(page.getByRole("radio", { name: "All 129" })).toBeVisible();
});

test.describe("as a viewer", () => {
  test.use({ role: "viewer" });

  test("differences show, without webhooks, and nothing can be copied", async ({ page, environment, live }) => {
    await put(environment, "/api/definitions", PLAN);
    await put(environment, "/api/webhooks", HOOK, "POST");
    await open(page, environment, live);
    await page.getByRole("button", { name: "Difference of Definitions" }).click();
    await expect(row(page, "Definitions").getByRole("list", { name: "Properties" })).toContainText(/plan/);
    await expect(page.getByText("Owners and admins see webhooks too")).toBeVisible();
    await expect(page.getByRole("listitem").filter({ hasText: "Webhook to" })).toHaveCount(0);
    await expect(page.getByRole("main").getByRole("checkbox")).toHaveCount(0);
    await expect(page.getByRole("button", { name: /^Copy to/ })).toHaveCount(0);
    await expectAccessible(page);
  });
});
