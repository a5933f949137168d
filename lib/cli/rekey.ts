import type { QueryResultRow } from "pg";
import { authPrefix, sealAnew } from "@/lib/auth/seal";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { apiTokenIndex, bindingOf, GRANT, isBound, openDigest, sealDigest } from "@/lib/crypto/api-token";
import { currentKey, isSealedUnder, open, seal, sealPrefix, viewerHashKey } from "@/lib/crypto/keyring";
import { sealViewersKey } from "@/lib/crypto/viewer-key";
import { sharedPool, transaction } from "@/lib/db/pool";
import { StartError } from "@/lib/errors";
import { answerContext } from "@/lib/groups/idempotency";
import { type Resealable, resealGroups, sealedGroups } from "@/lib/store/reseal";
import { keyContext } from "@/lib/viewer-tokens/key";
import { secretContext } from "@/lib/webhooks/signature";

const BATCH = 500;

/** A table with sealed values. */
interface Sealed {
  what: string;
  table: string;
  /** the sealed columns, and those that depend on them */
  columns: string[];
  /** other columns that `renew` reads; the first also names the row in an error */
  reads: string[];
  /** SQL condition of the rows that are not sealed under the current key */
  isOld(): string;
  /** seals the columns under the current key */
  renew(row: QueryResultRow): Promise<unknown[]>;
}

const isOld = (column: string) => `substr(${column}, 1, 5) <> '\\x${sealPrefix().toString("hex")}'`;

/** A table whose columns are each sealed with their row as context. */
const sealedFor = (
  table: Pick<Sealed, "what" | "table" | "columns" | "reads">,
  contextOf: (row: QueryResultRow) => Buffer,
): Sealed => ({
  ...table,
  isOld: () => table.columns.map(isOld).join(" OR "),
  renew: async (row) =>
    table.columns.map((column) => row[column] && seal(open(row[column], contextOf(row)), contextOf(row))),
});

const TABLES: Sealed[] = [
  {
    what: "API tokens",
    table: "api_token",
    columns: ["digest_sealed", "binding", "token_index"],
    reads: ["id", "environment_id", `${GRANT} AS grant`],
    isOld: () => isOld("digest_sealed"),
    async renew(row) {
      const digest = openDigest(row.digest_sealed);
      const index = apiTokenIndex(digest);
      const bound = { environmentId: row.environment_id, grant: row.grant };
      // A row altered in SQL stays refused.
      const isAsMade = row.binding && isBound(row.token_index, bound, row.binding);
      return [sealDigest(digest), isAsMade ? bindingOf(index, bound) : row.binding, index];
    },
  },
  sealedFor(
    { what: "remembered answers", table: "idempotency_key", columns: ["answer_sealed"], reads: ["actor", "key"] },
    (row) => answerContext({ actor: row.actor, key: row.key }),
  ),
  {
    what: "second factors",
    table: "two_factor",
    columns: ["secret", "backup_codes"],
    reads: ["id"],
    isOld: () => ["secret", "backup_codes"].map((one) => `NOT starts_with(${one}, '${authPrefix()}')`).join(" OR "),
    renew: (row) => Promise.all([sealAnew(row.secret), sealAnew(row.backup_codes)]),
  },
  sealedFor(
    { what: "viewer keys", table: "viewer_key", columns: ["private_sealed"], reads: ["kid", "environment_id"] },
    (row) => keyContext(row.environment_id, row.kid),
  ),
  sealedFor(
    {
      what: "webhooks' secrets",
      table: "webhook",
      columns: ["secret_sealed", "previous_secret_sealed"],
      reads: ["id"],
    },
    (row) => secretContext(row.id),
  ),
];

await runCommand({
  usage: `Usage:  ./user-groups rekey
Re-encrypts everything sealed under PREVIOUS_SECRET_KEY with SECRET_KEY, while the service runs. Safe to repeat.`,
  parse: withoutArguments(rekey),
});

