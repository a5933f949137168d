import type { AdminClient } from "../fixtures/admin-client";
import type { Database } from "../fixtures/api";
import { expect, expectAccessible, type Page, type TestEnvironment, test, typeInto } from "../fixtures/browser";
import { dryRun } from "../fixtures/jobs";
import { chooseMore, names, table } from "../fixtures/list";

interface Scene {
  page: Page;
  database: Database;
  environment: TestEnvironment;
  owner: AdminClient;
}

/** Each row opens a state for axe, except states that other specs already check. */
interface State {
  name: string;
  open: (scene: Scene) => Promise<void>;
}

const PHONE = { width: 320, height: 640 };
const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const click = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const pick = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true }).click();

/** Opens a list of five groups, one in each state. */
async function openList({ page, environment, database }: Scene) {
  const days = { Used: 0, Idle: 60, Never: undefined, Suspended: 0, Ended: 0, "Old token": 0 };
  for (const [name, ago] of Object.entries(days)) {
    const group = await environment.createGroup({
      user_group_id: name,
      name,
      properties: { plan: "pro", seats: 25, region: "eu" },
    });
    if (ago === undefined) continue;
    await database.query("UPDATE group_use SET last_used_at = now() - $2 * interval '1 day' WHERE team_id = $1", [
      group.team_id,
      ago,
    ]);
    if (name === "Old token") {
      await environment.call("POST", "/api/user", { body: { current_token: group.token } });
    }
  }
  await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: "Suspended" } });
  await database.query(
    `UPDATE user_group SET access_ends_at = now() - interval '1 day'
     WHERE provided_id = 'Ended' AND environment_id = (SELECT id FROM environment WHERE slug = $1)`,
    [environment.slug],
  );
  await page.goto(`/${environment.slug}/groups?sort=name`);
  await expect(names(page)).toHaveCount(6);
}

