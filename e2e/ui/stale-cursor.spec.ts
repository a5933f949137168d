import { expect, expectParameter, names, test } from "../fixtures/list";

test("a stale list cursor falls back to the first page", { tag: "@release" }, async ({ page, environment }) => {
  for (const name of ["Alpha", "Alphabet"]) await environment.createGroup({ name });
  const ofAnotherOrder = Buffer.from('["name",false,"alpha",1]').toString("base64url");
  for (const cursor of ["nonsense", ofAnotherOrder, "x".repeat(5_000)]) {
    await page.goto(`/${environment.slug}/groups?sort=id&search=alpha&cursor=${cursor}`);
    await expect(names(page)).toHaveCount(2);
    await expectParameter(page, "cursor", null);
    await expectParameter(page, "search", "alpha");
    await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
  }
});

test("a stale activity cursor falls back to the first page", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/activity?older=nonsense`);
  await expect(page.getByRole("list", { name: "Today" }).getByRole("listitem").first()).toBeVisible();
  await expectParameter(page, "older", null);
});
