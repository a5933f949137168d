import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { environmentUpdate, newEnvironment, RESERVED_SLUGS } from "@/lib/environments/schema";

/** The first segments of all paths served by app/; a folder in parentheses adds none. */
function firstWords(folder: string): string[] {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => (name.startsWith("(") ? firstWords(`${folder}/${name}`) : [name]));
}

test("every path of ours that could be a slug is reserved", () => {
  const words = firstWords("app").filter((word) => /^[a-z][a-z0-9-]*$/.test(word));
  expect(words).toContain("api");
  expect(words.filter((word) => !RESERVED_SLUGS.includes(word))).toEqual([]);
});

test.each(["a", "staging", "eu-2", `a${"0".repeat(39)}`])("%s is a valid slug", (slug) => {
  expect(newEnvironment.safeParse({ slug, name: "Name", tag: "Testing" }).success).toBe(true);
});

test.each([
  "",
  " ",
  "A",
  "Staging",
  "1a",
  "-a",
  "a b",
  "a_b",
  "ä",
  "a/b",
  "a.b",
  "a\n",
  `a${"0".repeat(40)}`,
  ...RESERVED_SLUGS,
  1,
  null,
  undefined,
])("%j is not a valid slug", (slug) => {
  expect(newEnvironment.safeParse({ slug, name: "Name", tag: "Testing" }).error?.issues[0]?.path).toEqual(["slug"]);
});

test.each(["", " ", "\u00a0", "\u200b", "a\u0007b", "a\u202eb", "n".repeat(61), 1, null])(
  "%j is not a valid name",
  (name) => {
    const { error } = newEnvironment.safeParse({ slug: "a", name, tag: "Testing" });
    expect(error?.issues.map(({ path }) => path)).toEqual([["name"]]);
  },
);

test("a name is trimmed, and a blank template means none", () => {
  const update = { slug: "a", name: " Staging ", embedTemplate: " \n" };
  expect(environmentUpdate.parse(update)).toEqual({ slug: "a", name: "Staging", embedTemplate: null });
});

test("a template is limited to 16 KiB in bytes", () => {
  const accepts = (embedTemplate: string) => environmentUpdate.safeParse({ slug: "a", embedTemplate }).success;
  expect([accepts("x".repeat(16_384)), accepts("x".repeat(16_385)), accepts("ä".repeat(8_193))]).toEqual([
    true,
    false,
    false,
  ]);
});
