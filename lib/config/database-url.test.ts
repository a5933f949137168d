import fc from "fast-check";
import pg from "pg";
import { describe, expect, it, test } from "vitest";
import { addressOf, leadsToPgBouncer, parameterOf, urlProblem } from "@/lib/config/database-url";

describe("a single address is accepted", () => {
  it.each([
    "postgresql://user:pw@host:5432/db",
    "postgres://user:a,b@host/db?sslmode=verify-full",
    "postgresql://user:a@b,c@host/db",
    "postgresql://user@[::1]:5433/db",
    "postgresql://user@%2Fvar%2Frun%2Fpostgresql/db",
    "postgresql://user@host/db?options=-c%20search_path=a,b",
    "postgresql://user@host/a,b",
    "postgresql:///db?host=/var/run/postgresql",
    "postgresql://user@host/db?target_session_attrs=read-write",
  ])("%s", (url) => {
    expect(urlProblem(url)).toBeUndefined();
  });
});

test("a password may contain any character, percent-encoded, and literal commas and @", () => {
  const secret = fc.string({ unit: "grapheme", minLength: 1 });
  fc.assert(
    fc.property(secret, secret, fc.domain(), (user, password, host) => {
      const [name, word] = [user, password].map((text) => encodeURIComponent(text).replaceAll("%2C", ","));
      const url = `postgresql://${name}:${word}@${host}/db`;
      expect(urlProblem(url)).toBeUndefined();
      const read = new pg.Client({ connectionString: url });
      expect(read).toMatchObject({ user, password, host, port: 5432, database: "db" });
    }),
  );
});

test("an address and a parameter are read without the credentials", () => {
  const url = "postgresql://us%40er:p%2C%2F@one:5432/my%20db?sslmode=disable";
  expect(addressOf(url)).toBe("one:5432/my%20db");
  expect(parameterOf(url, "sslmode")).toBe("disable");
  expect(leadsToPgBouncer(url)).toBe(false);
});

describe("a list of hosts is refused with the fix, without revealing the password", () => {
  it.each([
    "one,two/db",
    "one:5432,two:5433/db",
    "[::1]:5432,[fd00::2]/db",
    "one,/db",
    ":5432,two/db",
    "one%2Ctwo/db",
    "one,two/db?target_session_attrs=read-write",
    "one/db?host=two,three",
    "one/db?hostaddr=10.0.0.1,10.0.0.2",
    "one/db?port=5432,5433",
  ])("%s", (list) => {
    for (const url of [`postgresql://user:secret-word@${list}`, `postgres://user@${list}`, `postgres://${list}`]) {
      expect(urlProblem(url)).toMatch(/^lists several hosts: name one address instead, .*docs\/high-availability\.md/);
      expect(urlProblem(url)).not.toContain("secret-word");
    }
  });
});

describe("an unparsable URL is refused", () => {
  it.each([
    ["a port that is not a number", "postgresql://u:p@one:port/db"],
    ["a port above 65535", "postgresql://u:p@one:65536/db"],
    ["a space in a host", "postgresql://u:p@on e/db"],
    ["an IPv6 address without brackets", "postgresql://u:p@::1/db"],
    ["a broken bracket", "postgresql://u:p@[::1/db"],
    ["a raw / in a password with a comma", "postgresql://u:1,2/3@host/db"],
    ["a raw # in a password with a comma", "postgresql://u:1,2#3@host/db"],
    ["a raw ? in a password with a comma", "postgresql://u:1,2?3@host/db"],
  ])("%s", (_what, url) => {
    expect(urlProblem(url)).toMatch(/^is not a URL/);
  });
});
