import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { serverPid, test } from "../fixtures/embedded-place";
import { query } from "../fixtures/own-service";

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.setTimeout(60_000);

test("all files are in the folder, owned by the account that needs them, and closed to others", {
  tag: "@release",
}, async ({ place }) => {
  const attached = await place.attach();
  const modes = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  const me = process.getuid?.();

  expect((await readdir(place.folder)).filter((name) => !name.startsWith(".turn-")).sort()).toEqual([
    "postgres",
    "postgres-password",
    "postgres.log",
  ]);
  expect(await modes(place.data)).toBe("700");
  for (const name of ["postgres-password", "postgres.log"]) {
    expect(await modes(join(place.folder, name))).toBe("600");
    expect((await stat(join(place.folder, name))).uid).toBe(me);
  }
  const pid = await serverPid(place.data);
  const owner = (await stat(place.data)).uid;
  expect((await stat(`/proc/${pid}`)).uid).toBe(owner);
  expect(owner === 0).toBe(false);
  if (me !== 0) expect(owner).toBe(me);
  await attached.release();
});

test("the server receives none of our secrets and runs in a separate session", { tag: "@release" }, async ({
  place,
}) => {
  const attached = await place.attach();
  const pid = await serverPid(place.data);
  const environment = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0").filter((line) => line !== "");
  expect(environment.map((line) => line.split("=")[0]).sort()).toEqual(["LC_ALL", "PATH", "TZ"]);
  const [, , group, session] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  expect([group, session]).toEqual([String(pid), String(pid)]);
  await attached.release();
});

test("neither the log nor any argument holds the password, a statement or a value", { tag: "@release" }, async ({
  place,
}) => {
  const attached = await place.attach();
  const { password } = new URL(attached.url);
  await query(attached.url, "CREATE TABLE named (name text PRIMARY KEY)");
  await query(attached.url, "INSERT INTO named VALUES ($1)", ["value-of-ours"]);
  for (const values of [["value-of-ours"]]) {
    await expect(
      query(attached.url, "INSERT INTO named VALUES ($1) /* statement-of-ours */", values),
    ).rejects.toThrow();
  }
  await rm(join(place.folder, "postgres-password"));
  const args = await readFile(`/proc/${await serverPid(place.data)}/cmdline`, "utf8");
  await attached.kill();
  const next = await place.attach();
  await next.release();

  const log = await readFile(join(place.folder, "postgres.log"), "utf8");
  expect(log).toContain("duplicate key");
  for (const secret of [password, new URL(next.url).password, "value-of-ours", "statement-of-ours", "SCRAM-SHA"]) {
    expect(log).not.toContain(secret);
    expect(args).not.toContain(secret);
  }
});

test("a wrong password is refused, and the server listens only to this machine", { tag: "@release" }, async ({
  place,
}) => {
  const attached = await place.attach();
  const url = new URL(attached.url);
  url.password = "wrong";
  await expect(query(url.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  const listening = await query(
    attached.url,
    "SELECT name, setting FROM pg_settings WHERE name IN ('listen_addresses', 'unix_socket_directories') ORDER BY name",
  );
  expect(listening).toEqual([
    { name: "listen_addresses", setting: "127.0.0.1" },
    { name: "unix_socket_directories", setting: "" },
  ]);
  await attached.release();
});

test("search ignores case in any script, and commits are durable", {
  tag: "@release",
}, async ({ place }) => {
  const attached = await place.attach();
  const found = await query(
    attached.url,
    "SELECT 'Überraschung ЖУК ÉCOLE' ILIKE ALL (ARRAY['%üBER%', '%жук%', '%école%']) AS found",
  );
  expect(found).toEqual([{ found: true }]);
  const kept = await query(
    attached.url,
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, current_setting('server_encoding') AS encoding",
  );
  expect(kept).toEqual([{ fsync: "on", commit: "on", encoding: "UTF8" }]);
  await attached.release();
});
