import { describe, expect, test } from "vitest";
import { CALLS } from "@/lib/snippets/request";
import { LANGUAGE_IDS, type LanguageId, snippet } from "@/lib/snippets/snippet";

const baseUrl = "https://groups.example/";
const of = (language: LanguageId, name: string) =>
  snippet(language, "getOrCreate", { baseUrl, group: { user_group_id: "acme-1", name } }).text;

test("a program calls the base URL, with or without a trailing slash", () => {
  for (const language of LANGUAGE_IDS) {
    for (const call of CALLS) {
      const write = (base: string) => snippet(language, call, { baseUrl: base, group: { user_group_id: "a" } }).text;
      expect(write("https://groups.example/at//")).toBe(write("https://groups.example/at"));
      expect(write("https://groups.example/at")).toContain("https://groups.example/at/api/user");
      expect(write('https://a"\\\n`é')).toContain("https://a%22%5C%0A%60%C3%A9/api/user");
    }
  }
});

test("curl looks hand-written", () => {
  expect(of("curl", "It's Acme")).toBe(`curl --request GET 'https://groups.example/api/user' \\
  --header "Authorization: Token $USER_GROUPS_API_TOKEN" \\
  --header 'Content-Type: application/json' \\
  --data-raw '{"user_group_id": "acme-1", "name": "It'\\''s Acme"}' \\
  --fail-with-body --silent --show-error --max-time 10
`);
});

describe("special characters are escaped, checked without the language's interpreter", () => {
  test.each<[LanguageId, string, string]>([
    ["go", "`\ufeff\u{e0041}", '"\\u0060\\ufeff\\udb40\\udc41"'],
    ["java", 'é "\\u0041', '"\\\\u00e9 \\\\"\\\\\\\\u0041"'],
    ["python", "\u2028\u{e0041}", '"\\u2028\\U000e0041"'],
    ["typescript", "</script>\u{e0041}", '"</script>\\udb40\\udc41"'],
  ])("%s: %j", (language, name, written) => expect(of(language, name)).toContain(written));

  test.each<[LanguageId, string]>([["typescript", 'mapping: { "0": "a", "1": {} }']])(
    "%s: members with numeric names, and an empty object",
    (language, written) => {
      const group = { user_group_id: "a", mapping: { 0: "a", 1: {} } };
      expect(snippet(language, "update", { baseUrl, group }).text).toContain(written);
    },
  );

  test("JavaScript: a member that would set the prototype", () => {
    const group = { user_group_id: "a", properties: JSON.parse('{"__proto__": "own"}') };
    expect(snippet("typescript", "update", { baseUrl, group }).text).toContain('{ ["__proto__"]: "own" }');
  });
});

describe("a program mints a viewer token, and prints only that", () => {
  test.each<[LanguageId, string]>([
    ["curl", `--data-raw '{"user_group_id": "acme-1", "viewer": "user_42"}'`],
    ["python", 'print(answer["viewer_token"])'],
    ["typescript", "as { viewer_token: string };"],
    ["java", "to read viewer_token."],
    ["go", 'ViewerToken string `json:"viewer_token"`'],
  ])("%s", (language, written) => {
    const group = { user_group_id: "acme-1", viewer: "user_42" };
    const { text, file } = snippet(language, "mint", { baseUrl, group });
    expect(text).toContain("https://groups.example/api/viewer-tokens");
    expect(text).toContain(written);
    expect(file).toMatch(/^viewer-token\./);
  });
});
