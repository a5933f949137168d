import type { Page, Route } from "@playwright/test";
import { expectAccessible, type TestEnvironment, toasts } from "../fixtures/browser";
import { holdingGroup } from "../fixtures/hold";
import { expect, table, test } from "../fixtures/list";

const bar = (page: Page) => page.getByRole("region", { name: "Selected groups" });

async function propertiesOf({ call }: TestEnvironment, id: string) {
  const { json } = await call("GET", `/api/user-groups?user_group_id=${id}`);
  return json.user_groups[0].properties;
}

/** Selects everything on the page, and opens the property dialog. */
async function begin(page: Page, { slug }: TestEnvironment, count: number) {
  await page.goto(`/${slug}/groups?sort=id`);
  await page.getByLabel("Select all on this page").check();
  await bar(page)
    .getByRole("button", { name: `Select all ${count} that match` })
    .click();
  await expect(bar(page)).toContainText(`${count} selected`);
  await bar(page).getByRole("button", { name: "Property…" }).click();
  const dialog = page.getByRole("dialog", { name: `Change a property of ${count} user groups` });
  await expect(dialog).toBeVisible();
  return dialog;
}

test("a property is set in all matches after a dry run, and undone exactly", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  test.slow();
  const numbers = Array.from({ length: 120 }, (_, index) => String(index + 1).padStart(3, "0"));
  const user_groups = numbers.map((user_group_id, index) => ({
    user_group_id,
    properties: index < 3 ? { plan: "pro" } : { seats: index, plan: "free", none: null },
  }));
  await environment.call("POST", "/api/user-groups/batch", { body: { mode: "create", user_groups } });
  const before = await environment.call("GET", "/api/user-groups?user_group_id=050");
  const dialog = await begin(page, environment, 120);
  await dialog.getByLabel("Property", { exact: true }).fill("plan");
  await dialog.getByLabel("Value", { exact: true }).fill("pro");
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog).toContainText("117 will change, 3 already have it.");
  expect(await propertiesOf(environment, "050")).toEqual({ seats: 49, plan: "free", none: null });
  await dialog.getByRole("button", { name: "Change 117 user groups" }).click();
  await expect(toasts(page)).toContainText("117 user groups now have plan pro");
  await expect(dialog).toHaveCount(0);
  expect(await propertiesOf(environment, "050")).toEqual({ seats: 49, plan: "pro", none: null });
  // Someone changes another property in the meantime, which an undo leaves alone.
  const body = { user_group_id: "060", properties: { seats: 1_000 } };
  expect((await environment.call("PATCH", "/api/user", { body })).status).toBe(200);
  await toasts(page).getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page)).toContainText("117 user groups were changed back");
  expect(await propertiesOf(environment, "001")).toEqual({ plan: "pro" });
  expect(await propertiesOf(environment, "060")).toEqual({ seats: 1_000, plan: "free", none: null });
  const after = await environment.call("GET", "/api/user-groups?user_group_id=050");
  const text = /"properties":\{[^}]*\}/;
  expect(text.exec(after.text)?.[0]).toBe(text.exec(before.text)?.[0]);
});

test("after a failed look a change is checked again, and it continues when its dialog closes", {
  tag: "@release",
}, async ({ page, environment }) => {
  test.slow();
  const user_groups = Array.from({ length: 120 }, (_, n) => ({ user_group_id: `g${n}`, properties: { plan: "free" } }));
  await environment.call("POST", "/api/user-groups/batch", { body: { mode: "create", user_groups } });
  const dialog = await begin(page, environment, 120);
  await dialog.getByLabel("Property", { exact: true }).fill("plan");
  await dialog.getByLabel("Value", { exact: true }).fill("pro");
  await page.route("**/api/jobs/*", (route) => route.fulfill({ status: 500, json: { success: 0 } }), { times: 1 });
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog).toContainText("120 will change.");
  expect(await propertiesOf(environment, "g0")).toEqual({ plan: "free" });
  const change = dialog.getByRole("button", { name: "Change 120 user groups" });
  await expect(change).toBeVisible();
  // The first look at the job that is being applied gets no answer.
  await page.route("**/api/jobs/*", () => undefined, { times: 1 });
  await change.click();
  await expect(dialog).toContainText("it continues in the background");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => propertiesOf(environment, "g119")).toEqual({ plan: "pro" });
  const jobs = async () => (await environment.call("GET", "/api/jobs")).json.jobs;
  await expect.poll(jobs).toMatchObject([{ state: "done", done: { changed: 120 } }]);
});

