import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "../fixtures/api";
import { secretsIn } from "../fixtures/log-search";

// global-setup.ts searches the logs of the whole run at its end; this shows that the search works.

test("a secret in a log is found and not repeated", async ({ stage }) => {
  const folder = await mkdtemp(path.join(tmpdir(), "user-groups-log-search-"));
  const { testing } = stage.tokens;
  const lines = [
    '{"level":30,"method":"GET","path":"/api/user","status":200}',
    `{"msg":"${testing}"}`,
    `{"path":"/x/ugt_${"a".repeat(43)}000000"}`,
    `{"key":"${stage.secretKey}"}`,
    `{"url":"${stage.databaseUrl}"}`,
    `{"headers":{"authorization":"Token x"}}`,
  ];
  await writeFile(path.join(folder, "service.log"), lines.join("\n"));
  const found = await secretsIn(folder);
  expect(found).toHaveLength(5);
  for (const secret of [testing, "a".repeat(43), stage.secretKey, new URL(stage.databaseUrl).password]) {
    expect(found.join("\n")).not.toContain(secret);
  }
  await rm(folder, { recursive: true });
});
