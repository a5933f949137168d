import { readFile } from "node:fs/promises";
import { expectError } from "../fixtures/api";
import { browserOf, tokenOf } from "../fixtures/cookie-client";
import { expect, query, test } from "../fixtures/own-service";
import type { ServiceProcess } from "../fixtures/service-process";

const OWNER = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
const SECRET_KEY = "ef".repeat(32);

/** The set-up link printed by a service. */
async function printedLink({ said }: ServiceProcess): Promise<string> {
  const link = () => /^http\S+\/welcome#ugl_[0-9A-Za-z]{49}$/m.exec(said())?.[0];
  await expect.poll(link, said()).toBeDefined();
  return link() ?? "";
}

test("each start prints a link until the first owner has used one, then no more", { tag: "@release" }, async ({
  start,
  dataDir,
}) => {
  const first = await start({ DATA_DIR: dataDir });
  const older = await printedLink(first);
  await first.stop();

  const second = await start({ DATA_DIR: dataDir });
  const link = await printedLink(second);
  expect(link).toContain(`${second.url}/welcome#`);
  const browser = browserOf(second.url);
  expect((await browser.get("/api/sign-in-options")).json.setUp).toBe(false);
  expectError(await browser.lookUp(older), 404, "not_found");
  const found = await browser.lookUp(link);
  expect(found.json.link).toEqual({ purpose: "setup", email: null, name: null, role: null });
  for (const missing of ["name", "email", "password"] as const) {
    const { [missing]: _, ...fields } = OWNER;
    expectError(await browser.accept(link, fields), 422, "invalid_fields");
  }
  expectError(await browser.accept(link, { ...OWNER, password: "p".repeat(11) }), 422, "invalid_fields");
  expectError(await browser.accept(older, OWNER), 404, "not_found");
  expect((await browser.accept(link, OWNER)).json).toEqual({ success: 1, email: OWNER.email });
  expectError(await browser.accept(link, { ...OWNER, email: "eve@example.com" }), 404, "not_found");
  expect((await browser.get("/api/sign-in-options")).json.setUp).toBe(true);
  expect((await browser.signIn(OWNER)).status).toBe(200);
  expect((await browser.get("/api/admin/account")).json.account).toMatchObject({ name: "Ada", role: "owner" });
  await second.stop();
  const log = await readFile(second.log, "utf8");
  for (const secret of [tokenOf(link), OWNER.password, ...browser.cookies.values()]) expect(log).not.toContain(secret);

  const third = await start({ DATA_DIR: dataDir });
  await expect.poll(third.said).toContain("./user-groups api-token");
  await third.stop();
  expect(third.said()).not.toContain("ugl_");
});

test("an external database is also set up by a link, and one of two concurrent users becomes the owner", async ({
  start,
  createDatabase,
}) => {
  const DATABASE_URL = await createDatabase("empty");
  const PUBLIC_URL = "https://groups.example.com";
  const service = await start({ DATABASE_URL, SECRET_KEY, PUBLIC_URL });
  const link = await printedLink(service);
  expect(link).toContain(`${PUBLIC_URL}/welcome#`);
  expect(service.said()).toContain("with the same DATABASE_URL and SECRET_KEY set:\n./user-groups api-token create");
  const attempts = ["ada@example.com", "eve@example.com"].map((email) =>
    browserOf(service.url, PUBLIC_URL).accept(link, { ...OWNER, email }),
  );
  expect((await Promise.all(attempts)).map(({ status }) => status).sort()).toEqual([200, 404]);
  expect(await query(DATABASE_URL, "SELECT role FROM member")).toEqual([{ role: "owner" }]);
});

test("variables create the first owner instead: no link is printed, and earlier links stop working", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const before = await start(settings);
  const link = await printedLink(before);
  const { email: ADMIN_EMAIL, password: ADMIN_PASSWORD } = OWNER;
  const guessed = await start({ ...settings, ADMIN_EMAIL, ADMIN_PASSWORD: "Password1234" }, { until: "spawned" });
  expect(await guessed.exited).toBe(1);
  expect(guessed.said()).toMatch(/^ADMIN_PASSWORD is easy to guess: .*\.$/m);
  const service = await start({ ...settings, ADMIN_EMAIL, ADMIN_PASSWORD });
  await expect.poll(service.said).toContain("./user-groups api-token");
  expectError(await browserOf(before.url).accept(link, { ...OWNER, email: "eve@example.com" }), 404, "not_found");
  expect((await browserOf(service.url).signIn(OWNER)).status).toBe(200);
  await service.stop();
  expect(service.said()).not.toContain("ugl_");
});
