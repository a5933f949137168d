import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { LANGUAGES, type LanguageId } from "@/lib/snippets/snippet";
import { insertApiToken } from "../fixtures/api-token";
import { clipboard, expect, expectAccessible, expectNoSidewaysScrolling, type Page, test } from "../fixtures/browser";
import { findInterpreter, missing, printedGroupToken, runSnippet } from "../fixtures/snippets";

const RUN: LanguageId[] = ["curl", "python", "typescript"];

/** The first of the page's language menus, which all show the same language. */
const language = (page: Page) => page.getByRole("button", { name: /^Language: / }).first();

async function choose(page: Page, name: string) {
  await language(page).click();
  await page.getByRole("menuitemradio", { name, exact: true }).click();
}

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("the programs of the reference work as shown, in the remembered language", async ({
  page,
  environment,
  stage,
}) => {
  for (const language of RUN) test.skip(!findInterpreter(language), missing(language));
  const api = await insertApiToken(
    { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey },
    { environment: environment.slug },
  );
  await page.goto("/docs");
  const program = (what: string, { name }: { name: string }) =>
    page.getByRole("region", { name: `${what}, ${name}`, exact: true });
  await expectAccessible(page);

  const folder = await mkdtemp(path.join(tmpdir(), "read-snippets-"));
  let current = "";
  for (const id of RUN) {
    const interpreter = findInterpreter(id);
    if (!interpreter) throw new Error(missing(id));
    // One choice for all programs.
    await choose(page, LANGUAGES[id].name);
    const runAsRead = async (what: string) => {
      const text = (await program(what, LANGUAGES[id]).textContent()) ?? "";
      const shown = { text, file: `read.${LANGUAGES[id].extension}` };
      const ended = await runSnippet(interpreter, shown, { folder, tokens: { api, group: current } });
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      return printedGroupToken(id, ended);
    };
    const token = await runAsRead("Get or create");
    expect(await runAsRead("Update")).toBe(token);
    current = token;
    expect(await runAsRead("Rotate the token")).not.toBe(token);
  }
  await rm(folder, { recursive: true });

  // By keyboard alone: to another language, and to its copy button.
  await language(page).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Go");
  await page.keyboard.press("Enter");
  await expect(language(page)).toHaveAccessibleName("Language: Go");
  await expect(language(page)).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => clipboard(page)).toContain('"net/http"');
  await page.reload();
  await expect(language(page)).toHaveAccessibleName("Language: Go");
  await expect(program("Get or create", LANGUAGES.go)).toContainText('"net/http"');
});

test("the programs fit 320 pixels", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/docs");
  await choose(page, "Java");
  await expect(page.getByRole("region", { name: "Get or create, Java" })).toContainText("HttpClient");
  await expectNoSidewaysScrolling(page);
});
