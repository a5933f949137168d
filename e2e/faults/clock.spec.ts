import { PRESETS } from "@/lib/authority/scopes";
import { browserOf } from "../fixtures/cookie-client";
import { makeClock } from "../fixtures/drill-places";
import { expect, OWNER, OWNER_SETTINGS, query, SECRET_KEY, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";

/** Both instances have it, and so the same names of cookies. */
const PUBLIC_URL = "http://groups.example.com";
const DAY_MS = 86_400_000;

for (const days of [10, -10]) {
  test(`an instance whose clock is ${days} days off uses the database's clock, like the others`, async ({
    start,
    createDatabase,
    folder,
  }) => {
    const clock = await makeClock(folder);
    test.skip(!clock, "libfaketime is not installed");
    await clock?.set(days);
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, PUBLIC_URL };
    const right = await start({ ...settings, ...OWNER_SETTINGS });
    const wrong = await start({ ...settings, ...clock?.variables });
    const sql = (text: string) => query<Record<string, number>>(settings.DATABASE_URL, text);
    const at = { right: browserOf(right.url, PUBLIC_URL), wrong: browserOf(wrong.url, PUBLIC_URL) };
    const other = { right: at.wrong, wrong: at.right };
    // The first request to a process waits for modules to load.
    for (const browser of Object.values(at)) {
      await expect.poll(async () => (await browser.get("/api/admin/session")).status).toBe(401);
    }

    for (const place of ["right", "wrong"] as const) {
      const browser = at[place];
      expect((await browser.signIn(OWNER)).status, place).toBe(200);
      // A sign-in at one is valid at both, also after the other has seen the session.
      const cookies = [...browser.cookies];
      const elsewhere = browserOf(place === "right" ? wrong.url : right.url, PUBLIC_URL);
      for (const [name, value] of cookies) elsewhere.cookies.set(name, value);
      for (let n = 0; n < 2; n++) {
        expect((await elsewhere.get("/api/admin/session")).status, place).toBe(200);
        expect((await browser.get("/api/admin/session")).status, place).toBe(200);
      }
      expect((await browser.get("/api/admin/account")).json.account.sessions.length, place).toBeGreaterThan(0);

      const email = `${place}@example.com`;
      const invited = await browser.post("/api/admin/members/invites", { email, role: "viewer" });
      expect(invited.status, invited.text).toBe(200);
      expect(
        (await browser.get("/api/admin/members")).json.invites.map((one: { email: string }) => one.email),
      ).toContain(email);
      const found = await other[place].lookUp(invited.json.link);
      expect(found.status, found.text).toBe(200);
      const accepted = await other[place].accept(invited.json.link, { name: "New", password: "a password of theirs" });
      expect(accepted.status, accepted.text).toBe(200);
    }

    const expiresAt = new Date(Date.now() + 2 * DAY_MS).toISOString();
    const made = await at.wrong.post("/api/admin/api-tokens", {
      name: "short",
      scopes: [...PRESETS["read-only"]],
      expiresAt,
    });
    expect(made.status, made.text).toBe(200);
    const passed = new Date(Date.now() - DAY_MS).toISOString();
    const refused = await at.wrong.post("/api/admin/api-tokens", {
      name: "over",
      scopes: [...PRESETS["read-only"]],
      expiresAt: passed,
    });
    expect(refused.status, refused.text).toBe(422);
    const listed = await at.wrong.get("/api/admin/api-tokens");
    expect(listed.json.apiTokens.find(({ name }: { name: string }) => name === "short")).toMatchObject({
      state: "valid",
    });
    const { stdout } = await command(["api-token", "create", "--name", "cli", "--expires", "1d"], {
      ...settings,
      ...clock?.variables,
    });
    expect(stdout).toMatch(/^uga_/);

    // All stored times are from the same day.
    const [stored] = await sql(`
      SELECT (SELECT count(*)::int FROM session WHERE expires_at NOT BETWEEN now() + '6.9 days' AND now() + '7.1 days') AS sessions,
        (SELECT count(*)::int FROM one_time_link WHERE expires_at NOT BETWEEN now() + '6.9 days' AND now() + '7.1 days') AS links,
        (SELECT count(*)::int FROM api_token WHERE expires_at NOT BETWEEN now() + '0.9 days' AND now() + '2.1 days') AS tokens,
        (SELECT count(*)::int FROM audit_entry WHERE at NOT BETWEEN now() - interval '1 hour' AND now() + interval '1 hour') AS entries,
        (SELECT count(*)::int FROM (SELECT created_at FROM member UNION ALL SELECT created_at FROM session
           UNION ALL SELECT created_at FROM api_token UNION ALL SELECT created_at FROM one_time_link
           UNION ALL SELECT used_at FROM one_time_link) AS all_of_them (at)
         WHERE at NOT BETWEEN now() - interval '1 hour' AND now() + interval '1 hour') AS rows`);
    expect(stored).toEqual({ sessions: 0, links: 0, tokens: 0, entries: 0, rows: 0 });

    // Sign-ins are blocked for no longer than the limit's minute.
    const guesser = browserOf(wrong.url, PUBLIC_URL);
    // An attempt without a password also counts, and is fast.
    for (let n = 0; n < 20; n++) await guesser.post("/api/auth/sign-in/email");
    const limited = await guesser.signIn(OWNER);
    expect(limited.status, limited.text).toBe(429);
    expect(Number(limited.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(limited.headers["retry-after"])).toBeLessThanOrEqual(60);
    for (const { url } of [right, wrong]) expect((await browserOf(url, PUBLIC_URL).signIn(OWNER)).status).toBe(200);
  });
}
