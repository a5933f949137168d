import { expect, test } from "vitest";
import { isSoonGuessed } from "./password";

const ADA = { name: "Ada Lovelace", email: "ada@analytical.example" };

test.each([
  ["passwordpassword", "a common one twice"],
  ["qwertyuiop12", "a run on the keyboard"],
  ["123456789012", "a run of digits"],
  ["Pa$$word1234", "a common one, dressed up"],
  ["aaaaaaaaaaaa", "one letter"],
  ["usergroups2026", "what this service is called"],
  ["adalovelace1", "the member's name"],
  ["analytical2026", "the member's company"],
])("%s is soon guessed: %s", async (password) => {
  expect(await isSoonGuessed(password, ADA)).toBe(true);
});

test.each(["correct horse battery", "Zq8vKp2mNw4tRj", "ada has a very long sentence", "пароль на каждый день"])(
  "%s is not",
  async (password) => {
    expect(await isSoonGuessed(password, ADA)).toBe(false);
  },
);