test("a change is undone from its group's history, unless the group has changed since", async ({
  page,
  environment,
}) => {
  const { team_id } = await environment.createGroup({ user_group_id: "acme", properties: { plan: "free", seats: 1 } });
  const merge = (properties: object) =>
    environment.call("PATCH", "/api/user", { body: { user_group_id: "acme", properties } });
  await merge({ plan: "pro" });
  await merge({ seats: 2 });
  await page.goto(`/${environment.slug}/groups/${team_id}?tab=history`);
  await page.getByRole("button", { name: /changed plan from free to pro/ }).click();
  const loseAnswer = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  await page.route("**/api/user", loseAnswer, { times: 1 });
  await page.getByRole("button", { name: "Undo this change" }).click();
  await expect(toasts(page)).toContainText(/The change to .* was undone/);
  expect(await propertiesOf(environment, "acme")).toEqual({ plan: "free", seats: 2 });
  await expect(page.getByRole("button", { name: /changed plan from pro to free/ })).toBeVisible();
  // The entry stays open when the undo's own entry appears.
  await merge({ plan: "team" });
  await page.getByRole("button", { name: "Undo this change" }).click();
  await expect(toasts(page)).toContainText("Someone has changed “plan” since");
  // An undo would leave the end of access as it is.
  const both = { user_group_id: "acme", name: "Acme", access_ends_at: "2099-01-01T00:00:00Z" };
  expect((await environment.call("PATCH", "/api/user", { body: both })).status).toBe(200);
  await page.reload();
  await page
    .getByRole("button", { name: /Acme.*2099|2099.*Acme|changed name/ })
    .first()
    .click();
  await expect(page.getByRole("list", { name: "Name" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo this change" })).toHaveCount(0);
  expect(await propertiesOf(environment, "acme")).toEqual({ plan: "team", seats: 2 });
});

test("a property is removed from the selection, and a stop keeps finished changes", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  test.slow();
  const numbers = Array.from({ length: 250 }, (_, index) => String(index + 1).padStart(3, "0"));
  const user_groups = numbers.map((user_group_id) => ({ user_group_id, properties: { old: 1, kept: true } }));
  await environment.call("POST", "/api/user-groups/batch", { body: { mode: "create", user_groups } });
  const dialog = await begin(page, environment, 250);
  await dialog.getByText("Remove", { exact: true }).click();
  await dialog.getByLabel("Property", { exact: true }).fill("old");
  await expect(dialog.getByLabel("Value", { exact: true })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog).toContainText("250 will change.");
  const held = await holdingGroup(environment.slug, "250");
  await dialog.getByRole("button", { name: "Change 250 user groups" }).click();
  await expect(dialog).toContainText(/2\d\d of 250/);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText(/^2\d\d of 250 rows were applied and are kept\. \d+ not changed\.$/)).toBeVisible();
  await held.release();
  expect(await propertiesOf(environment, "001")).toEqual({ kept: true });
  expect(await propertiesOf(environment, "250")).toEqual({ old: 1, kept: true });
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  expect(await propertiesOf(environment, "250")).toEqual({ kept: true });
});

test("a change continues after its dialog is closed, and its page shows the progress", { tag: "@release" }, async ({
  page,
  context,
  environment,
}) => {
  test.slow();
  const user_groups = Array.from({ length: 250 }, (_, index) => ({
    user_group_id: String(index + 1).padStart(3, "0"),
  }));
  await environment.call("POST", "/api/user-groups/batch", { body: { mode: "create", user_groups } });
  await page.goto(`/${environment.slug}/groups?sort=id`);
  await page.getByLabel("Select all on this page").check();
  await bar(page).getByRole("button", { name: "Select all 250 that match" }).click();
  const held = await holdingGroup(environment.slug, "250");
  await bar(page).getByRole("button", { name: "Suspend…" }).click();
  const dialog = page.getByRole("dialog", { name: "Suspend 250 user groups?" });
  await dialog.getByRole("button", { name: "Suspend", exact: true }).click();
  await expect(dialog).toContainText(/2\d\d of 250/);
  const address = await dialog.getByRole("link", { name: "Show the job" }).getAttribute("href");
  await test.step("the closed dialog announces the end", async () => {
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(dialog).toHaveCount(0);
  });
  await bar(page).getByRole("button", { name: "Delete…" }).click();
  const other = await context.newPage();
  await other.goto(String(address));
  await expect(other.getByRole("progressbar", { name: "Applying" })).toBeVisible();
  await expect(other.getByText(/^2\d\d of 250$/)).toBeVisible();
  await held.release();
  await expect(other.getByText("The job is done")).toBeVisible();
  await expect(toasts(page)).toContainText("250 user groups are suspended");
  await expect(page.getByRole("dialog", { name: "Delete 250 user groups?" })).toBeVisible();
  await page.keyboard.press("Escape");
  await toasts(page).getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page)).toContainText("250 user groups are no longer suspended");
});

