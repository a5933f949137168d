import type { QueryResultRow } from "pg";
import { isSealedNow, sealAnew } from "@/lib/auth/seal";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { apiTokenIndex, bindingOf, GRANT, isBound, openDigest, sealDigest } from "@/lib/crypto/api-token";
import { currentKey, isSealedUnder, open, seal, viewerHashKey } from "@/lib/crypto/keyring";
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
  /** the columns of its key, in whose order rows are read, and their types */
  key: Record<string, "int" | "text">;
  /** the sealed columns, and those that depend on them */
  columns: string[];
  /** the type of these columns */
  type: "bytea" | "text";
  /** what `renew` reads besides */
  reads: string;
  isCurrent(row: QueryResultRow): boolean;
  /** seals the columns under the current key */
  renew(row: QueryResultRow): unknown[] | Promise<unknown[]>;
}

/** A table whose columns are sealed for a row. */
const sealedFor = (
  { columns, ...table }: Pick<Sealed, "what" | "table" | "key" | "columns"> & { reads?: string },
  contextOf: (row: QueryResultRow) => Buffer,
): Sealed => ({
  reads: "",
  ...table,
  columns,
  type: "bytea",
  isCurrent: (row) => columns.every((column) => row[column] === null || isSealedUnder(row[column], currentKey().id)),
  renew: (row) => columns.map((column) => row[column] && seal(open(row[column], contextOf(row)), contextOf(row))),
});

const TABLES: Sealed[] = [
  {
    what: "API tokens",
    table: "api_token",
    key: { id: "int" },
    type: "bytea",
    columns: ["digest_sealed", "binding", "token_index"],
    reads: `, environment_id, ${GRANT} AS grant`,
    isCurrent: (row) => isSealedUnder(row.digest_sealed, currentKey().id),
    renew(row) {
      const digest = openDigest(row.digest_sealed);
      const index = apiTokenIndex(digest);
      const bound = { environmentId: row.environment_id, grant: row.grant };
      // A row altered in SQL stays refused.
      const isAsMade = row.binding && isBound(row.token_index, bound, row.binding);
      return [sealDigest(digest), isAsMade ? bindingOf(index, bound) : row.binding, index];
    },
  },
  sealedFor(
    {
      what: "remembered answers",
      table: "idempotency_key",
      key: { actor: "text", key: "text" },
      columns: ["answer_sealed"],
    },
    (row) => answerContext({ actor: row.actor, key: row.key }),
  ),
  {
    what: "second factors",
    table: "two_factor",
    key: { id: "text" },
    type: "text",
    reads: "",
    columns: ["secret", "backup_codes"],
    isCurrent: (row) => isSealedNow(row.secret) && isSealedNow(row.backup_codes),
    renew: (row) => Promise.all([sealAnew(row.secret), sealAnew(row.backup_codes)]),
  },
  sealedFor(
    {
      what: "viewer keys",
      table: "viewer_key",
      key: { kid: "text" },
      columns: ["private_sealed"],
      reads: ", environment_id",
    },
    (row) => keyContext(row.environment_id, row.kid),
  ),
  sealedFor(
    {
      what: "webhooks' secrets",
      table: "webhook",
      key: { id: "int" },
      columns: ["secret_sealed", "previous_secret_sealed"],
    },
    (row) => secretContext(row.id),
  ),
];

await runCommand({
  usage: `Usage:  ./user-groups rekey
Re-encrypts everything sealed under PREVIOUS_SECRET_KEY with SECRET_KEY, while the service runs. Safe to repeat.`,
  parse: withoutArguments(rekey),
});

/** Re-seals everything of PREVIOUS_SECRET_KEY under SECRET_KEY while the service runs; then forgets that key. */
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
    // Again: fingerprints of tokens in the history are by this key only from now on.
    const values = [currentKey().id.toString("hex"), sealViewersKey(viewerHashKey())];
    await client.query("INSERT INTO secret_key (id, viewers_sealed) VALUES ($1, $2)", values);
  });
  return `Sealed under SECRET_KEY: ${counts.join(", ")}. PREVIOUS_SECRET_KEY is no longer needed.\n`;
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

async function pass(table: Sealed): Promise<number> {
  const keys = Object.keys(table.key);
  const places = keys.map((_, at) => `$${at + 2}`);
  const read = `
    SELECT ${[...keys, ...table.columns]}${table.reads} FROM ${table.table} t
    WHERE (${keys}) > (${places}) ORDER BY ${keys} LIMIT $1`;
  let renewed = 0;
  let place: unknown[] = Object.values(table.key).map((type) => (type === "int" ? 0 : ""));
  for (;;) {
    const { rows } = await sharedPool().query(read, [BATCH, ...place]);
    const old = rows.filter((row) => !table.isCurrent(row));
    if (old.length > 0) await write(table, keys, old);
    renewed += old.length;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return renewed;
    place = keys.map((key) => last[key]);
  }
}

/** Skips rows that have been renewed already. */
async function write({ table, key, columns, type, ...sealed }: Sealed, keys: string[], rows: QueryResultRow[]) {
  const was = columns.map((column) => `was_${column}`);
  const types = [...Object.values(key), ...[...was, ...columns].map(() => type)];
  const unchanged = columns.map((column) => `t.${column} IS NOT DISTINCT FROM u.was_${column}`);
  const renewed = await Promise.all(
    rows.map(async (row) => [
      ...[...keys, ...columns].map((column) => row[column]),
      ...(await renew(sealed, keys, row)),
    ]),
  );
  await sharedPool().query(
    `UPDATE ${table} t SET ${columns.map((column) => `${column} = u.${column}`)}
     FROM unnest(${types.map((one, at) => `$${at + 1}::${one}[]`)}) AS u(${[...keys, ...was, ...columns]})
     WHERE ${[...keys.map((one) => `t.${one} = u.${one}`), ...unchanged].join(" AND ")}`,
    types.map((_, at) => renewed.map((values) => values[at])),
  );
}

async function renew({ what, renew }: Pick<Sealed, "what" | "renew">, keys: string[], row: QueryResultRow) {
  try {
    return await renew(row);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    const place = keys.map((key) => row[key]).join(" ");
    throw new StartError(`Cannot re-seal row ${place} of the ${what}: ${reason}.`, { cause });
  }
}
