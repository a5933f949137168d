import type { QueryResultRow } from "pg";
import { isSealedNow, sealAnew } from "@/lib/auth/seal";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { apiTokenIndex, bindingOf, GRANT, isBound, openDigest, sealDigest } from "@/lib/crypto/api-token";
import { currentKey, isSealedUnder, open, seal } from "@/lib/crypto/keyring";
import { sharedPool, transaction } from "@/lib/db/pool";
import { StartError } from "@/lib/errors";
import { viewersKeyContext } from "@/lib/groups/active-viewers";
import { answerContext } from "@/lib/groups/idempotency";
import { type Resealable, resealGroups, sealedGroups } from "@/lib/store/reseal";
import { keyContext } from "@/lib/viewer-tokens/key";
import { secretContext } from "@/lib/webhooks/signature";

const BATCH = 500;

/** A table with sealed values: how to read its rows in order, and how to re-seal one under the current key. */
interface Sealed {
  what: string;
  /** returns the columns below; $1 is the number of rows, $2 and later the place to continue from */
  read: string;
  start: unknown[];
  place(row: QueryResultRow): unknown[];
  isCurrent(row: QueryResultRow): boolean;
  /** takes one column per value of `renew`; skips a row that has been renewed already */
  write: string;
  renew(row: QueryResultRow): unknown[] | Promise<unknown[]>;
}

const isCurrent = (row: QueryResultRow) => isSealedUnder(row.sealed, currentKey().id);

const TABLES: Sealed[] = [
  {
    what: "API tokens",
    read: `SELECT id, environment_id, ${GRANT} AS grant, token_index, binding, digest_sealed AS sealed
           FROM api_token t WHERE id > $2 ORDER BY id LIMIT $1`,
    start: [0],
    place: (row) => [row.id],
    isCurrent,
    write: `UPDATE api_token t SET token_index = u.index, digest_sealed = u.sealed, binding = u.binding
            FROM unnest($1::int[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[])
              AS u(id, was, was_binding, index, sealed, binding)
            WHERE t.id = u.id AND t.digest_sealed = u.was AND t.binding IS NOT DISTINCT FROM u.was_binding`,
    renew(row) {
      const digest = openDigest(row.sealed);
      const index = apiTokenIndex(digest);
      const bound = { environmentId: row.environment_id, grant: row.grant };
      // A row altered in SQL stays refused.
      const isAsMade = row.binding && isBound(row.token_index, bound, row.binding);
      const binding = isAsMade ? bindingOf(index, bound) : row.binding;
      return [row.id, row.sealed, row.binding, index, sealDigest(digest), binding];
    },
  },
  {
    what: "remembered answers",
    read: `SELECT actor, key, answer_sealed AS sealed FROM idempotency_key
           WHERE (actor, key) > ($2, $3) AND answer_sealed IS NOT NULL ORDER BY actor, key LIMIT $1`,
    start: ["", ""],
    place: (row) => [row.actor, row.key],
    isCurrent,
    write: `UPDATE idempotency_key k SET answer_sealed = u.sealed
            FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) AS u(actor, key, was, sealed)
            WHERE k.actor = u.actor AND k.key = u.key AND k.answer_sealed = u.was`,
    renew(row) {
      const context = answerContext({ actor: row.actor, key: row.key });
      return [row.actor, row.key, row.sealed, seal(open(row.sealed, context), context)];
    },
  },
  {
    what: "second factors",
    read: "SELECT id, secret, backup_codes FROM two_factor WHERE id > $2 ORDER BY id LIMIT $1",
    start: [""],
    place: (row) => [row.id],
    isCurrent: (row) => isSealedNow(row.secret) && isSealedNow(row.backup_codes),
    write: `UPDATE two_factor t SET secret = u.secret, backup_codes = u.codes
            FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
              AS u(id, was_secret, was_codes, secret, codes)
            WHERE t.id = u.id AND t.secret = u.was_secret AND t.backup_codes = u.was_codes`,
    async renew(row) {
      const renewed = await Promise.all([sealAnew(row.secret), sealAnew(row.backup_codes)]);
      return [row.id, row.secret, row.backup_codes, ...renewed];
    },
  },
  {
    what: "viewer keys",
    read: `SELECT kid, environment_id, private_sealed AS sealed FROM viewer_key WHERE kid > $2 ORDER BY kid LIMIT $1`,
    start: [""],
    place: (row) => [row.kid],
    isCurrent,
    write: `UPDATE viewer_key k SET private_sealed = u.sealed
            FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS u(kid, was, sealed)
            WHERE k.kid = u.kid AND k.private_sealed = u.was`,
    renew(row) {
      const context = keyContext(row.environment_id, row.kid);
      return [row.kid, row.sealed, seal(open(row.sealed, context), context)];
    },
  },
  {
    what: "keys of active viewers",
    read: `SELECT id, viewers_key AS sealed FROM environment
           WHERE id > $2 AND viewers_key IS NOT NULL ORDER BY id LIMIT $1`,
    start: [0],
    place: (row) => [row.id],
    isCurrent,
    write: `UPDATE environment e SET viewers_key = u.sealed
            FROM unnest($1::int[], $2::bytea[], $3::bytea[]) AS u(id, was, sealed)
            WHERE e.id = u.id AND e.viewers_key = u.was`,
    renew(row) {
      const context = viewersKeyContext(row.id);
      return [row.id, row.sealed, seal(open(row.sealed, context), context)];
    },
  },
  {
    what: "webhooks' secrets",
    read: `SELECT id, secret_sealed AS sealed, previous_secret_sealed AS previous FROM webhook
           WHERE id > $2 ORDER BY id LIMIT $1`,
    start: [0],
    place: (row) => [row.id],
    isCurrent: (row) => isCurrent(row) && (row.previous === null || isSealedUnder(row.previous, currentKey().id)),
    write: `UPDATE webhook w SET secret_sealed = u.sealed, previous_secret_sealed = u.previous
            FROM unnest($1::int[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[])
              AS u(id, was, was_previous, sealed, previous)
            WHERE w.id = u.id AND w.secret_sealed = u.was
              AND w.previous_secret_sealed IS NOT DISTINCT FROM u.was_previous`,
    renew(row) {
      const context = secretContext(row.id);
      const again = (sealed: Buffer) => seal(open(sealed, context), context);
      return [row.id, row.sealed, row.previous, again(row.sealed), row.previous && again(row.previous)];
    },
  },
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
    await client.query("INSERT INTO secret_key (id) VALUES ($1)", [currentKey().id.toString("hex")]);
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
  let renewed = 0;
  let place = table.start;
  for (;;) {
    const { rows } = await sharedPool().query(table.read, [BATCH, ...place]);
    const old = rows.filter((row) => !table.isCurrent(row));
    if (old.length > 0) {
      const renewedRows = await Promise.all(old.map((row) => renew(table, row)));
      await sharedPool().query(table.write, transpose(renewedRows));
    }
    renewed += old.length;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return renewed;
    place = table.place(last);
  }
}

async function renew({ what, place, renew }: Sealed, row: QueryResultRow): Promise<unknown[]> {
  try {
    return await renew(row);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new StartError(`Cannot re-seal row ${place(row).join(" ")} of the ${what}: ${reason}.`, { cause });
  }
}

function transpose(rows: unknown[][]): unknown[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}
