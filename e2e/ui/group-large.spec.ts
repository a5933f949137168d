import { expect, test, toasts, typeInto } from "../fixtures/browser";

/** 300 properties with values of every kind, in stored order and form. */
const TEXTS = Array.from({ length: 300 }, (_, index) => {
  const value = [`"value ${index}"`, "1.50", "true", "null", `"00${index}"`, `{"z":${index},"a":[1,2]}`][index % 6];
  return [`key${299 - index}`, value] as const;
});
const textOf = (members: readonly (readonly [string, string | undefined])[]) =>
  `{${members.map(([key, value]) => `"${key}":${value}`).join(",")}}`;

test("a group of 300 properties is opened, edited and saved without loss", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const { team_id } = await environment.createGroup({ user_group_id: "large", name: "Large" });
  const body = `{"user_group_id":"large","properties":${textOf(TEXTS)}}`;
  expect((await environment.call("PUT", "/api/user", { body })).status).toBe(200);
  const stored = async () =>
    (await database.query("SELECT properties FROM user_group WHERE team_id = $1", [team_id]))[0].properties;
  expect(await stored()).toBe(textOf(TEXTS));

  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = page.getByRole("group", { name: "Properties" });
  await expect(properties.getByLabel("Name, row 100")).toBeVisible();
  const showAll = async () => {
    await properties.getByRole("button", { name: "Show 100 more of 200 hidden rows" }).click();
    await properties.getByRole("button", { name: /^Show (the last )?100/ }).click();
  };
  await showAll();
  await expect(properties.getByRole("listitem")).toHaveCount(300);

  await properties.getByLabel("Value, row 151").fill("changed");
  await properties.getByLabel("Name, row 1", { exact: true }).fill("renamed");
  await properties.getByRole("button", { name: "Remove row 300" }).click();
  await properties.getByRole("button", { name: "Add row" }).click();
  await properties.getByLabel("Name, row 300").fill("added");
  await properties.getByLabel("Value, row 300").fill("at the end");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  const wanted = TEXTS.map(([key, value], index) =>
    index === 0
      ? (["renamed", value] as const)
      : index === 150
        ? ([key, '"changed"'] as const)
        : ([key, value] as const),
  );
  expect(await stored()).toBe(textOf([...wanted.slice(0, 299), ["added", '"at the end"']]));

  // Switching to JSON and back changes nothing.
  await properties.getByRole("radio", { name: "JSON" }).check();
  await expect(properties.locator(".cm-content")).toContainText('"renamed"');
  await properties.getByRole("radio", { name: "Table" }).check();
  await showAll();
  await expect(properties.getByLabel("Value, row 300")).toHaveValue("at the end");
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
  await page.reload();
  await showAll();
  await expect(properties.getByLabel("Value, row 151")).toHaveValue("changed");
});

test("JSON of 64 KiB lists its three problems, leads to each, and is saved once they are fixed", {
  tag: "@release",
}, async ({ page, environment, database }) => {
  const { team_id } = await environment.createGroup({ name: "Large" });
  const members = Array.from({ length: 1_300 }, (_, index) => `"key${1_000 + index}": "${"value ".repeat(6)}"`);
  const textOfLines = (lines: string[]) => `{\n${lines.join("\n")}\n}`;
  const lines = members.map((member, index) => `  ${member}${index < 1_299 ? "," : ""}`);
  const broken = lines
    .with(8, '  "key1008": one,')
    .with(640, lines[640]?.replace(",", "") ?? "")
    .with(1_200, '  "x": [1,],');
  expect(new TextEncoder().encode(`{${members.join(",").replaceAll(": ", ":")}}`).length).toBeGreaterThan(63_000);

  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = page.getByRole("group", { name: "Properties" });
  await properties.getByRole("radio", { name: "JSON" }).check();
  const editor = properties.getByRole("textbox");
  await typeInto(editor, textOfLines(broken));
  const problems = properties.getByRole("button", { name: /^Line \d/ });
  await expect(problems).toHaveText([/^Line 10: /, /^Line 643: /, /^Line 1202: /]);
  const bar = page.getByRole("region", { name: "Unsaved changes" });
  await expect(bar).toContainText("3 problems: Properties, line 10: ");
  await problems.last().click();
  await expect(properties.locator(".cm-activeLine")).toContainText('"x": [1,]');
  await expect(properties.locator(".cm-activeLine")).toBeInViewport();
  await bar.getByRole("button", { name: /^Properties, line 10/ }).click();
  await expect(properties.locator(".cm-activeLine")).toContainText('"key1008"');
  await typeInto(editor, textOfLines(lines));
  await expect(problems).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  const [row] = await database.query("SELECT properties FROM user_group WHERE team_id = $1", [team_id]);
  expect(row.properties).toBe(`{${members.join(",").replaceAll('": "', '":"')}}`);
});
