import { call } from "../fixtures/api";
import { expect, type Page } from "../fixtures/browser";
import { type EmbedExample, test } from "../fixtures/embed-example";
import { keyOf, resigned, withClaims } from "../fixtures/forge";
import { claimsOf, type ViewerPlace } from "../fixtures/viewer-place";

// Runs examples/embed in a real browser: a product's page with a frame, and the renderer on another site.

test.describe.configure({ mode: "default" });

const ACME = { user_group_id: "customer_acme" };

type Renderer = "sales" | "orders";
const dashboard = (page: Page, renderer: Renderer = "sales") => page.frameLocator(`iframe[title=${renderer}]`);
const chart = (page: Page, region: string) =>
  dashboard(page).getByRole("img", { name: `Sales of the region ${region}` });
const orders = (page: Page, region: string) =>
  dashboard(page, "orders").getByRole("img", { name: `Orders of the region ${region}` });
const status = (page: Page, renderer: Renderer = "sales") =>
  page.getByRole("region", { name: renderer }).getByRole("status");

/** The frame of the first renderer. */
const frameOf = (page: Page) => page.frames().find((frame) => frame.parentFrame());

/** Marks the frame's window so that a reload is noticeable. */
async function markFrame(page: Page) {
  await frameOf(page)?.evaluate(() => Object.assign(window, { isMarked: true }));
  return () => frameOf(page)?.evaluate(() => "isMarked" in window);
}

/** The viewer tokens that a page gives the first renderer, in order, and the URLs of all its requests. */
function watcher({ rendererUrl }: EmbedExample) {
  const tokens: string[] = [];
  const addresses: string[] = [];
  const watch = (page: Page) =>
    page.on("request", (request) => {
      addresses.push(request.url());
      const [, token] = /^Bearer (.+)/.exec(request.headers().authorization ?? "") ?? [];
      if (token && token !== tokens.at(-1) && request.url().startsWith(rendererUrl)) tokens.push(token);
    });
  return { tokens, addresses, watch };
}

const tokenOf = async (place: ViewerPlace) =>
  (await call("GET", "/api/user", { token: place.token, body: ACME })).json.user_group.token as string;

const salesWith = (rendererUrl: string, token: string) =>
  fetch(`${rendererUrl}/sales`, { headers: { Authorization: `Bearer ${token}` } });

test("each customer sees only the sales of their region, and no URL contains a token", { tag: "@release" }, async ({
  example,
}) => {
  const { addresses, tokens, watch } = watcher(example);
  const page = await example.open("Ann of Acme", watch);
  await expect(chart(page, "north")).toBeVisible();
  await expect(chart(page, "north").locator("rect")).toHaveCount(12);
  await expect(chart(page, "north").locator("title").first()).toHaveText("2026-01: 340");
  const other = await example.open("Cleo of Borealis");
  await expect(chart(other, "south").locator("title").first()).toHaveText("2026-01: 540");
  expect(addresses.join("\n")).toContain(`${example.rendererUrl}/sales`);
  expect(tokens).toHaveLength(1);
  expect(addresses.join("\n")).not.toContain("eyJ");
});

test.describe("with tokens of 60 seconds", () => {
  test.use({ expiresIn: 60 });

  test("a token is renewed before it expires, and the frame stays", { tag: "@release" }, async ({ example }) => {
    const { tokens, watch } = watcher(example);
    const page = await example.open("Ann of Acme", (opened) => {
      watch(opened);
      return opened.clock.install();
    });
    await expect(chart(page, "north")).toBeVisible();
    const isSame = await markFrame(page);
    await page.clock.fastForward(40_000);
    expect(tokens).toHaveLength(1);
    await page.clock.fastForward(9_000);
    await expect.poll(() => tokens).toHaveLength(2);
    await expect(chart(page, "north")).toBeVisible();
    expect(await isSame()).toBe(true);
  });
});

test("after a rotation old viewer tokens are refused, and the page continues with a new one", {
  tag: "@release",
}, async ({ example, place }) => {
  const { tokens, watch } = watcher(example);
  const page = await example.open("Ann of Acme", watch);
  await expect(chart(page, "north")).toBeVisible();
  const isSame = await markFrame(page);
  const old = tokens[0] ?? "";
  expect((await salesWith(example.rendererUrl, old)).status).toBe(200);
  const rotated = await place.send("POST", "/api/user", { current_token: await tokenOf(place) });
  expect(rotated.status).toBe(200);
  await expect.poll(() => tokens.length).toBe(2);
  const refused = await salesWith(example.rendererUrl, old);
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 401,
    body: { reason: "revoked" },
  });
  await expect(chart(page, "north")).toBeVisible();
  await expect(dashboard(page).getByText("This view has ended.")).toHaveCount(0);
  expect(claimsOf(tokens[1] ?? "").gen).toBe(claimsOf(old).gen + 1);
  expect(await isSame()).toBe(true);
});

