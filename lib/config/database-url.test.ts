import fc from "fast-check";
import pg from "pg";
import { describe, expect, it, test } from "vitest";
import { addressOf, isDatabaseUrl, parameterOf, splitHosts, urlProblem } from "@/lib/config/database-url";
import { leadsToPgBouncer } from "@/lib/config/pgbouncer";

/** What pg makes of a URL with one host. */
function readByPg(url: string) {
  const { user, password, host, port, database } = new pg.Client({ connectionString: url });
  return { user, password, host, port, database };
}

const readAll = (url: string) => splitHosts(url).map(readByPg);

describe("a URL with one host is left exactly as it is", () => {
  it.each([
    "postgresql://user:pw@host:5432/db",
    "postgres://user:a,b@host/db?sslmode=verify-full",
    "postgresql://user:a@b,c@host/db",
    "postgresql://user@[::1]:5433/db",
    "postgresql://user@%2Fvar%2Frun%2Fpostgresql/db",
    "postgresql://user@host/db?options=-c%20search_path=a,b",
    "postgresql://user@host/a,b",
    "postgresql:///db?host=/var/run/postgresql",
    "nonsense, all of it",
  ])("%s", (url) => {
    expect(splitHosts(url)).toEqual([url]);
    expect(isDatabaseUrl(url)).toBe(URL.canParse(url));
    expect(urlProblem(url)).toBeUndefined();
  });
});

test("each of several hosts gets the user, password, database and parameters of all", () => {
  const url = "postgresql://us%40er:p%2C%2F@one:5432,two:5433/my%20db?target_session_attrs=read-write&sslmode=disable";
  expect(splitHosts(url)).toEqual([
    "postgresql://us%40er:p%2C%2F@one:5432/my%20db?target_session_attrs=read-write&sslmode=disable",
    "postgresql://us%40er:p%2C%2F@two:5433/my%20db?target_session_attrs=read-write&sslmode=disable",
  ]);
  const common = { user: "us@er", password: "p,/", database: "my db" };
  expect(readAll(url)).toEqual([
    { ...common, host: "one", port: 5432 },
    { ...common, host: "two", port: 5433 },
  ]);
  expect(addressOf(url)).toBe("one:5432,two:5433/my%20db");
  expect(parameterOf(url, "sslmode")).toBe("disable");
  expect(leadsToPgBouncer(url)).toBe(false);
});

describe("among several hosts", () => {
  const places = (url: string) => readAll(url).map(({ host, port }) => [host, port]);
  it.each([
    [
      "an IPv6 address keeps its brackets",
      "[::1]:5432,[fd00::2],three",
      [
        ["::1", 5432],
        ["fd00::2", 5432],
        ["three", 5432],
      ],
    ],
    [
      "an empty or missing port is PostgreSQL's own",
      "one:,two,three:5433",
      [
        ["one", 5432],
        ["two", 5432],
        ["three", 5433],
      ],
    ],
    [
      "a folder with a socket is one, encoded",
      "%2Frun%2Fone,two",
      [
        ["/run/one", 5432],
        ["two", 5432],
      ],
    ],
    [
      "the same may come twice",
      "one,one",
      [
        ["one", 5432],
        ["one", 5432],
      ],
    ],
  ])("%s", (_what, hosts, expected) => {
    for (const url of [`postgresql://u:p@${hosts}/db`, `postgres://${hosts}`]) {
      expect(isDatabaseUrl(url)).toBe(true);
      expect(urlProblem(url)).toBeUndefined();
      expect(places(url)).toEqual(expected);
    }
  });
});

test("a password may hold any character, percent-encoded, and commas and @ as they are", () => {
  const secret = fc.string({ unit: "grapheme", minLength: 1 });
  fc.assert(
    fc.property(secret, secret, fc.array(fc.domain(), { minLength: 2, maxLength: 5 }), (user, password, hosts) => {
      const [name, word] = [user, password].map((text) => encodeURIComponent(text).replaceAll("%2C", ","));
      const url = `postgresql://${name}:${word}@${hosts.join(",")}/db`;
      expect(isDatabaseUrl(url)).toBe(true);
      expect(readAll(url)).toEqual(hosts.map((host) => ({ user, password, host, port: 5432, database: "db" })));
    }),
  );
});

describe("what cannot be parsed is refused", () => {
  it.each([
    ["a port that is no number", "postgresql://u:p@one:port,two/db"],
    ["a port beyond the last", "postgresql://u:p@one:65536,two/db"],
    ["a space after a comma", "postgresql://u:p@one, two/db"],
    ["an IPv6 address without brackets", "postgresql://u:p@::1,::2/db"],
    ["a broken bracket", "postgresql://u:p@[::1,two/db"],
    ["a raw / in a password with a comma", "postgresql://u:1,2/3@host/db"],
    ["a raw # in a password with a comma", "postgresql://u:1,2#3@host/db"],
    ["a raw ? in a password with a comma", "postgresql://u:1,2?3@host/db"],
  ])("%s", (_what, url) => {
    expect(isDatabaseUrl(url)).toBe(false);
  });
});

describe("is refused with the fix, and without the password", () => {
  it.each([
    ["an empty host", "one,,three", "", "host 2 of 3 is empty"],
    ["an empty host at the end", "one,", "", "host 2 of 2 is empty"],
    ["a port without a host", ":5432,two", "", "host 1 of 2 is empty"],
    ["an encoded comma", "one%2Ctwo", "", "separate hosts by a plain comma"],
    ["hosts in the host parameter", "", "host=one,two", "list the hosts with their ports before the path"],
    ["ports in the port parameter", "one", "port=5432,5433", "list the hosts with their ports before the path"],
    ["more ports than hosts", "one,two", "port=5432,5433,5434", "list the hosts with their ports before the path"],
    ["one port for all", "one,two", "port=5433", "port would apply to every host"],
    ["one host for all", "one,two", "host=three", "host would apply to every host"],
    ["addresses beside hosts", "one,two", "hostaddr=10.0.0.1,10.0.0.2", "list the addresses as hosts"],
    ["reads spread over hosts", "one,two", "load_balance_hosts=random", "load_balance_hosts must be disable"],
    ["PgBouncer on several hosts", "one,two", "pgbouncer=true", "pgbouncer takes one host"],
    ["any server", "one,two", "target_session_attrs=any", "target_session_attrs must be read-write"],
    ["a standby", "one,two", "target_session_attrs=prefer-standby", "target_session_attrs must be read-write"],
    ["a standby alone", "one", "target_session_attrs=standby", "target_session_attrs must be read-write"],
  ])("%s", (_what, hosts, query, fix) => {
    const problem = urlProblem(`postgresql://${hosts && "user:secret-word@"}${hosts}/db?${query}`);
    expect(problem).toContain(fix);
    expect(problem).not.toContain("secret-word");
  });

  it.each(["target_session_attrs=read-write", "load_balance_hosts=disable"])("but not %s", (query) => {
    expect(urlProblem(`postgresql://one,two/db?${query}`)).toBeUndefined();
  });
});
