import { randomUUID } from "node:crypto";
import type { AdminClient } from "../fixtures/admin-client";
import type { Database } from "../fixtures/api";
import { expect, type Page, type TestEnvironment, test } from "../fixtures/browser";
import { totp } from "../fixtures/cookie-client";
import { dryRun } from "../fixtures/jobs";
import { createMember, type Member, signIn } from "../fixtures/member";
import { quiet } from "../fixtures/quiet";

interface Scene {
  page: Page;
  database: Database;
  environment: TestEnvironment;
  /** the signed-in member */
  member: Member;
  owner: AdminClient;
  /** the member affected by the action, if any */
  other: Member;
}

interface Action {
  name: string;
  /** opens the place that offers the action, with all it needs */
  prepare: (scene: Scene) => Promise<void>;
  /** takes the last step, which would send the request */
  act: (scene: Scene) => Promise<void>;
  /** online again: repeats the way to the last step; `done` is the message on success */
  again?: { open: (scene: Scene) => Promise<void>; done: RegExp };
}

const dialog = (page: Page) => page.getByRole("dialog").filter({ has: page.getByRole("heading") });
const press = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();

/** Opens the list with groups called A and B. */
async function openList({ page, environment }: Scene) {
  for (const name of ["A", "B"]) {
    await environment.createGroup({ user_group_id: name, name, properties: { plan: "free" } });
  }
  await page.goto(`/${environment.slug}/groups`);
}

