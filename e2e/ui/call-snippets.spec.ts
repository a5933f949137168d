import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { LANGUAGES, type LanguageId } from "@/lib/snippets/snippet";
import { insertApiToken } from "../fixtures/api-token";
import { expect, expectAccessible, expectNoSidewaysScrolling, test } from "../fixtures/browser";
import { select } from "../fixtures/select";
import { findInterpreter, missing, printedGroupToken, runSnippet } from "../fixtures/snippets";

const RUN: LanguageId[] = ["curl", "python", "typescript"];

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("the programs on a group's page work as shown, in the remembered language", async ({
  page,
  environment,
  stage,
}) => {
  for (const language of RUN) test.skip(!findInterpreter(language), missing(language));
  const { team_id, token } = await environment.createGroup({ name: `It's "$Acme" <é>`, properties: { plan: "`pro`" } });
  const api = await insertApiToken(
    { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey },
    { environment: environment.slug },
  );
  await page.goto(`/${environment.slug}/groups/${team_id}?tab=embed`);
  const programs = page.getByRole("region", { name: "From your program" });
  await expect(programs.getByRole("button", { name: "Language: curl" })).toBeVisible();
  await expectAccessible(page);

  const folder = await mkdtemp(path.join(tmpdir(), "read-snippets-"));
  let current = token;
  for (const id of RUN) {
    const interpreter = findInterpreter(id);
    if (!interpreter) throw new Error(missing(id));
    const runAsRead = async (what: string) => {
      await select(programs, "Call", what);
      await select(programs, "Language", LANGUAGES[id].name);
      const text = (await programs.locator("pre").textContent()) ?? "";
      expect(text).not.toContain(current);
      expect(text).not.toContain("plan");
      const shown = { text, file: `read.${LANGUAGES[id].extension}` };
      const ended = await runSnippet(interpreter, shown, { folder, tokens: { api, group: current } });
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      return printedGroupToken(id, ended);
    };
    expect(await runAsRead("Get or create")).toBe(current);
    expect(await runAsRead("Update")).toBe(current);
    const rotated = await runAsRead("Rotate the token");
    expect(rotated).not.toBe(current);
    current = rotated;
  }
  await rm(folder, { recursive: true });

  // By keyboard alone: from the call to the language, to another language, and to its copy button.
  const language = programs.getByRole("button", { name: /^Language: / });
  await programs.getByRole("button", { name: /^Call: / }).focus();
  await page.keyboard.press("Tab");
  await expect(language).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Go");
  await page.keyboard.press("Enter");
  await expect(language).toHaveAccessibleName("Language: Go");
  await expect(language).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('"net/http"');
  await page.reload();
  await expect(language).toHaveAccessibleName("Language: Go");
  await expect(programs.locator("pre")).toContainText('"net/http"');
});

test("the programs fit 320 pixels", async ({ page, environment }) => {
  const { team_id } = await environment.createGroup();
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`/${environment.slug}/groups/${team_id}?tab=embed`);
  await select(page.getByRole("region", { name: "From your program" }), "Language", "Java");
  await expect(page.getByRole("region", { name: "Get or create, Java" })).toContainText("HttpClient");
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
});