test("groups that cannot be changed are listed with their reason", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const definitions = { properties: { plan: { type: "string", enum: ["free", "pro"] } }, enforcement: "enforce" };
  expect((await environment.call("PUT", "/api/definitions", { body: definitions })).status).toBe(200);
  for (const id of ["a", "b"]) await environment.createGroup({ user_group_id: id, properties: { plan: "free" } });
  await page.goto(`/${environment.slug}/groups?sort=id`);
  await page.getByLabel("Select all on this page").check();
  await bar(page).getByRole("button", { name: "Property…" }).click();
  const dialog = page.getByRole("dialog", { name: "Change a property of 2 user groups" });
  await dialog.getByLabel("Property", { exact: true }).fill("plan");
  await dialog.getByLabel("Value", { exact: true }).fill("gold");
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog).toContainText("0 will change, 2 cannot be changed.");
  await expect(dialog.getByRole("listitem")).toHaveText([/^a properties.plan .*pro/, /^b properties.plan .*pro/]);
  await expect(dialog.getByRole("button", { name: "Change 0 user groups" })).toBeDisabled();
  await expectAccessible(page);
  await dialog.getByLabel("Value", { exact: true }).fill("pro");
  await environment.call("DELETE", "/api/user", { body: { user_group_id: "b" } });
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog).toContainText("1 will change, 1 cannot be changed.");
  await dialog.getByRole("button", { name: "Change 1 user group" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("radio", { name: "Error 1" }).check();
  await expect(page.getByRole("listitem")).toContainText([/is not a user group of this environment$/]);
  await expect(page.getByRole("button", { name: "Continue" })).toHaveCount(0);
  expect(await propertiesOf(environment, "a")).toEqual({ plan: "pro" });
});

test("selected groups are suspended with a reason, and an undo resumes them", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  for (const id of ["a", "b", "c"]) await environment.createGroup({ user_group_id: id, name: `Group ${id}` });
  await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: "c" } });
  await page.goto(`/${environment.slug}/groups?sort=id`);
  await page.getByLabel("Select all on this page").check();
  await bar(page).getByRole("button", { name: "Suspend…" }).click();
  const dialog = page.getByRole("dialog", { name: "Suspend 3 user groups?" });
  await dialog.getByLabel("Reason").fill("Unpaid");
  await dialog.getByRole("button", { name: "Suspend", exact: true }).click();
  await expect(toasts(page)).toContainText("2 user groups are suspended");
  await expect(table(page).getByText("suspended", { exact: true })).toHaveCount(6);
  await toasts(page).getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page)).toContainText("2 user groups are no longer suspended");
  const state = async (id: string) =>
    (await environment.call("GET", `/api/user-groups?user_group_id=${id}`)).json.user_groups[0].state;
  expect([await state("a"), await state("b"), await state("c")]).toEqual(["active", "active", "suspended"]);
});
