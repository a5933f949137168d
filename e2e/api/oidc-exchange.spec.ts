import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { browserOf } from "../fixtures/cookie-client";
import {
  begin,
  expect,
  type Site,
  shownTo,
  signInWith,
  startSite,
  test,
  verifiedMember,
} from "../fixtures/single-sign-on";

const BOTH = ["client_secret_basic", "client_secret_post"];
const isIn = (location: string) => expect(location).toMatch(/\/testing\/groups$/);

test.describe("a provider that accepts the client secret in both ways", () => {
  // One service for all: each test signs in a different member.
  let site: Site;
  test.beforeAll(async () => {
    site = await startSite({ authMethods: BOTH });
  });
  test.afterAll(() => site.stop());

  /** Marks the end of the log; the returned function reads what was added since. */
  async function logFromNow() {
    const before = (await readFile(site.service.log, "utf8")).length;
    return async () => (await readFile(site.service.log, "utf8")).slice(before);
  }

  for (const [what, refusals, sentence] of [
    ["a wrong client secret", ["invalid_client"], /client ID or secret/],
    ["a wrong client secret that uses up the code", ["invalid_client", "invalid_grant"], /client ID or secret/],
    ["an expired code", ["invalid_grant"], /no longer accepted.*Try again/],
    ["anything else", ["server_error"], /reason is in the log/],
  ] as const) {
    test(`the token endpoint's refusal of ${what} is explained and logged`, async () => {
      const readLog = await logFromNow();
      const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = site.provider.settings;
      const encoded = encodeURIComponent(secret);
      const pair = Buffer.from(`${id}:${secret}`).toString("base64");
      const error_description = `the secret ${secret} (${encoded}, ${pair}) of ada@example.com${"!".repeat(200_000)}`;
      const refused = await signInWith(
        site,
        { sub: randomUUID() },
        { refusals: refusals.map((error) => ({ error, error_description })) },
      );
      expect(refused.location).toContain("/sign-in?error=invalid_code");
      expect(shownTo(refused).sentence).toMatch(sentence);
      for (const error of refusals) {
        await expect.poll(readLog).toContain(error);
        const line = (await readLog()).split("\n").find((line) => line.includes(error)) ?? "{}";
        expect(JSON.parse(line).reason).toMatch(new RegExp(`^400 ${error}: the secret … \\(…, …\\) of …`));
      }
      await expect.poll(readLog).toContain("single sign-on was refused");
      for (const one of [secret, encoded, pair]) expect(await readLog()).not.toContain(one);
    });
  }

  test("a response from another issuer is refused, and the log names both", async () => {
    const readLog = await logFromNow();
    const browser = browserOf(site.service.url);
    const begun = await begin(browser);
    const back = site.provider.grant(begun.json.url, { sub: randomUUID() });
    const { headers } = await browser.get(`${back}&iss=https://evil.example`);
    expect(String(headers.location)).toContain("/sign-in?error=");
    await expect
      .poll(readLog)
      .toContain(`expected ${site.provider.settings.OIDC_ISSUER}, received https://evil.example`);
  });

  test("a member signs in through a provider that takes several seconds for each answer", async () => {
    const { email } = await verifiedMember(site.database);
    const sub = randomUUID();
    for (const path of ["/token", "/userinfo"]) site.provider.delay(path, 4_000);
    const { location } = await signInWith(site, { sub }, { userInfo: { sub, email, email_verified: true } });
    for (const path of ["/token", "/userinfo"]) site.provider.delay(path, 0);
    isIn(location);
  });
});

test.describe("a provider that lists both ways, with a client registered for client_secret_post", () => {
  test.use({ providerOptions: { authMethods: BOTH } });

  test("is called in the way that worked before", async ({ provider, service, database }) => {
    const claims = { sub: randomUUID(), email: (await verifiedMember(database)).email, email_verified: true };
    for (let time = 0; time < 2; time++) {
      isIn((await signInWith({ provider, service }, claims, { clientAuth: "client_secret_post" })).location);
    }
    expect(provider.clientAuths).toEqual(["client_secret_basic", "client_secret_post", "client_secret_post"]);
    isIn((await signInWith({ provider, service }, claims, { clientAuth: "client_secret_basic" })).location);
  });
});