async function openGroup({ page, environment }: Scene) {
  const { team_id } = await environment.createGroup({ user_group_id: "A", name: "A" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
}

const openDeleted = async (scene: Scene) => {
  const { page, environment } = scene;
  await environment.createGroup({ user_group_id: "A", name: "A" });
  await environment.call("DELETE", "/api/user", { body: { user_group_id: "A" } });
  await page.goto(`/${environment.slug}/groups/deleted`);
};

const askFor = (button: string) => (scene: Scene) =>
  scene.page.getByRole("button", { name: button, exact: true }).click();

/** Chooses from the menu on the group's page. */
const askOnPage =
  (item: string) =>
  async ({ page }: Scene) => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };

/** Chooses from A's menu in the list. */
const askInList =
  (item: string) =>
  async ({ page }: Scene) => {
    await page.getByRole("button", { name: "Actions for A" }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };

/** Selects A and B, and opens a bulk action. */
const askForBoth =
  (button: string) =>
  async ({ page }: Scene) => {
    await page.getByLabel("Select all on this page").check();
    await page.getByRole("region", { name: "Selected groups" }).getByRole("button", { name: button }).click();
  };

/** Runs the dry run of a property change for A and B. */
const foresee = (mode: "Set" | "Remove") => async (scene: Scene) => {
  const { page } = scene;
  await askForBoth("Property…")(scene);
  await dialog(page).getByText(mode, { exact: true }).click();
  await dialog(page).getByLabel("Property", { exact: true }).fill("plan");
  if (mode === "Set") await dialog(page).getByLabel("Value", { exact: true }).fill("pro");
  await press(page, "Check");
  await expect(dialog(page)).toContainText("2 will change.");
};

const askForEnd = async (scene: Scene) => {
  await askOnPage("Set end of access…")(scene);
  await dialog(scene.page).getByLabel("Access ends").fill("2020-01-31T12:00");
};

const askForErasure = async (scene: Scene) => {
  await askFor("Erase for good: A")(scene);
  await dialog(scene.page).getByRole("textbox").fill("A");
};

const askForReplacement = async ({ page }: Scene) => {
  await page.getByRole("button", { name: "Actions for e2e" }).click();
  await page.getByRole("menuitem", { name: "Replace…" }).click();
};

const chooseForMember = (item: string) => async (scene: Scene) => {
  const { page, other } = scene;
  await page.goto("/testing/settings/members");
  const row = page.getByRole("row").filter({ hasText: other.email });
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

const openAccount = (button: string) => async (scene: Scene) => {
  await signIn(scene.member);
  await scene.page.goto("/testing/settings/account");
  await scene.page.getByRole("button", { name: button }).first().click();
};

/** Opens the account with its second factor on, and the dialog that requires the password. */
const openSecondFactor = (button: string) => async (scene: Scene) => {
  const { page, member } = scene;
  await page.goto("/testing/settings/account");
  const post = (path: string, body: object) =>
    page.evaluate(
      async ([path, body]) => {
        const headers = { "Content-Type": "application/json" };
        return (await fetch(path, { method: "POST", headers, body })).json();
      },
      [`/api/auth/two-factor/${path}`, JSON.stringify(body)] as const,
    );
  const { totpURI } = await post("enable", { password: member.password });
  await post("verify-totp", { code: totp(totpURI) });
  await page.reload();
  await page.getByRole("button", { name: button }).click();
  await page.getByLabel("Your password").fill(member.password);
  await page.getByLabel("Code", { exact: true }).fill("123456");
};

const openImport = async ({ page, environment, owner }: Scene) => {
  const { id } = await dryRun(owner.in(environment.slug), "user_group_id,name\nnew,New\n");
  await page.goto(`/${environment.slug}/groups/jobs/${id}`);
  await expect(page.getByRole("button", { name: "Apply 1 row…" })).toBeVisible();
};

/** Opens the environment's viewer settings, with a template and a key. */
const openEmbedding = async ({ page, environment, owner }: Scene) => {
  const templates = { cube: { claims: { team: "{{team_id}}" } } };
  await environment.call("PUT", "/api/viewer-settings", { body: { templates } });
  await owner.in(environment.slug).post("viewer-keys/rotate", {});
  await page.goto(`/${environment.slug}/settings/embedding`);
};

/** Opens a dialog on that page. */
const askOfEmbedding = (button: RegExp) => async (scene: Scene) => {
  await openEmbedding(scene);
  await scene.page.getByRole("button", { name: button }).first().click();
};

const ACTIONS: Action[] = [
  {
    name: "end all views of a group",
    prepare: async (scene) => {
      await openGroup(scene);
      await askOnPage("End all views…")(scene);
    },
    act: ({ page }) => press(page, "End all views"),
    again: { open: askOnPage("End all views…"), done: /All views of “A” were ended/ },
  },
  {
    name: "end one person's views",
    prepare: async (scene) => {
      await openGroup(scene);
      await askOnPage("End one person’s views…")(scene);
      await dialog(scene.page).getByLabel("Person", { exact: true }).fill("user_42");
    },
    act: ({ page }) => press(page, "End views"),
  },
  {
    name: "change a group's allowed origins",
    prepare: async (scene) => {
      await openGroup(scene);
      await scene.page.getByRole("tab", { name: "Embed" }).click();
      await scene.page.getByRole("button", { name: "Change… allowed origins" }).click();
      await dialog(scene.page).getByRole("radio", { name: "Only these origins" }).check();
    },
    act: ({ page }) => press(page, "Save"),
  },
  {
    name: "change the audience of viewer tokens",
    prepare: async (scene) => {
      await askOfEmbedding(/^Change… audience/)(scene);
      await dialog(scene.page).getByLabel("Claim aud").fill("mine");
    },
    act: ({ page }) => press(page, "Save"),
  },
  {
    name: "delete a claim template",
    prepare: askOfEmbedding(/^Delete… template cube/),
    act: ({ page }) => press(page, "Delete template"),
  },
  {
    name: "rotate a signing key",
    prepare: askOfEmbedding(/^Rotate… key of Template cube/),
    act: ({ page }) => press(page, "Rotate key"),
  },
  {
    name: "revoke a signing key",
    prepare: askOfEmbedding(/^Revoke… key/),
    act: ({ page }) => press(page, "Revoke key"),
  },
  {
    name: "delete a group from the list",
    prepare: async (scene) => {
      await openList(scene);
      await askInList("Delete…")(scene);
      await dialog(scene.page).getByRole("textbox").fill("A");
    },
    act: ({ page }) => press(page, "Delete user group"),
  },
  {
    name: "delete a group on its page",
    prepare: async (scene) => {
      await openGroup(scene);
      await askOnPage("Delete…")(scene);
      await dialog(scene.page).getByRole("textbox").fill("A");
    },
    act: ({ page }) => press(page, "Delete user group"),
  },
  {
    name: "delete several groups",
    prepare: async (scene) => {
      await openList(scene);
      await askForBoth("Delete…")(scene);
      await dialog(scene.page).getByRole("textbox").fill("delete 2");
    },
    act: ({ page }) => press(page, "Delete 2 user groups"),
  },
  {
    name: "undo a deletion",
    prepare: async (scene) => {
      await openList(scene);
      await askInList("Delete…")(scene);
      await dialog(scene.page).getByRole("textbox").fill("A");
      await press(scene.page, "Delete user group");
      await expect(scene.page.getByRole("button", { name: "Undo" })).toBeVisible();
    },
    act: ({ page }) => page.getByRole("button", { name: "Undo" }).click(),
  },
  {
    name: "suspend a group",
    prepare: async (scene) => {
      await openGroup(scene);
      await askOnPage("Suspend…")(scene);
    },
    act: ({ page }) => press(page, "Suspend"),
    again: { open: askOnPage("Suspend…"), done: /“A” is suspended/ },
  },
  {
    name: "suspend a group from the list",
    prepare: async (scene) => {
      await openList(scene);
      await askInList("Suspend…")(scene);
    },
    act: ({ page }) => press(page, "Suspend"),
    again: { open: askInList("Suspend…"), done: /“A” is suspended/ },
  },
  {
    name: "suspend several groups",
    prepare: async (scene) => {
      await openList(scene);
      await askForBoth("Suspend…")(scene);
    },
    act: ({ page }) => press(page, "Suspend"),
  },
  {
    name: "resume several groups by an undo",
    prepare: async (scene) => {
      await openList(scene);
      await askForBoth("Suspend…")(scene);
      await press(scene.page, "Suspend");
      await expect(scene.page.getByText("2 user groups are suspended").first()).toBeVisible();
    },
    act: ({ page }) => page.getByRole("button", { name: "Undo" }).click(),
  },
  {
    name: "dry-run a bulk property change",
    prepare: async (scene) => {
      await openList(scene);
      await askForBoth("Property…")(scene);
      await dialog(scene.page).getByLabel("Property", { exact: true }).fill("plan");
      await dialog(scene.page).getByLabel("Value", { exact: true }).fill("pro");
    },
    act: ({ page }) => press(page, "Check"),
  },
  {
    name: "set a property in several groups",
    prepare: async (scene) => {
      await openList(scene);
      await foresee("Set")(scene);
    },
    act: ({ page }) => press(page, "Change 2 user groups"),
  },
  {
    name: "remove a property from several groups",
    prepare: async (scene) => {
      await openList(scene);
      await foresee("Remove")(scene);
    },
    act: ({ page }) => press(page, "Change 2 user groups"),
  },
  {
    name: "undo a bulk property change",
    prepare: async (scene) => {
      await openList(scene);
      await foresee("Remove")(scene);
      await press(scene.page, "Change 2 user groups");
      await expect(scene.page.getByText("2 user groups no longer have plan").first()).toBeVisible();
    },
    act: ({ page }) => page.getByRole("button", { name: "Undo" }).click(),
  },
  {
    name: "copy the tokens of several groups",
    prepare: async (scene) => {
      await scene.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await openList(scene);
      await askForBoth("Copy tokens")(scene);
    },
    act: ({ page }) => press(page, "Copy tokens"),
  },
  {
    name: "save a group",
    prepare: async (scene) => {
      await openGroup(scene);
      await scene.page.getByLabel("Name", { exact: true }).fill("Mine");
    },
    act: askFor("Save"),
  },
  {
    name: "create a group",
    prepare: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/groups/new`);
      await page.getByLabel("Id", { exact: true }).fill("A");
      await page.getByLabel("Name", { exact: true }).fill("A");
    },
    act: askFor("Create user group"),
  },
  {
    name: "create the first group",
    prepare: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/groups`);
      await page.getByLabel("Your id for the customer").fill("A");
      await page.getByLabel("Name", { exact: true }).fill("A");
    },
    act: askFor("Create group"),
  },
  {
    name: "resume a group",
    prepare: async (scene) => {
      await openGroup(scene);
      await scene.environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: "A" } });
      await scene.page.reload();
      await askOnPage("Resume…")(scene);
    },
    act: ({ page }) => press(page, "Resume"),
    again: { open: askOnPage("Resume…"), done: /“A” is no longer suspended/ },
  },
  {
    name: "end a group's access",
    prepare: async (scene) => {
      await openGroup(scene);
      await askForEnd(scene);
    },
    act: ({ page }) => press(page, "Save"),
    again: { open: askForEnd, done: /^Ended$/ },
  },
  {
    name: "restore a deleted group",
    prepare: async (scene) => {
      await openDeleted(scene);
      await askFor("Restore A")(scene);
    },
    act: ({ page }) => press(page, "Restore"),
    again: { open: askFor("Restore A"), done: /“A” was restored/ },
  },
  {
    name: "erase a deleted group for good",
    prepare: async (scene) => {
      await openDeleted(scene);
      await askForErasure(scene);
    },
    act: ({ page }) => press(page, "Erase for good"),
    again: { open: askForErasure, done: /“A” was erased for good/ },
  },
  {
    name: "rotate a token",
    prepare: async (scene) => {
      await openGroup(scene);
      await scene.page.getByRole("button", { name: "Rotate…" }).click();
    },
    act: ({ page }) => press(page, "Rotate token"),
  },
  {
    name: "end an overlap",
    prepare: async (scene) => {
      const { page, environment } = scene;
      await openGroup(scene);
      await environment.call("POST", "/api/user-groups/rotate", {
        body: { user_group_id: "A", overlap_seconds: 3_600 },
      });
      await page.reload();
      await askFor("End now: old token…")(scene);
    },
    act: ({ page }) => press(page, "End now"),
    again: { open: askFor("End now: old token…"), done: /The old token of “A” has stopped/ },
  },
  {
    name: "rotate the tokens of several groups",
    prepare: async (scene) => {
      await openList(scene);
      await askForBoth("Rotate…")(scene);
    },
    act: ({ page }) => press(page, "Rotate 2 user groups"),
  },
  {
    name: "settle a collision with someone else's change",
    prepare: async (scene) => {
      const { page, environment } = scene;
      await openGroup(scene);
      await page.getByLabel("Name", { exact: true }).fill("Mine");
      await environment.call("PUT", "/api/user", { body: { user_group_id: "A", name: "Theirs" } });
      await page.getByRole("button", { name: "Save" }).click();
      await dialog(page).getByRole("radio", { name: /Mine/ }).check();
    },
    act: ({ page }) => press(page, "Save 1 change"),
  },
  {
    name: "create an API token",
    prepare: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/settings/api-tokens`);
      await page.getByRole("button", { name: "Create API token" }).click();
      await page.getByLabel("Name").fill("fresh");
    },
    act: ({ page }) => press(page, "Create API token"),
  },
  {
    name: "revoke an API token",
    prepare: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/settings/api-tokens`);
      await page.getByRole("button", { name: "Actions for e2e" }).click();
      await page.getByRole("menuitem", { name: "Revoke…" }).click();
    },
    act: ({ page }) => press(page, "Revoke API token"),
  },
  {
    name: "replace an API token",
    prepare: async (scene) => {
      await scene.page.goto(`/${scene.environment.slug}/settings/api-tokens`);
      await askForReplacement(scene);
    },
    act: ({ page }) => press(page, "Replace API token"),
    again: { open: askForReplacement, done: /^The API token is ready$/ },
  },
  {
    name: "change the networks of an API token",
    prepare: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/settings/api-tokens`);
      await page.getByRole("button", { name: "Actions for e2e" }).click();
      await page.getByRole("menuitem", { name: "Networks…" }).click();
      await dialog(page).getByLabel("Networks").fill("203.0.113.0/24");
    },
    act: ({ page }) => press(page, "Save"),
  },
  {
    name: "demote a member",
    prepare: async (scene) => {
      await chooseForMember("Change role…")(scene);
      await dialog(scene.page).getByRole("radio", { name: "Reader" }).check();
    },
    act: ({ page }) => press(page, "Change role"),
  },
  {
    name: "disable a member",
    prepare: chooseForMember("Disable…"),
    act: ({ page }) => press(page, "Disable member"),
  },
  {
    name: "enable a member",
    prepare: async (scene) => {
      await scene.database.query("UPDATE member SET disabled_at = now() WHERE id = $1", [scene.other.id]);
      await chooseForMember("Enable…")(scene);
    },
    act: ({ page }) => press(page, "Enable member"),
  },
  {
    name: "unlink a single sign-on account",
    prepare: async (scene) => {
      await scene.database.query(
        `INSERT INTO account (id, member_id, account_id, provider_id, updated_at)
         VALUES ($1 || '-oidc', $1, $1 || '-subject', 'oidc', now())`,
        [scene.other.id],
      );
      await chooseForMember("Single sign-on…")(scene);
    },
    act: ({ page, other }) => press(page, `Unlink ${other.id}-subject`),
  },
  {
    name: "remove a member",
    prepare: async (scene) => {
      await chooseForMember("Remove…")(scene);
      await dialog(scene.page).getByRole("textbox").fill(scene.other.email);
    },
    act: ({ page }) => press(page, "Remove member"),
  },
  {
    name: "create a password link",
    prepare: chooseForMember("Reset password…"),
    act: ({ page }) => press(page, "Create link"),
  },
  {
    name: "invite a member",
    prepare: async ({ page }) => {
      await page.goto("/testing/settings/members");
      await page.getByRole("button", { name: "Create invitation" }).click();
      await page.getByLabel("Email").fill(`${randomUUID()}@example.com`);
    },
    act: ({ page }) => press(page, "Create invitation"),
  },
  {
    name: "withdraw an invitation",
    prepare: async ({ page, owner, other }) => {
      await owner.post("members/invites", { email: `invited-${other.email}`, role: "viewer" });
      await page.goto("/testing/settings/members");
      await expect(page.getByRole("row").filter({ hasText: `invited-${other.email}` })).toBeVisible();
    },
    act: ({ page, other }) =>
      page.getByRole("button", { name: `Withdraw the invitation for invited-${other.email}` }).click(),
  },
  {
    name: "create an environment",
    prepare: async ({ page, environment }) => {
      await page.goto(`/${environment.slug}/settings/environments`);
      await page.getByRole("button", { name: "Create environment" }).click();
      await page.getByLabel("Name").fill(`${environment.name} more`);
    },
    act: ({ page }) => press(page, "Create environment"),
  },
  {
    name: "rename an environment",
    prepare: async ({ page, environment }) => {
      await page.goto("/testing/settings/environments");
      await page.getByRole("button", { name: `Actions for ${environment.name}` }).click();
      await page.getByRole("menuitem", { name: "Rename…" }).click();
      await dialog(page).getByLabel("Name").fill("Mine");
    },
    act: ({ page }) => press(page, "Save"),
  },
  {
    name: "delete an environment",
    prepare: async ({ page, environment, database }) => {
      await database.query(
        "DELETE FROM api_token WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)",
        [environment.slug],
      );
      await page.goto("/testing/settings/environments");
      await page.getByRole("button", { name: `Actions for ${environment.name}` }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await dialog(page).getByRole("textbox").fill(environment.slug);
    },
    act: ({ page }) => press(page, "Delete environment"),
  },
  {
    name: "change your name",
    prepare: async ({ page }) => {
      await page.goto("/testing/settings/account");
      await page.getByLabel("Name").fill("Somebody else");
    },
    act: askFor("Save name"),
  },
  {
    name: "change your password",
    prepare: async ({ page, member }) => {
      await page.goto("/testing/settings/account");
      await page.getByLabel("Current password").fill(member.password);
      await page.getByLabel("New password", { exact: true }).fill("an entirely new one");
    },
    act: askFor("Change password"),
  },
  {
    name: "end a session",
    prepare: async ({ page, member }) => {
      await signIn(member);
      await page.goto("/testing/settings/account");
      await expect(page.getByRole("button", { name: /^End the session/ })).toHaveCount(1);
    },
    act: ({ page }) => page.getByRole("button", { name: /^End the session/ }).click(),
  },
  {
    name: "sign out all others",
    prepare: openAccount("Sign out all others"),
    act: ({ page }) => press(page, "Sign out all others"),
  },
  {
    name: "sign out everywhere",
    prepare: openAccount("Sign out everywhere"),
    act: ({ page }) => press(page, "Sign out everywhere"),
  },
  {
    name: "sign out",
    prepare: async ({ page }) => {
      await page.goto("/testing/groups");
      await page.getByRole("button", { name: "Your account" }).click();
    },
    act: ({ page }) => page.getByRole("menuitem", { name: "Sign out" }).click(),
  },
  {
    name: "turn on a second factor",
    prepare: async ({ page, member }) => {
      await page.goto("/testing/settings/account");
      await page.getByRole("button", { name: "Turn on second factor" }).click();
      await page.getByLabel("Your password").fill(member.password);
    },
    act: ({ page }) => press(page, "Continue"),
  },
  {
    name: "turn off the second factor",
    prepare: openSecondFactor("Turn off"),
    act: ({ page }) => press(page, "Turn off"),
  },
  {
    name: "create new backup codes",
    prepare: openSecondFactor("Create new backup codes"),
    act: ({ page }) => press(page, "Create new codes"),
  },
  {
    name: "apply an import",
    prepare: async (scene) => {
      await openImport(scene);
      await scene.page.getByRole("button", { name: "Apply 1 row…" }).click();
    },
    act: ({ page }) => press(page, "Apply"),
  },
  {
    name: "cancel an import",
    prepare: openImport,
    act: ({ page }) => page.getByRole("button", { name: "Cancel job" }).click(),
  },
];

/** Every row that an action would add, change or delete. */
async function rowsOf({ database, environment, member, owner, other }: Scene) {
  const people = [member.id, owner.member.id, other.id];
  const ofEnvironment = "WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)";
  const rows = (table: string, where: string, columns = `${table}::text`) =>
    database
      .query(`SELECT ${columns} AS row FROM ${table} ${where}`, [where.includes("ANY") ? people : environment.slug])
      .then((found) => found.map(({ row }) => String(row)).sort());
  return {
    viewerKeys: await rows("viewer_key", ofEnvironment, "kid || coalesce(revoked_at::text, '')"),
    environments: await rows("environment", "WHERE slug LIKE $1 || '%' OR name LIKE '%more' AND slug <> $1"),
    groups: await rows("user_group", ofEnvironment),
    deleted: await rows("deleted_group", ofEnvironment),
    apiTokens: await rows(
      "api_token",
      ofEnvironment,
      "concat_ws(' ', id, revoked_at, expires_at, replaces, allowed_networks)",
    ),
    imports: await rows("job", ofEnvironment, "id || ' ' || state"),
    members: await rows("member", "WHERE id = ANY($1)"),
    accounts: await rows("account", "WHERE member_id = ANY($1)"),
    sessions: await rows("session", "WHERE member_id = ANY($1)", "id"),
    twoFactor: await rows("two_factor", "WHERE member_id = ANY($1)"),
    links: await rows("one_time_link", "WHERE created_by_id = ANY($1) OR member_id = ANY($1)"),
    history: await rows("audit_entry", "WHERE actor_id = ANY($1)", "id::text"),
    historyHere: await rows("audit_entry", ofEnvironment, "id::text"),
  };
}

for (const { name, prepare, act, again } of ACTIONS) {
  test(`offline, ${name}, cancel: nothing happens, then or once online`, async ({
    page,
    context,
    database,
    environment,
    member,
    owner,
  }) => {
    test.slow();
    const scene = { page, database, environment, member, owner, other: await createMember(database, "admin") };
    await prepare(scene);
    await quiet(page);
    const before = await rowsOf(scene);

    await context.setOffline(true);
    await act(scene);
    // The message appears next to the action, in addition to the header.
    await expect.soft(page.getByText(/You are offline[.,]/).first()).toBeVisible();
    for (const verb of ["Cancel", "Keep editing"]) {
      const cancel = dialog(page).getByRole("button", { name: verb, exact: true });
      if ((await cancel.count()) > 0) await cancel.click();
    }

    let reads = 0;
    page.on("response", (response) => {
      if (response.url().includes("/api/admin/") && response.request().method() === "GET") reads++;
    });
    await context.setOffline(false);
    await quiet(page);
    expect(await rowsOf(scene)).toEqual(before);
    await expect.poll(() => reads, "the page reads again").toBeGreaterThan(0);
    expect(await rowsOf(scene)).toEqual(before);

    if (!again) return;
    await again.open(scene);
    await act(scene);
    await expect(page.getByText(again.done).first()).toBeVisible();
    const { historyHere } = await rowsOf(scene);
    expect(historyHere).toHaveLength(before.historyHere.length + 1);
  });
}