test("a suspension ends the view until the group is resumed", { tag: "@release" }, async ({ example, place }) => {
  const page = await example.open("Ann of Acme");
  await expect(chart(page, "north")).toBeVisible();
  const other = await example.open("Cleo of Borealis");
  await expect(chart(other, "south")).toBeVisible();
  await place.send("POST", "/api/user-groups/suspend", ACME);
  await expect(dashboard(page).getByText("This view has ended.")).toBeVisible();
  await expect(status(page)).toHaveText("Your access has ended.");
  await page.reload();
  await expect(status(page)).toHaveText("Your access has ended.");
  await expect(chart(page, "north")).toHaveCount(0);
  await expect(chart(other, "south")).toBeVisible();
  await place.send("POST", "/api/user-groups/resume", ACME);
  await page.reload();
  await expect(chart(page, "north")).toBeVisible();
});

test("the browser shows the frame only on allowed origins", { tag: "@release" }, async ({ example, place }) => {
  await place.set({ allowed_origins: ["https://elsewhere.example"] });
  const page = await example.open("Ann of Acme");
  await expect.poll(() => frameOf(page)?.url()).toMatch(/^chrome-error:/);
  await expect(dashboard(page).getByRole("img")).toHaveCount(0);
  await place.set({ allowed_origins: ["https://elsewhere.example", example.productUrl] });
  await page.reload();
  await expect(chart(page, "north")).toBeVisible();
});

test("the renderer refuses expired and forged tokens", async ({ example, place, database }) => {
  const token = await place.mint({ ...ACME, variables: { region: "north" } });
  const key = await keyOf(database, token);
  const now = Math.floor(Date.now() / 1_000);
  const expected = { status: 200, body: { title: "Sales of the region north" } };
  const ask = async (given: string) => {
    const response = await salesWith(example.rendererUrl, given);
    return { status: response.status, body: await response.json() };
  };
  expect(await ask(token)).toMatchObject(expected);
  expect(await ask(resigned(key, token, { exp: now - 30 }))).toMatchObject(expected);
  for (const [given, reason] of [
    [resigned(key, token, { exp: now - 61 }), "expired"],
    [withClaims(token, { variables: { region: "south" } }), "signature"],
    ["", "malformed"],
  ] as const) {
    expect(await ask(given)).toMatchObject({ status: 401, body: { reason } });
    const body = new URLSearchParams({ viewer_token: given });
    const { status } = await fetch(`${example.rendererUrl}/dashboard`, { method: "POST", body });
    expect(status).toBe(401);
  }
  // A token without a region, and one with SQL as its region, see nothing.
  for (const variables of [{}, { region: "north' OR 'a'='a" }, { region: ["north", "south"] }]) {
    const made = await place.mint({ ...ACME, variables });
    expect(await ask(made)).toMatchObject({ status: 200, body: { sales: [] } });
  }
});

test("a view ends with the group's access", { tag: "@release" }, async ({ example, place }) => {
  const page = await example.open("Ann of Acme");
  await expect(chart(page, "north")).toBeVisible();
  const end = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 5_000);
  await place.send("PATCH", "/api/user", { ...ACME, access_ends_at: end.toISOString() });
  await page.reload();
  await expect(chart(page, "north")).toBeVisible();
  await expect(dashboard(page).getByText("This view has ended.")).toBeVisible({ timeout: 15_000 });
  expect(Date.now()).toBeGreaterThanOrEqual(end.getTime());
  await expect(status(page)).toHaveText("Your access has ended.");
});

test("a suspension ends the views of both renderers, each within its promise", { tag: "@release" }, async ({
  example,
  place,
}) => {
  const tokens: string[] = [];
  const page = await example.open("Ann of Acme", (opened) =>
    opened.on("request", (request) => {
      const [, token] = /^Bearer (.+)/.exec(request.headers().authorization ?? "") ?? [];
      if (token && request.url().startsWith(example.secondUrl)) tokens.push(token);
    }),
  );
  await expect(chart(page, "north")).toBeVisible();
  await expect(orders(page, "north")).toBeVisible();
  await place.send("POST", "/api/user-groups/suspend", ACME);
  await expect(status(page)).toHaveText("Your access has ended.");
  const last = tokens.at(-1) ?? "";
  expect((await salesWith(example.secondUrl, last)).status).toBe(200);
  await expect(status(page, "orders")).toHaveText("Your access has ended.", { timeout: 60_000 });
  const end = claimsOf(last).exp * 1_000;
  await new Promise((resolve) => setTimeout(resolve, end - Date.now()));
  expect((await salesWith(example.secondUrl, last)).status).toBe(401);
});

test("ending one person's views leaves the customer's other person viewing", { tag: "@release" }, async ({
  example,
  place,
}) => {
  const ann = await example.open("Ann of Acme");
  const ben = await example.open("Ben of Acme");
  for (const page of [ann, ben]) await expect(chart(page, "north")).toBeVisible();
  const blocked_until = new Date(Date.now() + 3_600_000).toISOString();
  const ended = await place.send("POST", "/api/viewers/end", { ...ACME, viewer_id: "ann", blocked_until });
  expect(ended.status).toBe(200);
  await expect(status(ann)).toHaveText("Your access has ended.");
  await ann.reload();
  await expect(status(ann)).toHaveText("Your access has ended.");
  await ben.reload();
  await expect(chart(ben, "north")).toBeVisible();
});