/** Re-seals everything from PREVIOUS_SECRET_KEY to SECRET_KEY while the service runs; then forgets the old key. */
async function rekey(): Promise<string> {
  const passes: { what: string; pass: () => Promise<number> }[] = [
    { what: "user group tokens", pass: () => passGroups("user_group") },
    ...TABLES.map((table) => ({ what: table.what, pass: () => pass(table) })),
    // After the groups: a rotation moves a token from there to here as it is sealed.
    { what: "previous tokens", pass: () => passGroups("previous_token") },
    { what: "tokens of recently deleted groups", pass: () => passGroups("deleted_group") },
  ];
  const totals = passes.map(() => 0);
  // Another instance may seal with the old key or move rows between tables, so repeat until nothing is found.
  for (let found = 1; found > 0; ) {
    found = 0;
    for (const [index, { pass }] of passes.entries()) {
      const renewed = await pass();
      totals[index] = (totals[index] ?? 0) + renewed;
      found += renewed;
    }
  }
  const counts = passes.map(({ what }, index) => `${totals[index]} ${what}`);
  await transaction(async (client) => {
    await client.query("DELETE FROM secret_key");
    // Stored again: from now on, only this key makes the history's token fingerprints.
    const values = [currentKey().id.toString("hex"), sealViewersKey(viewerHashKey())];
    await client.query("INSERT INTO secret_key (id, viewers_sealed) VALUES ($1, $2)", values);
  });
  return `Sealed again, under SECRET_KEY: ${counts.join(", ")}. PREVIOUS_SECRET_KEY is no longer needed.\n`;
}

async function passGroups(table: Resealable): Promise<number> {
  let renewed = 0;
  for (let after = 0; ; ) {
    const rows = await sealedGroups(sharedPool(), table, { after, most: BATCH });
    const old = rows.filter(({ token_sealed }) => !isSealedUnder(token_sealed, currentKey().id));
    if (old.length > 0) await resealGroups(sharedPool(), table, old);
    renewed += old.length;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return renewed;
    after = last.team_id;
  }
}

/** Renews a table's rows. The next pass finds rows that were changed in the meantime. */
async function pass(table: Sealed): Promise<number> {
  const { columns, reads, isOld } = table;
  const select = `SELECT ctid, ${[...columns, ...reads]} FROM ${table.table} t WHERE ${isOld()} LIMIT ${BATCH}`;
  for (let renewed = 0; ; ) {
    const { rows } = await transaction((client) => client.query(select), "BEGIN; SET LOCAL statement_timeout = 0");
    if (rows.length > 0) await write(table, rows);
    renewed += rows.length;
    if (rows.length < BATCH) return renewed;
  }
}

/** Writes in one statement: with many remembered answers, a commit for each row would take minutes. */
async function write({ what, table, columns, reads, renew }: Sealed, rows: QueryResultRow[]) {
  const renewed: unknown[][] = [];
  for (const row of rows) {
    const values = await renew(row).catch((cause: Error) => {
      const place = reads[0] && row[reads[0]];
      throw new StartError(`Cannot re-seal row ${place} of the ${what}: ${cause.message}.`, { cause });
    });
    renewed.push([row.ctid, ...values, ...columns.map((column) => row[column])]);
  }
  const type = typeof renewed[0]?.[1] === "string" ? "text" : "bytea";
  const names = ["place", ...columns, ...columns.map((column) => `was_${column}`)];
  await sharedPool().query(
    `UPDATE ${table} t SET ${columns.map((column) => `${column} = u.${column}`)}
     FROM unnest(${names.map((_, at) => `$${at + 1}::${at === 0 ? "tid" : type}[]`)}) AS u(${names})
     WHERE t.ctid = ANY ($1) AND t.ctid = u.place
       AND ${columns.map((column) => `t.${column} IS NOT DISTINCT FROM u.was_${column}`).join(" AND ")}`,
    names.map((_, at) => renewed.map((values) => values[at])),
  );
}
