import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { SCOPES, type Scope } from "@/lib/authority/scopes";
import { adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { dryRun, settled } from "../fixtures/jobs";

const PATIENCE_MS = 10_000;
const line = (id: string) => `{"user_group_id":"${id}"}\n`;

/** Resets an import to before its check ended, then ends the check between the reads and the write of an apply. */
async function whileItIsChecked<T>(
  { databaseUrl, database }: { databaseUrl: string; database: Database },
  id: number,
  apply: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query("SELECT *, pg_backend_pid() AS pid FROM job WHERE id = $1", [id]);
  const [{ pid, creates, deletes, existing, unnamed }] = rows;
  await client.query(
    `UPDATE job SET state = 'checking', creates = 0, deletes = 0, existing = 0, unnamed = 0,
       leased_by = gen_random_uuid(), leased_until = now() + interval '1 minute' WHERE id = $1`,
    [id],
  );
  await client.query("BEGIN");
  // Blocks writes and row locks, but no reads.
  await client.query("LOCK TABLE job IN EXCLUSIVE MODE");
  const answer = apply();
  const waiting = `SELECT FROM pg_stat_activity
    WHERE $1::int = ANY (pg_blocking_pids(pid)) AND query LIKE '%environment_id = $1 AND id = $2%'`;
  for (const end = Date.now() + PATIENCE_MS; (await database.query(waiting, [pid])).length === 0; await sleep(5)) {
    expect(Date.now(), "nobody applies it").toBeLessThan(end);
  }
  await client.query(
    "UPDATE job SET state = 'checked', creates = $2, deletes = $3, existing = $4, unnamed = $5, leased_by = NULL WHERE id = $1",
    [id, creates, deletes, existing, unnamed],
  );
  await client.query("COMMIT");
  await client.end();
  return answer;
}

const CASES: [
  what: string,
  file: string,
  max_deletions: string,
  scopes: readonly Scope[],
  refusal: [number, string],
][] = [
  ["more deletions than max_deletions", line("a"), "5%", SCOPES, [409, "too_many_deletions"]],
  ["an empty file", "", "100%", SCOPES, [409, "too_many_deletions"]],
  ["a row without a valid id", `${line("a")}{"name":"b"}\n`, "100%", SCOPES, [409, "conflict"]],
  [
    "a creation without groups:create",
    `${line("a")}${line("b")}${line("new")}`,
    "5%",
    ...([
      ["groups:read", "groups:write", "groups:delete"],
      [403, "forbidden"],
    ] satisfies [Scope[], [number, string]]),
  ],
];

for (const [what, file, max_deletions, scopes, refusal] of CASES) {
  test(`${what} is refused even if the check ends only as the import is applied`, async ({ database, stage }) => {
    const client = await adminElsewhere(database);
    for (const id of ["a", "b"]) await makeGroup(client, id);
    const { id } = await dryRun(client, file, "x.jsonl", { mode: "sync", max_deletions });
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    const token = await insertApiToken(settings, { environment: client.environment, scopes });
    const answer = await whileItIsChecked({ databaseUrl: stage.databaseUrl, database }, id, () =>
      call("POST", `/api/jobs/${id}/apply`, { token, body: {} }),
    );
    expectError(answer, ...refusal);
    expect((await settled(client, id)).state).toBe("checked");
    const { json } = await client.groups("");
    expect(json.user_groups.map(({ provided_id }: { provided_id: string }) => provided_id)).toEqual(["a", "b"]);
  });
}