const LIST: State[] = [
  { name: "groups in every state", open: async () => undefined },
  {
    name: "the buttons of a row, and a copy",
    open: async ({ page }) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const row = table(page).getByRole("row", { name: /Idle/ });
      await row.hover();
      await row.getByRole("button", { name: "Copy Token of Idle" }).click();
      await expect(row).toContainText("Copied");
    },
  },
  {
    name: "the More menu",
    open: async ({ page }) => {
      await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
      await expect(page.getByRole("menuitem", { name: "Export as CSV" })).toBeVisible();
    },
  },
  {
    name: "suggested properties and values of a filter",
    open: async ({ page }) => {
      await click(page, "Filter");
      const popover = dialog(page, "Filter by a property");
      await popover.getByLabel("Property", { exact: true }).fill("pl");
      await expect(popover.getByText("plan", { exact: true }).first()).toBeVisible();
    },
  },
  {
    name: "an edited filter",
    open: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/groups?filter=plan:is:"pro"`);
      await click(page, "Change filter plan is pro");
      await expect(dialog(page, "Filter plan is pro")).toBeVisible();
    },
  },
  {
    name: "the name of a pinned view",
    open: async ({ page }) => {
      await click(page, "Pin view");
      await expect(dialog(page, "Pin view")).toBeVisible();
    },
  },
  {
    name: "the dry run of a bulk property change",
    open: async ({ page }) => {
      await page.getByLabel("Select all on this page").check();
      await click(page, "Property…");
      const popup = dialog(page, "Change a property of 6 user groups");
      await popup.getByLabel("Property", { exact: true }).fill("plan");
      await popup.getByLabel("Value", { exact: true }).fill("basic");
      await popup.getByRole("button", { name: "Check" }).click();
      await expect(popup).toContainText("6 will change.");
    },
  },
  {
    name: "a refused bulk property change",
    open: async ({ page }) => {
      await page.getByLabel("Select all on this page").check();
      await click(page, "Property…");
      await dialog(page, /^Change a property/)
        .getByRole("button", { name: "Check" })
        .click();
      await expect(page.getByRole("alert").filter({ hasText: "Choose a property." })).toBeVisible();
    },
  },
  {
    name: "suspending several groups, and the undo toast",
    open: async ({ page }) => {
      await page.getByLabel("Select Used", { exact: true }).check();
      await click(page, "Suspend…");
      await expect(dialog(page, "Suspend 1 user group?")).toBeVisible();
      await expectAccessible(page);
      await dialog(page, "Suspend 1 user group?").getByRole("button", { name: "Suspend" }).click();
      await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
    },
  },
  {
    name: "a phone, its filter, its selection",
    open: async ({ page }) => {
      await page.setViewportSize(PHONE);
      await expectAccessible(page);
      await click(page, "Filter");
      await expect(dialog(page, "Filter")).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await chooseMore(page, "Select groups");
      await page.getByLabel("Select Used", { exact: true }).check();
    },
  },
];

const openGroup = async (scene: Scene, name: string) => {
  const { page, environment } = scene;
  await openList(scene);
  await table(page).getByRole("link", { name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page.getByRole("button", { name: `Environment: ${environment.name}` })).toBeVisible();
};

const GROUP: (State & { group?: string })[] = [
  { name: "one in use", open: async () => undefined },
  { name: "a suspended one", group: "Suspended", open: async () => undefined },
  { name: "an ended one", group: "Ended", open: async () => undefined },
  { name: "one whose new token was not seen yet", group: "Old token", open: async () => undefined },
  {
    name: "the formats of its embed configuration",
    open: async ({ page }) => {
      await click(page, "Embed formats");
      await expect(page.getByRole("menuitemradio", { name: "React" })).toBeVisible();
    },
  },
  {
    name: "its menu, and the end of its access",
    open: async ({ page }) => {
      await click(page, "More actions");
      await expectAccessible(page);
      await pick(page, "Set end of access…");
      await dialog(page, /^End of access/)
        .getByLabel(/^Access ends/)
        .fill("2020-01-31T12:00");
    },
  },
  {
    name: "its suspension",
    open: async ({ page }) => {
      await click(page, "More actions");
      await pick(page, "Suspend…");
      await expect(dialog(page, "Suspend “Used”?")).toBeVisible();
    },
  },
  {
    name: "its resumption",
    group: "Suspended",
    open: async ({ page }) => {
      await click(page, "More actions");
      await pick(page, "Resume…");
      await expect(dialog(page, "Resume “Suspended”?")).toBeVisible();
    },
  },
  {
    name: "the types of a value, a wrong number and a duplicate key",
    open: async ({ page }) => {
      const properties = page.getByRole("group", { name: "Properties" });
      await properties.getByLabel("Value, row 2").fill("many");
      await properties.getByLabel("Name, row 3").fill("plan");
      await expectAccessible(page);
      await properties.getByRole("button", { name: "Type, row 1: text" }).click();
      await expect(page.getByRole("menuitemradio").first()).toBeVisible();
    },
  },
  {
    name: "its JSON with problems, and leaving it",
    open: async ({ page }) => {
      const properties = page.getByRole("group", { name: "Properties" });
      await properties.getByRole("radio", { name: "JSON" }).check();
      await typeInto(properties.locator(".cm-content"), '{\n  "a": 1,\n  "a": 2\n}');
      await expect(properties.getByRole("button", { name: /^Line \d/ })).toHaveCount(1);
      await expectAccessible(page);
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Activity" }).click();
      await expect(dialog(page, "Discard your changes?")).toBeVisible();
    },
  },
  {
    name: "its history with an open entry",
    open: async ({ page }) => {
      await page.getByRole("tab", { name: /^History/ }).click();
      const entries = page.getByRole("region", { name: "Activity", exact: true }).getByRole("button");
      await entries.first().click();
      await expect(entries.first()).toHaveAttribute("aria-expanded", "true");
    },
  },
  {
    name: "a phone with its token bar, its save bar and its embed",
    open: async ({ page }) => {
      await page.setViewportSize(PHONE);
      await expectAccessible(page);
      await page.getByLabel("Name", { exact: true }).fill("Changed");
      await expect(page.getByRole("region", { name: "Unsaved changes" })).toBeVisible();
      await expectAccessible(page);
      await click(page, "Discard");
      await page.getByRole("tab", { name: "Embed" }).click();
      await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
    },
  },
];

const openDeleted = async ({ page, environment }: Scene) => {
  await environment.createGroup({ user_group_id: "gone", name: "Gone" });
  await environment.call("DELETE", "/api/user", { body: { user_group_id: "gone" } });
  await page.goto(`/${environment.slug}/groups/deleted`);
};

const openImport = async ({ page, environment, owner }: Scene, csv: string) => {
  const { id } = await dryRun(owner.in(environment.slug), csv);
  await page.goto(`/${environment.slug}/groups/jobs/${id}`);
  await expect(page.getByRole("button", { name: "Cancel job" })).toBeVisible();
};

const OTHER: State[] = [
  {
    name: "deleted groups: none, one, its restoration, its erasure",
    open: async (scene) => {
      const { page, environment } = scene;
      await page.goto(`/${environment.slug}/groups/deleted`);
      await expect(page.getByText("No deleted user groups")).toBeVisible();
      await expectAccessible(page);
      await openDeleted(scene);
      await expectAccessible(page);
      await click(page, "Restore Gone");
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectAccessible(page);
      await click(page, "Cancel");
      await click(page, "Erase for good: Gone");
      await page.getByRole("dialog").getByRole("textbox").fill("gone");
    },
  },
  {
    name: "replacing a group that took a deleted group's id",
    open: async (scene) => {
      await openDeleted(scene);
      await scene.environment.createGroup({ user_group_id: "gone", name: "Living" });
      await scene.page.reload();
      await click(scene.page, "Replace Gone");
      await expect(scene.page.getByRole("dialog")).toContainText("stops working immediately");
    },
  },
  {
    name: "an import with rows of every outcome, narrowed to its errors",
    open: async (scene) => {
      const { page, environment } = scene;
      await environment.createGroup({ user_group_id: "same", name: "Same" });
      await environment.createGroup({ user_group_id: "known", name: "Known before" });
      await openImport(scene, "user_group_id,name,properties\nnew,New,\nsame,Same,\nknown,Known,\nbad,Bad,not json\n");
      await expectAccessible(page);
      await page.getByRole("radio", { name: /^Errors? 1$/ }).check();
      await expect(page.getByRole("list", { name: "Rows of the job" }).getByRole("listitem")).toHaveCount(1);
    },
  },
  {
    name: "the activity: its times, its filters, one of them",
    open: async (scene) => {
      const { page, environment } = scene;
      await environment.createGroup({ name: "Acme" });
      await page.goto(`/${environment.slug}/activity`);
      await expect(page.getByRole("figure")).toBeVisible();
      await expectAccessible(page);
      for (const name of ["Any time", "Filter"]) {
        await click(page, name);
        await expect(page.getByRole("dialog")).toBeVisible();
        await expectAccessible(page);
        await page.keyboard.press("Escape");
        await expect(page.getByRole("dialog")).toHaveCount(0);
      }
      await click(page, "Filter");
      await page.getByRole("dialog").getByRole("button", { name: "User group" }).click();
      await expect(page.getByRole("button", { name: /^Acme/ })).toBeVisible();
    },
  },
  {
    name: "API tokens: a menu, a revocation, a replacement",
    open: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/settings/api-tokens`);
      await click(page, "Actions for e2e");
      await expectAccessible(page);
      await pick(page, "Revoke…");
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectAccessible(page);
      await click(page, "Cancel");
      await click(page, "Actions for e2e");
      await pick(page, "Replace…");
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "embedding: each setting, a new template, a key's rotation and revocation",
    open: async ({ page, environment, owner }) => {
      await owner.in(environment.slug).post("viewer-keys/rotate", {});
      await page.goto(`/${environment.slug}/settings/embedding`);
      for (const name of [
        "Change… preview page",
        "Change… allowed origins",
        "Change… audience (aud)",
        "Create template",
        "Rotate… key of Viewer tokens",
        "Change… embed template",
      ]) {
        await click(page, name);
        await expect(page.getByRole("dialog")).toBeVisible();
        await expectAccessible(page);
        await page.getByRole("button", { name: "Cancel" }).click();
        await expect(page.getByRole("dialog")).toHaveCount(0);
      }
      await page.getByRole("button", { name: /^Revoke…/ }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "environments: a menu, the form, a deletion",
    open: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/settings/environments`);
      await click(page, `Actions for ${environment.name}`);
      await expectAccessible(page);
      await pick(page, "Rename…");
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await click(page, `Actions for ${environment.name}`);
      await pick(page, "Delete…");
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
];

for (const [where, states, prepare] of [
  ["on the list", LIST, openList],
  ["on a group", GROUP, undefined],
  ["elsewhere", OTHER, undefined],
] as const) {
  test.describe(`axe finds no violations ${where}`, () => {
    test.slow();
    for (const state of states) {
      test(state.name, async ({ page, database, environment, owner }) => {
        const scene = { page, database, environment, owner };
        if (where === "on a group") await openGroup(scene, (state as (typeof GROUP)[number]).group ?? "Used");
        await prepare?.(scene);
        await state.open(scene);
        await expectAccessible(page);
      });
    }
  });
}
