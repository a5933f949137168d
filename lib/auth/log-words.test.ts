import { expect, test } from "vitest";
import { wordsOf } from "./log-words";

test.each([
  [
    { expected: "https://id.example", received: "https://evil.example" },
    "expected https://id.example, received https://evil.example",
  ],
  [{ providerId: "oidc", error: new Error("the profile has no sub") }, "oidc the profile has no sub"],
  [{ status: 400, error: "invalid_grant", error_description: "expired" }, "400 invalid_grant: expired"],
])("the log describes %o", (detail, words) => {
  expect(wordsOf(detail)).toBe(words);
});

test("a secret is masked in every form in which requests send it", () => {
  const secret = "100% ~+/xy";
  const pair = btoa(`:${secret}`);
  const forms = [
    secret,
    "100%25%20~%2B%2Fxy",
    "100%25+%7E%2B%2Fxy",
    pair,
    pair.replace("=", ""),
    btoa(":100%25+%7E%2B%2Fxy"),
  ];
  expect(wordsOf(forms.join(" "), [secret])).toBe("… … … … … …");
});
