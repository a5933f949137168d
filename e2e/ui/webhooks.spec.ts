import { mergeTests } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import { insertApiToken } from "../fixtures/api-token";
import { expect, expectAccessible, expectNoSidewaysScrolling, test as inBrowser, type Page } from "../fixtures/browser";
import { clientOf } from "../fixtures/client";
import { browserCookie, createMember, openSession } from "../fixtures/member";
import { query, test as withOwnService } from "../fixtures/own-service";
import { quiet } from "../fixtures/quiet";
import { answering, makeCertificate, type Receiver, receiverOf } from "../fixtures/receiver";
import { stage } from "../fixtures/stage";

interface Place {
  receiver: Receiver;
  /** the list of webhooks */
  list: string;
  createGroup: (id: string) => Promise<void>;
  ask: (text: string) => ReturnType<typeof query>;
}

const test = mergeTests(withOwnService, inBrowser).extend<{ memberRole: "admin" | "viewer"; place: Place }>({
  memberRole: ["admin", { option: true }],
  // A separate service that may send to this machine and trusts the receiver's certificate.
  place: async ({ start, createDatabase, folder, context, memberRole }, use) => {
    const certificate = await makeCertificate(folder);
    const receiver = await receiverOf(certificate);
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: stage().secretKey };
    const { url } = await start({
      ...settings,
      NODE_EXTRA_CA_CERTS: certificate.file,
      WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8",
    });
    const ask = (text: string, values?: unknown[]) => query(settings.DATABASE_URL, text, values);
    const database = { query: ask };
    const member = await createMember(database, memberRole);
    await context.addCookies([{ ...browserCookie(await openSession(database, member, [url])), url }]);
    const client = clientOf(url, await insertApiToken(settings));
    await use({
      receiver,
      list: `${url}/testing/settings/webhooks`,
      ask,
      async createGroup(id) {
        expect((await client.get(id)).status).toBe(200);
      },
    });
    await receiver.close();
  },
});
test.use({ role: null });

const dialog = (page: Page) => page.getByRole("dialog");
const row = (page: Page) => page.getByRole("table", { name: "Webhooks" }).getByRole("row").nth(1);
const deliveries = (page: Page) => page.getByRole("list", { name: "Deliveries" }).locator("> li");
const toastOf = (page: Page, text: string | RegExp) => page.getByText(text).first();

