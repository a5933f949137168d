// Makes the user groups of an environment those of a table of customers: creates, changes, suspends and deletes.
// USER_GROUPS_URL, USER_GROUPS_API_TOKEN and DATABASE_URL say where; README.md says how.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const {
  USER_GROUPS_URL = "http://localhost:3000",
  USER_GROUPS_API_TOKEN,
  DATABASE_URL,
  MAX_DELETIONS = "5%",
} = process.env;
/** Bytes of each piece of a file but the last. */
const PIECE_BYTES = 180_000;
const CUSTOMERS_AT_ONCE = 1_000;
const LOOK_MS = 200;
const ATTEMPTS = 5;
/** Simultaneous calls to suspend and resume. */
const LANES = 4;

interface Customer {
  id: number;
  name: string;
  plan: string;
  seats: number;
  status: "active" | "suspended";
}

interface Import {
  id: number;
  state: "uploading" | "checking" | "checked" | "applying" | "done" | "cancelled" | "failed";
  problem: string | null;
  planned: { create: number; change: number; same: number; delete: number; error: number };
  done: { created: number; changed: number; deleted: number; skipped: number };
}

const groupOf = (id: number) => `customer_${id}`;

/** Calls the service; waits and tries again while it is busy or away. Each of these calls can be sent twice. */
async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${USER_GROUPS_URL}${path}`, {
      method,
      headers: {
        Authorization: `Token ${USER_GROUPS_API_TOKEN}`,
        ...(body && { "Content-Type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return (await response.json()) as Answer;
    const retryAfter = Number(response.headers.get("retry-after") ?? 0);
    if (retryAfter === 0 || attempt === ATTEMPTS) {
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    }
    await sleep(retryAfter * 1_000);
  }
}

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

/** Waits until the service has left this state. */
async function settle(id: number, state: Import["state"]): Promise<Import> {
  for (;;) {
    const { import: found } = await call<{ import: Import }>("GET", `/api/imports/${id}`);
    if (found.state === "failed" || found.state === "cancelled") {
      throw new Error(`The import was not finished: ${found.problem ?? found.state}`);
    }
    if (found.state !== state) return found;
    await sleep(LOOK_MS);
  }
}

/** Has the service compare the file with its groups, and carries out the differences. */
async function importFile(file: Buffer) {
  const { import: created } = await call<{ import: Import }>("POST", "/api/imports", {
    file_name: "customers.jsonl",
    bytes: file.length,
    mode: "sync",
    max_deletions: MAX_DELETIONS,
  });
  const path = `/api/imports/${created.id}`;
  for (let n = 0; n * PIECE_BYTES < file.length; n++) {
    const content = file.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES).toString("base64");
    await call("PUT", `${path}/pieces/${n}`, { content });
  }
  const { planned } = await settle(created.id, "checking");
  const isNothing = planned.create + planned.change + planned.delete === 0;
  try {
    if (!isNothing) await call("POST", `${path}/apply`, {});
  } catch (error) {
    const { import: found } = await call<{ import: Import }>("GET", path);
    // Otherwise it was applied, and the answer was lost.
    if (found.state === "checked") {
      await call("POST", `${path}/cancel`, {});
      throw error;
    }
  }
  if (isNothing) await call("POST", `${path}/cancel`, {});
  const {
    created: made,
    changed,
    deleted,
    skipped,
  } = isNothing ? created.done : (await settle(created.id, "applying")).done;
  return { created: made, changed, deleted, skipped, errors: planned.error };
}

/** Suspends and resumes the groups whose customers have another status than the service was last told. */
async function applyStatus(database: pg.Pool) {
  // A deleted group is gone with its suspension.
  await database.query("UPDATE customers SET suspended_group = false WHERE deleted_at IS NOT NULL AND suspended_group");
  const { rows } = await database.query<Pick<Customer, "id" | "status">>(
    "SELECT id, status FROM customers WHERE deleted_at IS NULL AND (status = 'suspended') <> suspended_group ORDER BY id",
  );
  const counts = { suspended: 0, resumed: 0 };
  const change = async ({ id, status }: Pick<Customer, "id" | "status">) => {
    const isSuspended = status === "suspended";
    const body = { user_group_id: groupOf(id), ...(isSuspended && { reason: "Suspended in the application" }) };
    await call("POST", `/api/user-groups/${isSuspended ? "suspend" : "resume"}`, body);
    await database.query("UPDATE customers SET suspended_group = $2 WHERE id = $1", [id, isSuspended]);
    counts[isSuspended ? "suspended" : "resumed"]++;
  };
  const lane = async () => {
    for (let next = rows.pop(); next; next = rows.pop()) await change(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return counts;
}

if (!USER_GROUPS_API_TOKEN) throw new Error("Set USER_GROUPS_API_TOKEN.");
const database = new pg.Pool({ connectionString: DATABASE_URL });
try {
  const groups = await importFile(await fileOf(database));
  const counts = { ...groups, ...(await applyStatus(database)) };
  const said = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  process.stdout.write(`${said.join(", ")}\n`);
  if (counts.errors > 0 || counts.skipped > 0) process.exitCode = 1;
} finally {
  await database.end();
}
