// Makes the user groups of an environment those of a table of customers: creates, changes, suspends and deletes.
// USER_GROUPS_URL, USER_GROUPS_API_TOKEN and DATABASE_URL say where; README.md says how.
import { type JobAnswer, UserGroupsClient } from "@user-groups/client";
import pg from "pg";

const {
  USER_GROUPS_URL = "http://localhost:3000",
  USER_GROUPS_API_TOKEN,
  DATABASE_URL,
  MAX_DELETIONS = "5%",
} = process.env;
const CUSTOMERS_AT_ONCE = 1_000;
/** Milliseconds for a call with its repetitions. */
const DEADLINE = 60_000;
/** Simultaneous calls to suspend and resume. */
const LANES = 4;

interface Customer {
  id: number;
  name: string;
  plan: string;
  seats: number;
  status: "active" | "suspended";
}

const groupOf = (id: number) => `customer_${id}`;

/** The living customers as JSON lines, a user group on each. */
async function fileOf(database: pg.Pool): Promise<Buffer> {
  const lines: string[] = [];
  for (let after = 0, isMore = true; isMore; ) {
    const { rows } = await database.query<Customer>(
      `SELECT id, name, plan, seats, status FROM customers WHERE deleted_at IS NULL AND id > $1 ORDER BY id LIMIT ${CUSTOMERS_AT_ONCE}`,
      [after],
    );
    for (const { id, name, plan, seats } of rows) {
      lines.push(`${JSON.stringify({ user_group_id: groupOf(id), name, properties: { plan, seats } })}\n`);
    }
    after = rows.at(-1)?.id ?? after;
    isMore = rows.length === CUSTOMERS_AT_ONCE;
  }
  return Buffer.from(lines.join(""));
}

/** An import that has reached a state. */
function reached(state: "checked" | "done", { job: found }: JobAnswer) {
  if (found.state === state) return found;
  throw new Error(`The import was not finished: ${found.problem ?? found.state}`);
}

/** Has the service compare the file with its groups, and carries out the differences. */
async function importFile({ jobs }: UserGroupsClient, file: Buffer) {
  const max_deletions = MAX_DELETIONS.endsWith("%") ? MAX_DELETIONS : Number(MAX_DELETIONS);
  const about = { file_name: "customers.jsonl", mode: "sync", max_deletions } as const;
  // An API token may have two open jobs: an interrupted run leaves one.
  for (const { id, name, state } of (await jobs.list()).jobs) {
    if (name === about.file_name && (state === "receiving" || state === "checked")) await jobs.cancel(id);
  }
  const { id, planned, done } = reached("checked", await jobs.upload(file, about));
  const isNothing = planned.create + planned.change + planned.delete === 0;
  try {
    if (!isNothing) await jobs.apply(id);
  } catch (error) {
    const { job: found } = await jobs.get(id);
    // Otherwise it was applied, and the answer was lost.
    if (found.state === "checked") {
      await jobs.cancel(id);
      throw error;
    }
  }
  if (isNothing) await jobs.cancel(id);
  const { created, changed, deleted, skipped } = isNothing ? done : reached("done", await jobs.wait(id)).done;
  return { created, changed, deleted, skipped, errors: planned.error };
}

/** Suspends the groups of suspended customers, and resumes those it suspended before whose customers are active again. */
async function applyStatus(userGroups: UserGroupsClient, database: pg.Pool) {
  // A deleted group is gone with its suspension.
  await database.query("UPDATE customers SET suspended_group = false WHERE deleted_at IS NOT NULL AND suspended_group");
  const suspended = new Set<string>();
  for await (const group of userGroups.iterate({ state: "suspended" })) suspended.add(group.provided_id);
  const { rows: customers } = await database.query<Pick<Customer, "id" | "status">>(
    "SELECT id, status FROM customers WHERE deleted_at IS NULL AND (status = 'suspended' OR suspended_group) ORDER BY id",
  );
  // The service knows best: a suspended group may have been deleted, and created again by this program, active.
  const rows = customers.filter(({ id, status }) => status === "active" || !suspended.has(groupOf(id)));
  const counts = { suspended: 0, resumed: 0, failed: 0 };
  const change = async ({ id, status }: Pick<Customer, "id" | "status">) => {
    const isSuspended = status === "suspended";
    if (isSuspended) await userGroups.suspend(groupOf(id), { reason: "Suspended in the application" });
    else await userGroups.resume(groupOf(id));
    await database.query("UPDATE customers SET suspended_group = $2 WHERE id = $1", [id, isSuspended]);
    counts[isSuspended ? "suspended" : "resumed"]++;
  };
  const lane = async () => {
    for (let next = rows.pop(); next; next = rows.pop()) {
      const { id } = next;
      await change(next).catch((error: unknown) => {
        // The next run tries again. The others must not wait for it.
        process.stderr.write(`The status of customer ${id} was not synced: ${error}\n`);
        counts.failed++;
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return counts;
}

if (!USER_GROUPS_API_TOKEN) throw new Error("Set USER_GROUPS_API_TOKEN.");
const userGroups = new UserGroupsClient({
  baseUrl: USER_GROUPS_URL,
  apiToken: USER_GROUPS_API_TOKEN,
  deadline: DEADLINE,
});
const database = new pg.Pool({ connectionString: DATABASE_URL });
try {
  const groups = await importFile(userGroups, await fileOf(database));
  const counts = { ...groups, ...(await applyStatus(userGroups, database)) };
  const said = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  process.stdout.write(`${said.join(", ")}\n`);
  if (counts.errors > 0 || counts.skipped > 0 || counts.failed > 0) process.exitCode = 1;
} finally {
  await database.end();
}
