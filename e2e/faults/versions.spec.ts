import pg from "pg";
import { examine } from "@/lib/doctor/examine";
import { insertApiToken } from "../fixtures/api-token";
import { expect, test } from "../fixtures/own-service";

test("the doctor reports instances of other versions on the same database", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: "9".repeat(64) };
  const token = await insertApiToken(settings);
  const service = await start(settings);
  const found = async () => {
    const findings = await examine(new URL(service.url), token);
    return findings.find(({ name }) => name === "instances");
  };
  expect(await found()).toMatchObject({ state: "good" });
  // Sessions named as by 0.9.0 and by a later release.
  const others = ["user-group-service", "user-group-service 0.9.7", "psql"].map(
    (application_name) => new pg.Client({ connectionString: settings.DATABASE_URL, application_name }),
  );
  await Promise.all(others.map((client) => client.connect()));
  const told = await found();
  expect(told).toMatchObject({ state: "doubtful" });
  expect(told?.says).toContain("0.9.0 and 0.9.7 share the database");
  await Promise.all(others.map((client) => client.end()));
  expect(await found()).toMatchObject({ state: "good" });
});
