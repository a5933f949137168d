import { BlockList, isIP } from "node:net";
import type pg from "pg";
import { roleFor, type Scope } from "@/lib/authority/scopes";
import { throwLoss } from "@/lib/db/failures";
import type { Prisma, Role } from "@/prisma/generated/client";

/** The author of a change; the history records all but the session. */
export interface Author {
  actorType: "api_token" | "member" | "operator";
  actorId: string | null;
  actorName: string;
  requestId: string | null;
  /** the session of a member; null where only the role counts, and for other authors */
  sessionId: string | null;
}

declare const AUTHORISED: unique symbol;

/** An author checked by {@link authorise} in the transaction that makes the change. */
export type Authorised = Author & { readonly [AUTHORISED]: true };

/** The author columns of the history; the second list adds the session, which the check needs. */
export const AUTHOR_COLUMNS = "actor_type, actor_id, actor_name, request_id";
export const CHECKED_AUTHOR_COLUMNS = `${AUTHOR_COLUMNS}, session_id`;

/** The values of {@link CHECKED_AUTHOR_COLUMNS}. */
export function authorValues({ actorType, actorId, actorName, requestId, sessionId }: Author): unknown[] {
  return [actorType, actorId, actorName, requestId, sessionId];
}

/** A row of {@link authorValues}, which begin with the parameter `first`. */
export const authorFrom = (first: number) =>
  `(SELECT $${first}::actor_type, $${first + 1}::text, $${first + 2}::text, $${first + 3}::text, $${first + 4}::text)
    AS author(${CHECKED_AUTHOR_COLUMNS})`;

interface Recording {
  /** history columns other than the author's, and their values */
  columns: string;
  values: string;
  /** selects the rows to record, each with its author */
  rows: string;
}

/** The part of a statement that writes the history; it requires {@link checking} before it. */
export const recording = ({ columns, values, rows }: Recording) => `recorded AS (
      INSERT INTO audit_entry (${columns}, ${AUTHOR_COLUMNS})
      SELECT ${values}, ${AUTHOR_COLUMNS} FROM ${rows} CROSS JOIN checked
    )`;

/**
 * The part of a statement that checks each author in `rows` again, after the row locks that `rows` takes; `rows`
 * selects the environment and {@link CHECKED_AUTHOR_COLUMNS}. An author without authority fails the statement.
 * Dependent parts select from `checked`, a single row. Authors are read in one order, so that concurrent statements
 * cannot deadlock.
 */
export const checking = (rows: string, scope: Scope) => checkedBy(rows, quoted(scope));

/** Like {@link checking}, with the scope and its role in the parameters from `first` on. */
export const checkingGiven = (rows: string, first: number) => checkedBy(rows, `$${first}, $${first + 1}::role`);

/** The values of {@link checkingGiven}. */
export const scopeValues = (scope: Scope) => [scope, roleFor(scope)];

const quoted = (scope: Scope) => `'${scope}', '${roleFor(scope)}'`;

/**
 * Like {@link checking}; also checks that the definitions still have the version in `definitions_version`, unless NULL.
 */
export const checkingWithDefinitions = (rows: string, scope: Scope) =>
  checkedBy(rows, quoted(scope), {
    column: ", definitions_version",
    check: ", count(require_definitions(environment_id, definitions_version))",
  });

const checkedBy = (
  rows: string,
  needed: string,
  { column, check } = { column: "", check: "" },
) => `checked AS MATERIALIZED (
      SELECT count(require_scope(actor_type, actor_id, session_id, environment_id, ${needed}))${check}
      FROM (SELECT DISTINCT environment_id, actor_type, actor_id, session_id${column} FROM ${rows}
        ORDER BY actor_type, actor_id, session_id) AS authors
    )`;

/**
 * Checks the author's role, session or API token again in the transaction that makes the change, after its locks, and
 * locks it until the transaction ends.
 * @throws {AppError} `unauthorized` or `forbidden` when the author has lost the authority
 */
export function authorise(tx: Prisma.TransactionClient, author: Author, needed: Role): Promise<Authorised> {
  const { actorType, actorId, sessionId } = author;
  return authorisedBy(
    tx.$executeRaw`SELECT require_author(${actorType}::actor_type, ${actorId}, ${sessionId}, NULL, ${needed}::role)`,
    author,
  );
}

/** Like {@link authorise}, but checks a scope. */
export function authoriseScope(
  tx: Prisma.TransactionClient,
  author: Author,
  environmentId: number,
  scope: Scope,
): Promise<Authorised> {
  const { actorType, actorId, sessionId } = author;
  return authorisedBy(
    tx.$executeRaw`SELECT require_scope(${actorType}::actor_type, ${actorId}, ${sessionId}, ${environmentId},
      ${scope}, ${roleFor(scope)}::role)`,
    author,
  );
}

async function authorisedBy(check: Promise<unknown>, author: Author): Promise<Authorised> {
  await check.catch(throwLoss);
  return author as Authorised;
}

/** Checks the author's scope again on a connection of the pool, like {@link checking}. */
export async function requireScopeOn(client: pg.PoolClient, author: Author, environmentId: number, scope: Scope) {
  const { actorType, actorId, sessionId } = author;
  const values = [actorType, actorId, sessionId, environmentId, ...scopeValues(scope)];
  await client.query("SELECT require_scope($1, $2, $3, $4, $5, $6)", values);
}

/** An author without a role to check: the holder of a used link, or a member whom better-auth has admitted. */
export function vouchFor(author: Omit<Author, "sessionId">): Authorised {
  return { ...author, sessionId: null } as Authorised;
}

/** The person at the machine, or the service for them, under this name in the history. */
export function operator(actorName: string): Author {
  return { actorType: "operator", actorId: null, actorName, requestId: null, sessionId: null };
}

/** The history's author of changes that the service makes by itself. */
export const SERVICE = vouchFor(operator("service"));

/** Networks in CIDR notation, for {@link isWithin}. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/** Whether an address is in one of the networks; an IPv4-mapped IPv6 address or network counts as IPv4. */
export function isWithin(networks: BlockList, address: string): boolean {
  return isIP(address) !== 0 && networks.check(address, address.includes(":") ? "ipv6" : "ipv4");
}
