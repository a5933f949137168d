import { expect, test } from "vitest";
import { version } from "@/lib/config/version";
import { sessionName, versionIn } from "@/lib/db/session-name";

test.each([
  [sessionName(), version()],
  ["user-group-service", "0.9.0"],
  ["user-group-service 1.2.3-rc.1", "1.2.3-rc.1"],
  ["user-group-service migrate", undefined],
  ["user-group-service attached", undefined],
  ["psql", undefined],
])("sessions named %j are of version %j", (name, said) => {
  expect(versionIn(name)).toBe(said);
});