/** Chooses from the only webhook's menu. */
async function choose(page: Page, item: string) {
  await page.getByRole("button", { name: /^Actions for 127/ }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/** Creates a webhook in the dialog and returns its secret. */
async function create(page: Page, { list, receiver }: Place): Promise<string> {
  await page.goto(list);
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByRole("button", { name: "Create webhook" }).click();
  const secret = await dialog(page)
    .getByText(/^whsec_/)
    .textContent();
  return secret ?? "";
}

/** Creates a webhook and dismisses its secret. */
async function createAndClose(page: Page, place: Place) {
  await create(page, place);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await expect(row(page)).toContainText("Nothing delivered yet");
}

test("an admin creates a webhook: its secret shows once and signs the payload shown in the deliveries", {
  tag: "@release",
}, async ({ page, place }) => {
  const { list, receiver } = place;
  await page.goto(list);
  await expect(page.getByText("No webhooks yet")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByLabel("URL").fill("https://10.0.0.1/hook");
  await page.getByText("Custom", { exact: true }).click();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByLabel("Types")).toHaveAccessibleDescription(/Must have at least one type\.$/);
  await page.getByLabel("Types").fill("user_group.created");
  await page.getByText("All events", { exact: true }).click();
  await expect(page.getByLabel("Types")).toBeHidden();
  await page.getByText("Custom", { exact: true }).click();
  await expect(page.getByLabel("Types")).toHaveValue("user_group.created");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByLabel("URL")).toHaveAccessibleDescription(
    /Must have a host that DNS resolves to public addresses/,
  );
  await expect(page.getByLabel("URL")).toBeFocused();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();

  const secret = await create(page, place);
  expect(secret).toMatch(/^whsec_/);
  await expect(dialog(page).getByRole("button", { name: "Copy secret" })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog(page).getByRole("alert")).toContainText("shown only once");
  await page.getByRole("button", { name: "Keep open" }).click();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await expect(row(page)).toContainText("user_group.*");
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(secret);

  await place.createGroup("acme");
  await expect.poll(() => receiver.received.length).toBe(1);
  await page.reload();
  await expect(row(page)).toContainText("Works");
  await expect(row(page)).toContainText("1 delivered");
  await expectAccessible(page);

  await row(page).getByRole("link").click();
  await deliveries(page).getByRole("button", { name: "user_group.created" }).click();
  const [got] = receiver.received;
  const named = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  const body = got?.body ?? "";
  expect(new Webhook(secret).verify(body, named)).toBeTruthy();
  await expect(deliveries(page).locator("pre")).toHaveText(body);
  await expect(deliveries(page)).toContainText(named["webhook-id"] ?? "");
  await expect(deliveries(page)).toContainText("200");
  await expectAccessible(page);
  await place.createGroup("later");
  await expect(deliveries(page)).toHaveCount(2, { timeout: 15_000 });
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.goto(list);
  await expectNoSidewaysScrolling(page);
});

test("a test shows its outcome, and failed deliveries are resent: one, all, or everything since a time", {
  tag: "@release",
}, async ({ page, place }) => {
  const { receiver, ask } = place;
  await createAndClose(page, place);
  receiver.answer = answering(500);
  await choose(page, "Send test");
  await expect(toastOf(page, /^The test to .* failed: Refused \(500\)$/)).toBeVisible();
  await expect(row(page)).toContainText("Failing");
  await page.getByRole("button", { name: "See deliveries" }).click();
  await expect(deliveries(page)).toContainText(["webhook.test"]);
  await expect(deliveries(page).first()).toContainText("Refused (500)");
  await expect(deliveries(page).first()).toContainText("Failed");
  await expect(page.getByRole("definition").first()).toContainText("Refused (500). See the receiver’s log.");

  receiver.answer = answering(200);
  await page.getByRole("button", { name: "Send test" }).click();
  await expect(deliveries(page)).toHaveCount(2);
  await expect(deliveries(page).first()).toContainText("Delivered");
  await expect(toastOf(page, /received the test in \d+ ms$/)).toBeVisible();
  const [, id] = receiver.ids();

  await deliveries(page).first().getByRole("button", { name: "webhook.test" }).click();
  await deliveries(page).first().getByRole("button", { name: "Send again" }).click();
  await expect(deliveries(page).first()).toContainText("attempt 2");
  expect(receiver.ids().at(-1)).toBe(id);

  await choose(page, "Send again…");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Send again" }).click();
  await expect(toastOf(page, "1 delivery is being sent again")).toBeVisible();
  await expect(deliveries(page).getByText("Failed")).toHaveCount(0);
  await page.getByRole("radio", { name: "Failed" }).check({ force: true });
  await expect(page.getByText("Nothing failed in the last 14 days.")).toBeVisible();

  await place.createGroup("acme");
  await expect.poll(() => receiver.groups()).toEqual(["acme"]);
  await choose(page, "Send again…");
  await dialog(page).getByText("Everything since a time", { exact: true }).click();
  await expect(dialog(page).getByRole("button", { name: "Send again" })).toBeDisabled();
  await dialog(page).getByLabel("Since", { exact: true }).fill("2026-01-01T00:00");
  await dialog(page).getByText("Failed deliveries", { exact: true }).click();
  await dialog(page).getByText("Everything since a time", { exact: true }).click();
  await expect(dialog(page).getByLabel("Since", { exact: true })).toHaveValue(/^2026-01-01T00:00/);
  await dialog(page).getByRole("button", { name: "Send again" }).click();
  await expect.poll(() => receiver.groups().filter((one) => one === "acme").length).toBe(2);
  expect(await ask("SELECT action FROM audit_entry WHERE action = 'webhook.replayed'")).toHaveLength(3);

  await choose(page, "Delete…");
  await dialog(page).getByRole("button", { name: "Delete webhook" }).click();
  await expect(page).toHaveURL(place.list);
  await expect(page.getByText("No webhooks yet")).toBeVisible();
});

test("a failing or disabled webhook explains what to do, and is enabled with or without missed events", {
  tag: "@release",
}, async ({ page, place }) => {
  const { list, receiver, ask } = place;
  await createAndClose(page, place);
  receiver.answer = answering(500);
  await place.createGroup("first");
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  await page.reload();
  await expect(row(page)).toContainText(/Failing.*Its failures began/);
  await expect(row(page)).toContainText("disabled after five days without a success");
  await expectAccessible(page);

  receiver.answer = answering(410);
  await ask("UPDATE webhook_delivery SET next_at = now()");
  await expect.poll(async () => (await ask("SELECT enabled FROM webhook"))[0]).toEqual({ enabled: false });
  await page.goto(list);
  await expect(row(page)).toContainText("The receiver answered 410");
  await expectAccessible(page);

  receiver.answer = answering(200);
  await place.createGroup("missed");
  await choose(page, "Enable…");
  await dialog(page).getByText("From now on", { exact: true }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Enable webhook" }).click();
  await expect(toastOf(page, "is enabled")).toBeVisible();
  await place.createGroup("later");
  await expect.poll(() => receiver.groups().at(-1)).toBe("later");
  expect(receiver.groups()).not.toContain("missed");

  await choose(page, "Disable…");
  await page.getByRole("button", { name: "Disable webhook" }).click();
  await expect(row(page)).toContainText("A member or program disabled it");
  await place.createGroup("kept");
  await choose(page, "Enable…");
  await page.getByRole("button", { name: "Enable webhook" }).click();
  await expect.poll(() => receiver.groups().at(-1)).toBe("kept");
});

test("edits, rotates the secret, and deletes; offline and cancelled, nothing happens", { tag: "@release" }, async ({
  page,
  context,
  place,
}) => {
  const { receiver, ask } = place;
  const old = await create(page, place);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await choose(page, "Edit…");
  await page.getByLabel("Description (optional)").fill("Billing");
  await page.getByText("All events", { exact: true }).click();
  // Someone else changes the URL in the meantime, and it stays.
  await ask("UPDATE webhook SET url = url || '?theirs'");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(row(page)).toContainText("Billing");
  await expect(row(page)).toContainText("All events");
  expect(await ask("SELECT url FROM webhook")).toEqual([{ url: `${receiver.url}?theirs` }]);

  await choose(page, "Rotate secret…");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const secret =
    (await dialog(page)
      .getByText(/^whsec_/)
      .textContent()) ?? "";
  await page.getByRole("button", { name: "I have saved it" }).click();
  await place.createGroup("acme");
  await expect.poll(() => receiver.groups()).toEqual(["acme"]);
  const got = receiver.received.at(-1);
  const named = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  for (const one of [old, secret]) expect(new Webhook(one).verify(got?.body ?? "", named)).toBeTruthy();

  for (const [item, verb] of [
    ["Delete…", "Delete webhook"],
    ["Disable…", "Disable webhook"],
    ["Rotate secret…", "Rotate secret"],
    ["Send again…", "Send again"],
    ["Edit…", "Save"],
  ] as const) {
    await test.step(`offline: ${verb}`, async () => {
      await choose(page, item);
      if (verb === "Save") await page.getByLabel("Description (optional)").fill("Offline");
      await quiet(page);
      const enabled = await ask("SELECT enabled, url, secret_sealed FROM webhook");
      const history = await ask("SELECT id FROM audit_entry");
      await context.setOffline(true);
      await dialog(page).getByRole("button", { name: verb, exact: true }).click();
      await expect(dialog(page).getByText(/You are offline[.,]/)).toBeVisible();
      await dialog(page).getByRole("button", { name: "Cancel" }).click();
      await context.setOffline(false);
      await quiet(page);
      expect(await ask("SELECT enabled, url, secret_sealed FROM webhook")).toEqual(enabled);
      expect(await ask("SELECT id FROM audit_entry")).toEqual(history);
    });
  }

  await choose(page, "Delete…");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByText("No webhooks yet")).toBeVisible();
  expect(await ask("SELECT id FROM webhook")).toEqual([]);
});

test.describe("a viewer", () => {
  test.use({ memberRole: "viewer" });

  test("learns that an owner can give access", { tag: "@release" }, async ({ page, place }) => {
    await page.goto(place.list);
    await expect(page.getByText("Readers cannot see webhooks. Ask an owner for another role.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Create webhook" })).toHaveCount(0);
    await expectAccessible(page);
  });
});
