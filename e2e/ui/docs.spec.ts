import type { Page } from "@playwright/test";
import { PRESETS } from "@/lib/authority/scopes";
import { ERRORS } from "@/lib/errors";
import { reference } from "@/lib/openapi/reference";
import { expect, expectAccessible, expectNoSidewaysScrolling, test } from "../fixtures/browser";

const CALLS = [
  "Get or create a user group",
  "Update a user group",
  "Rotate the token of a user group",
  "Get or create a user group by POST",
  "List user groups",
  "Export user groups",
  "Begin a job",
  "Send a piece of the file",
  "Identify a viewer",
];

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const form = (page: Page, name: string) => page.getByRole("form", { name: `Try it: ${name}` });

/** Opens a call's form, with the body from the example. */
async function open(page: Page, name: string) {
  await part(page, name).getByText("Try it", { exact: true }).click();
  await expect(form(page, name)).toBeVisible();
  return form(page, name);
}

test.describe("for readers who are not signed in", () => {
  test.use({ role: null });

  test("the reference has every call, error and limit, and fits every screen", { tag: "@release" }, async ({
    page,
  }) => {
    test.slow();
    await page.goto("/docs");
    await expect(page).toHaveTitle("API reference · User groups");
    await expect(page.locator('meta[name="robots"]')).toHaveAttribute("content", "noindex, nofollow");
    for (const name of CALLS) await expect(page.getByRole("heading", { level: 2, name, exact: true })).toBeVisible();
    for (const name of ["Get or create, curl", "Update, curl", "Rotate the token, curl"]) {
      await expect(part(page, name)).toContainText("/api/user");
    }
    const codes = page.getByRole("table", { name: "Error codes" });
    for (const code of Object.keys(ERRORS)) await expect(codes.getByText(code, { exact: true })).toBeVisible();
    await expect(page.getByRole("table", { name: "Limits" }).getByRole("row")).toHaveCount(
      reference["x-limits"].length + 1,
    );
    const body = part(page, "Update a user group").getByRole("definition").first();
    await expect(body).toContainText("compared byte for byte");
    for (const name of CALLS.slice(1)) await open(page, name);
    for (const size of [
      { width: 320, height: 640 },
      { width: 768, height: 1024 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size);
      await expectNoSidewaysScrolling(page);
    }
    await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Errors" }).click();
    await expect(page.getByRole("heading", { name: "Errors", exact: true })).toBeInViewport();
    await expectAccessible(page);
    // Browsers cannot send a GET with a body.
    const get = part(page, "Get or create a user group");
    await expect(get.getByText("Try it", { exact: true })).toHaveCount(0);
    await expect(get).toContainText("Browsers cannot send a GET with a body.");
    await get.getByRole("link", { name: "POST /api/user/get-or-create" }).click();
    await expect(part(page, "Get or create a user group by POST")).toBeInViewport();
  });

  test("example calls are really sent, and the API token leaves no trace", { tag: "@release" }, async ({
    page,
    owner,
    environment,
  }) => {
    const made = await owner
      .in(environment.slug)
      .post("api-tokens", { name: "docs", scopes: [...PRESETS.backend], expiresAt: null });
    expect(made.status, made.text).toBe(200);
    const token: string = made.json.token;
    await page.goto("/docs");

    const create = await open(page, "Get or create a user group by POST");
    await create.getByRole("button", { name: "Send POST" }).click();
    await expect(create.getByRole("alert")).toContainText("Enter an API token");
    await create.getByLabel("API token").fill("uga_live_mistyped");
    await expect(create).toContainText("calls from here change real groups");
    await create.getByRole("button", { name: "Send POST" }).click();
    await expect(create.getByRole("status").first()).toHaveText("Responded with 401");
    await create.getByLabel("API token").fill(token);
    await expect(create).not.toContainText("real groups");
    await create.getByRole("button", { name: "Send POST" }).click();
    await expect(create.getByRole("status").first()).toHaveText("Responded with 200");
    const answer = create.getByRole("region", { name: /^Response to/ });
    await expect(answer).toContainText('"new_user_group": true');
    const shown = (await answer.textContent()) ?? "";
    const [first = ""] = /ugt_\w{49}/.exec(shown) ?? [];
    const [etag = ""] = /"\d+-\d+"/.exec(shown) ?? [];

    const update = await open(page, "Update a user group");
    await expect(update.getByLabel("API token")).toHaveValue(token);
    await update.getByLabel("If-Match").fill(etag);
    await update.getByRole("button", { name: "Send PUT" }).click();
    await expect(update.getByRole("status").first()).toHaveText("Responded with 200");
    await expect(update.getByRole("region", { name: /^Response to/ })).toContainText('"filterValue": "other"');
    await update.getByLabel("Body").fill('{"user_group_id":"example_1","properties":{"n":1.10}}');
    await update.getByRole("button", { name: "Send PUT" }).click();
    await expect(update.getByRole("status").first()).toHaveText("Responded with 412");
    await update.getByLabel("If-Match").fill("");
    await update.getByRole("button", { name: "Send PUT" }).click();
    await expect(update.getByRole("region", { name: /^Response to/ })).toContainText('"n": 1.10');

    const rotate = await open(page, "Rotate the token of a user group");
    await rotate.getByLabel("Body").fill(JSON.stringify({ current_token: first }));
    await rotate.getByRole("button", { name: "Send POST" }).click();
    await expect(rotate.getByRole("status").first()).toHaveText("Responded with 200");
    await expect(rotate.getByRole("region", { name: /^Response to/ })).not.toContainText(first);
    await expectAccessible(page);
    await rotate.getByRole("button", { name: "Send POST" }).click();
    await expect(rotate.getByRole("region", { name: /^Response to/ })).toContainText("unknown_token");

    const kept = await page.evaluate(() =>
      JSON.stringify([location.href, document.cookie, localStorage, sessionStorage]),
    );
    expect(kept).not.toContain("uga_");
    await page.reload();
    expect(await page.content()).not.toContain(token);
    await expect((await open(page, "Update a user group")).getByLabel("API token")).toHaveValue("");
  });
});

test.describe("for readers of a single call", () => {
  test.use({ role: null });

  test("a call without a body shows its query, scopes and list members, and can be tried", {
    tag: "@release",
  }, async ({ page, owner, environment }) => {
    const made = await owner
      .in(environment.slug)
      .post("api-tokens", { name: "docs of lists", scopes: [...PRESETS.backend], expiresAt: null });
    expect(made.status, made.text).toBe(200);
    await page.goto("/docs");
    await expect(page.getByText("Cannot be tried from this page")).toHaveCount(1);

    const list = part(page, "List user groups");
    await expect(list).toContainText("Scopes: groups:read.");
    await expect(list.getByLabel("Query of List user groups", { exact: true })).toContainText("updated_since");
    const members = list.getByLabel("Response of List user groups, user_groups", { exact: true });
    await expect(members).toContainText("token_last_used_at");
    const tried = await open(page, "List user groups");
    await tried.getByLabel("API token").fill(made.json.token);
    await tried.getByLabel("user_group_id").fill("no such group\nanother & one");
    await tried.getByRole("button", { name: "Send GET" }).click();
    await expect(tried.getByRole("status").first()).toHaveText("Responded with 200");
    await expect(tried.getByRole("region", { name: /^Response to/ })).toContainText('"user_groups": []');
    await tried.getByLabel("user_group_id").fill("");
    await tried.getByLabel("limit").fill("0");
    await tried.getByRole("button", { name: "Send GET" }).click();
    await expect(tried.getByRole("region", { name: /^Response to/ })).toContainText("must be from 1 to 500");

    const exported = await open(page, "Export user groups");
    await expect(exported.getByLabel("format")).toHaveValue("jsonl");
    await exported.getByRole("button", { name: "Send GET" }).click();
    await expect(exported.getByRole("status").first()).toHaveText("Responded with 200");

    const begin = await open(page, "Begin a job");
    await begin.getByLabel("Body").fill('{"kind":"import","file_name":"docs.jsonl","bytes":1}');
    await begin.getByRole("button", { name: "Send POST" }).click();
    const answer = begin.getByRole("region", { name: /^Response to/ });
    await expect(answer).toContainText('"state": "receiving"');
    const [, id = ""] = /"id": (\d+)/.exec((await answer.textContent()) ?? "") ?? [];
    const cancel = await open(page, "Cancel a job");
    await cancel.getByLabel("id").fill(id);
    await cancel.getByRole("button", { name: "Send POST" }).click();
    await expect(cancel.getByRole("region", { name: /^Response to/ })).toContainText('"state": "cancelled"');
  });
});

test("the dashboard links to the reference, and the reference back", { tag: "@release" }, async ({ page }) => {
  await page.goto("/testing/groups");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API reference" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API reference" })).toBeVisible();
  await page.getByRole("link", { name: "Dashboard" }).click();
  await expect(page).toHaveURL("/testing/groups");
  await page.getByRole("button", { name: "Search and commands" }).click();
  await page.getByRole("combobox", { name: "Search and commands" }).fill("api ref");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/docs");
});
