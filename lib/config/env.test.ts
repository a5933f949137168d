import { expect, test } from "vitest";
import { loadFile, readVariables, VARIABLES } from "@/lib/config/env";

/** The beginnings of our schemas' messages; zod's own say "Invalid option" or "Too small". */
const OUR_WORDS = /^ {2}[A-Z_, ]+: (must|is|are|lists|only|pgbouncer) /;

test.each(VARIABLES)("%s is refused in our wording, without its value", (name) => {
  for (const value of ["!", "-1", "verbose", "1e9", "x".repeat(5_000)]) {
    let refusal = "";
    try {
      readVariables({ NODE_ENV: "production", [name]: value });
    } catch (error) {
      refusal = String(error);
    }
    const lines = refusal.split("\n").slice(1);
    for (const line of lines) expect(line).toMatch(OUR_WORDS);
    if (value.length > 2) expect(refusal).not.toContain(value);
  }
});

test("the error for an unknown log level lists the known ones", () => {
  expect(() => readVariables({ NODE_ENV: "production", LOG_LEVEL: "verbose" })).toThrow(
    "LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent",
  );
});

test.each([" ", "1e3", "0x10", "10.5", "10 ", "9".repeat(400)])("a number takes digits alone, not %j", (value) => {
  expect(() => readVariables({ NODE_ENV: "production", RATE_LIMIT_REQUESTS: value })).toThrow("a whole number");
});

test.each([
  ["ADMIN_PASSWORD", "several words of it\n"],
  ["OIDC_ISSUER", "https://id.example\n"],
  ["OIDC_CLIENT_ID", " client"],
  ["OIDC_CLIENT_SECRET", "secret\r\n"],
])("%s is refused with white space around it", (name, value) => {
  const refusal = `${name}: must not begin or end with white space`;
  expect(() => readVariables({ NODE_ENV: "production", [name]: value })).toThrow(refusal);
});

test("a .env that cannot be read is named", () => {
  expect(() => loadFile(import.meta.dirname)).toThrow(`Cannot read ${import.meta.dirname}: let this user read it`);
});
