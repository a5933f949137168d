import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { randomToken } from "@/lib/crypto/random-token";
import { createEnvironment, deleteEnvironments } from "../fixtures/admin-client";
import { createGroup } from "../fixtures/api";
import type { TestEnvironment } from "../fixtures/browser";
import { expect, expectReady, names, searchBox, test, typeProperty } from "../fixtures/list";
import type { Stage } from "../fixtures/stage";

interface Tokens {
  current: string;
  rotated: string;
  deleted: string;
  unknown: string;
  mistyped: string;
}

/** A group of this name with a current and a former token, and the token of a deleted group. */
async function makeTokens(page: Page, environment: TestEnvironment): Promise<Tokens> {
  const group = await environment.createGroup({ user_group_id: "acme", name: "Acme GmbH" });
  const rotation = await environment.call("POST", "/api/user", { body: { current_token: group.token } });
  const gone = await environment.createGroup({ user_group_id: "gone", name: "Gone Ltd" });
  const deletion = await page.request.delete("/api/user", {
    headers: { "X-Environment": environment.slug },
    data: { user_group_id: "gone" },
  });
  expect(deletion.status()).toBe(200);
  const current: string = rotation.json.user_group.token;
  return {
    current,
    rotated: group.token,
    deleted: gone.token,
    unknown: randomToken("ugt_"),
    mistyped: current.slice(0, -1) + (current.endsWith("a") ? "b" : "a"),
  };
}

const INCOMPLETE = "Paste a whole user group token: ugt_ and 49 characters.";

/** The text around each token, and the expected answer. */
function expectations(
  { current, rotated, deleted, unknown, mistyped }: Tokens,
  by: string,
): [string, string | RegExp][] {
  return [
    [current, "The current token of Acme GmbH."],
    [`https://example.com/embed?userGroupToken=${current}&theme=dark#top`, "The current token of Acme GmbH."],
    [`<my-dashboard token="${current}" locale='de'></my-dashboard>`, "The current token of Acme GmbH."],
    [rotated, /^Rotated just now by e2e\. It belonged to Acme GmbH\.$/],
    [deleted, `It belonged to “Gone Ltd”, which ${by} deleted just now.`],
    [unknown, /^No user group has this token now\./],
    [mistyped, /^No user group has this token now\./],
    [current.slice(0, 20), INCOMPLETE],
    [current.slice("ugt_".length), INCOMPLETE],
    [current.slice("ugt_".length, -5), INCOMPLETE],
    [`Authorization: Token ${randomToken("uga_live_")}`, INCOMPLETE],
  ];
}

/** Collects every URL that the browser requests. */
function watchAddresses(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  page.on("framenavigated", (frame) => addresses.push(frame.url()));
  return addresses;
}

/** No token may be in a URL, the browser's history or storage, or the log. */
async function expectNoTrace(
  page: Page,
  { addresses, tokens, stage }: { addresses: string[]; tokens: Tokens; stage: Stage },
) {
  const kept = await page.evaluate(() => [
    ...(window as unknown as { navigation: { entries(): { url: string }[] } }).navigation
      .entries()
      .map(({ url }) => url),
    JSON.stringify(window.history.state),
    JSON.stringify(localStorage),
    JSON.stringify(sessionStorage),
  ]);
  const logs = await Promise.all(stage.logs.map((log) => readFile(log, "utf8")));
  const traces = [...addresses, ...kept, ...logs].join("\n");
  for (const token of Object.values(tokens)) expect(traces.includes(token.slice("ugt_".length))).toBe(false);
  expect(traces).not.toMatch(/ugt_[0-9A-Za-z]{10}/);
}

async function paste(box: Locator, text: string) {
  await box.evaluate((element, text) => {
    (element as HTMLInputElement).select();
    document.execCommand("insertText", false, text);
  }, text);
}

test("a token pasted above the list leads to its group, and is stored nowhere", async ({
  page,
  environment,
  member,
  stage,
}) => {
  const tokens = await makeTokens(page, environment);
  const addresses = watchAddresses(page);
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveText(["Acme GmbH"]);
  for (const [text, said] of expectations(tokens, `Member ${member.id}`)) {
    await paste(searchBox(page), text);
    await expect(page.getByRole("main").getByText(said)).toBeVisible();
  }
  await paste(searchBox(page), tokens.current);
  await page.getByRole("main").getByText("The current token of Acme GmbH.").getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1, name: "Acme GmbH" })).toBeVisible();
  await page.goBack();
  await expect(searchBox(page)).toHaveValue("");
  await expectNoTrace(page, { addresses, tokens, stage });
});

