import { nextAloneClone, startNext } from "../fixtures/next-alone";
import { expect, SECRET_KEY, test } from "../fixtures/own-service";
import { freePort } from "../fixtures/service-process";

test("Next alone exits with a reason if it cannot serve, and otherwise protects every page", async ({
  createDatabase,
}) => {
  const clone = await nextAloneClone();
  const good = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const away = `postgresql://nobody@127.0.0.1:${await freePort()}/none`;
  const refused: [Record<string, string>, RegExp][] = [
    [{ ...good, TRUSTED_PROXIES: "0" }, /requires TRUSTED_PROXIES of at least 1/],
    [{ DATABASE_URL: good.DATABASE_URL }, /requires DATABASE_URL and SECRET_KEY/],
    [{ ...good, DATABASE_URL: await createDatabase("empty") }, /Run `\.\/user-groups migrate` first/],
    [{ ...good, DATABASE_URL: away }, /The database cannot be used: connect ECONNREFUSED/],
    [{ ...good, API_TOKEN: "x".repeat(40) }, /ignores API_TOKEN.*\.\/user-groups api-token/s],
  ];
  for (const [settings, reason] of refused) {
    const service = await startNext(clone, settings, { until: "spawned" });
    expect(await service.exited, service.said()).toBe(1);
    expect(service.said()).toMatch(reason);
  }

  const service = await startNext(clone, good);
  for (const path of ["/sign-in", "/healthzz/groups", "/metrics-eu/groups", "/openapixjson", "/api/none"]) {
    const { headers } = await fetch(service.url + path, { redirect: "manual" });
    expect(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
    expect(headers.get("x-content-type-options"), path).toBe("nosniff");
  }
  for (const path of ["/sign-in", "/icon.svg"]) {
    const { status, headers } = await fetch(service.url + path, { method: "POST" });
    expect([status, headers.get("allow")], path).toEqual([405, "GET, HEAD"]);
  }
  for (const path of ["/healthz", "/readyz", "/openapi.json"]) {
    expect((await fetch(service.url + path)).status, path).toBe(200);
  }
  service.killGroup("SIGTERM");
  await service.exited;
});

test("Next alone refuses a build for the front door", async ({ createDatabase }) => {
  const service = await startNext(
    process.cwd(),
    { DATABASE_URL: await createDatabase(), SECRET_KEY },
    { until: "spawned" },
  );
  expect(await service.exited).not.toBe(0);
  expect(service.said()).toContain("This build was made without NEXT_ALONE=true");
});
