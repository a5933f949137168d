import { expect, test } from "vitest";
import { isSoonGuessed } from "./password-strength";

const ADA = { name: "Ada Lovelace", email: "ada@analytical.example" };

test.each([
  ["passwordpassword", "a common password twice"],
  ["qwertyuiop12", "a keyboard sequence"],
  ["123456789012", "a digit sequence"],
  ["Pa$$word1234", "a common password with substitutions"],
  ["aaaaaaaaaaaa", "one letter repeated"],
  ["usergroups2026", "this service's name"],
  ["adalovelace1", "the member's name"],
  ["analytical2026", "the member's company"],
])("%s is easy to guess: %s", async (password) => {
  expect(await isSoonGuessed(password, ADA)).toBe(true);
});

test.each(["correct horse battery", "Zq8vKp2mNw4tRj", "ada has a very long sentence", "пароль на каждый день"])(
  "%s is not easy to guess",
  async (password) => {
    expect(await isSoonGuessed(password, ADA)).toBe(false);
  },
);