test("an environment deleted since the page was loaded does not stop the search", async ({
  page,
  environment,
  database,
}) => {
  const deleted = await createEnvironment(database);
  await environment.createGroup({ name: "Acme GmbH" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveText(["Acme GmbH"]);
  await deleteEnvironments(database, [deleted]);
  await paste(searchBox(page), randomToken("ugt_"));
  await expect(page.getByRole("main").getByText(/^No user group has this token now\./)).toBeVisible();
});

test("an id that is as long as a token is searched for like any other", async ({ page, environment }) => {
  const id = "0f1e2d3c4b5a6978".repeat(4);
  await environment.createGroup({ user_group_id: id, name: "Hashed" });
  await environment.createGroup({ name: "Other" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(2);
  await paste(searchBox(page), id);
  await expect(names(page)).toHaveText(["Hashed"]);
  await page.keyboard.press("ControlOrMeta+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  await paste(palette.getByRole("combobox"), id);
  await expect(palette.getByText("Hashed")).toBeVisible();
});

test("a token cannot be used as a filter either", async ({ page, environment, stage }) => {
  const tokens = await makeTokens(page, environment);
  const addresses = watchAddresses(page);
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await typeProperty(page.getByRole("dialog", { name: "Filter by a property" }), "token");
  await page.getByLabel("Value", { exact: true }).fill(tokens.current);
  await page.getByRole("button", { name: "Add filter" }).click();
  await expect(
    page.getByRole("dialog").getByText("Filters appear in the URL, so they can’t contain tokens. Use search instead."),
  ).toBeVisible();
  await expectNoTrace(page, { addresses, tokens, stage });
});

test("Esc closes the result, and the box takes a name again", async ({ page, environment }) => {
  const tokens = await makeTokens(page, environment);
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveText(["Acme GmbH"]);
  await paste(searchBox(page), tokens.current);
  await expect(page.getByRole("main").getByText("The current token of")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("main").getByText("The current token of")).toHaveCount(0);
  await expect(searchBox(page)).toHaveValue("");
  await expect(searchBox(page)).toBeFocused();
  await searchBox(page).fill("Acme");
  await expect(names(page)).toHaveText(["Acme GmbH"]);
});

test("a token pasted into the palette leads to its group, and is stored nowhere", { tag: "@release" }, async ({
  page,
  environment,
  member,
  stage,
}) => {
  const tokens = await makeTokens(page, environment);
  const addresses = watchAddresses(page);
  await page.goto(`/${environment.slug}/groups/new`);
  await expectReady(page);
  await page.getByRole("button", { name: "Search and commands" }).click();
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  for (const [text, said] of expectations(tokens, `Member ${member.id}`)) {
    await paste(palette.getByRole("combobox"), text);
    await expect(palette.getByText(said)).toBeVisible();
  }
  await paste(palette.getByRole("combobox"), tokens.current);
  await palette.getByRole("link", { name: "Acme GmbH" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Acme GmbH" })).toBeVisible();
  await expect(palette).toHaveCount(0);
  await expectNoTrace(page, { addresses, tokens, stage });
});

test("a token of another environment is found, and the environment named", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup({ user_group_id: "acme", name: "Acme GmbH" });
  // A first run has no list to search.
  await createGroup();
  await page.goto("/testing/groups");
  await expect(page.getByRole("link", { name: "Create group" })).toBeVisible();
  await paste(searchBox(page), group.token);
  await expect(page.getByRole("main")).toContainText(`The current token of Acme GmbH in ${environment.name}.`);
  await page.getByRole("link", { name: "Acme GmbH" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/groups/${group.team_id}`);
});

test("a token in the URL is not searched for", async ({ page, environment }) => {
  const { token } = await environment.createGroup({ name: "Alpha" });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`/${environment.slug}/groups?search=${token}`);
  await expect(names(page)).toHaveText(["Alpha"]);
  expect(asked.filter((url) => url.includes("/api/") && url.includes(token))).toEqual([]);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("cannot search by token", async ({ page, environment }) => {
    const group = await environment.createGroup({ name: "Alpha" });
    const addresses = watchAddresses(page);
    await page.goto(`/${environment.slug}/groups`);
    await expect(names(page)).toHaveText(["Alpha"]);
    await paste(searchBox(page), group.token);
    await expect(page.getByRole("main").getByText("Readers cannot search by token.")).toBeVisible();
    expect(addresses.filter((url) => url.includes("find-by-token"))).toEqual([]);
  });
});
