import type pg from "pg";
import { AppError, readOnly, unauthorized } from "@/lib/errors";
import type { Prisma, Role } from "@/prisma/generated/client";

/** Who changes something: the history records all but the session. */
export interface Author {
  actorType: "api_token" | "member" | "operator";
  actorId: string | null;
  actorName: string;
  requestId: string | null;
  /** the session a member acts in; null where the role alone counts, and for all others */
  sessionId: string | null;
}

declare const AUTHORISED: unique symbol;

/** An author found to have the authority, by {@link authorise}, in the transaction that makes the change. */
export type Authorised = Author & { readonly [AUTHORISED]: true };

/** The columns of the history that say who, and what is needed beside them to check the author. */
export const AUTHOR_COLUMNS = "actor_type, actor_id, actor_name, request_id";
export const CHECKED_AUTHOR_COLUMNS = `${AUTHOR_COLUMNS}, session_id`;

/** The values of {@link CHECKED_AUTHOR_COLUMNS}. */
export function authorValues({ actorType, actorId, actorName, requestId, sessionId }: Author): unknown[] {
  return [actorType, actorId, actorName, requestId, sessionId];
}

/** A row of {@link authorValues}, which begin with the parameter `first`. */
export const authorFrom = (first: number) =>
  `(SELECT $${first}::actor_type, $${first + 1}::text, $${first + 2}::text, $${first + 3}::text, $${first + 4}::text) AS author(${CHECKED_AUTHOR_COLUMNS})`;

interface Recording {
  /** columns of the history but those of the author, and their values */
  columns: string;
  values: string;
  /** gives the rows to record, each with its author */
  rows: string;
  order?: string;
}

/** The part of a statement that writes the history; it cannot do without {@link checking} before it. */
export const recording = ({ columns, values, rows, order }: Recording) => `recorded AS (
      INSERT INTO audit_entry (${columns}, ${AUTHOR_COLUMNS})
      SELECT ${values}, ${AUTHOR_COLUMNS} FROM ${rows} CROSS JOIN checked${order ? ` ORDER BY ${order}` : ""}
    )`;

/**
 * A part of a statement that reads each author of `rows` again, which names the environment and {@link CHECKED_AUTHOR_COLUMNS}: after
 * the row locks that `rows` takes. An author who may no longer fails the statement. What depends on it selects from `checked`, a
 * single row. In one order, so that no two statements wait for each other's authors.
 */
export const checking = (rows: string, needed: Role = "admin") => `checked AS MATERIALIZED (
      SELECT count(require_author(actor_type, actor_id, session_id, environment_id, '${needed}'))
      FROM (SELECT DISTINCT environment_id, actor_type, actor_id, session_id FROM ${rows} ORDER BY actor_type, actor_id, session_id) AS authors
    )`;

/**
 * Reads the author's role, session or API token again in the transaction that makes the change, after its locks, and keeps it as it
 * is until the transaction ends.
 * @throws {AppError} `unauthorized` or `forbidden` when the author may no longer
 */
export async function authorise(tx: Prisma.TransactionClient, author: Author, needed: Role): Promise<Authorised> {
  const { actorType, actorId, sessionId } = author;
  try {
    await tx.$executeRaw`SELECT require_author(${actorType}::actor_type, ${actorId}, ${sessionId}, NULL, ${needed}::role)`;
  } catch (error) {
    throw lossOfAuthority(error) ?? error;
  }
  return author as Authorised;
}

/** As {@link authorise}, on a connection of the pool. */
export async function authoriseOn(client: pg.PoolClient, author: Author, needed: Role) {
  const { actorType, actorId, sessionId } = author;
  await client.query("SELECT require_author($1, $2, $3, NULL, $4)", [actorType, actorId, sessionId, needed]);
}

/** An author whose authority is no role: the holder of a link that was used up, or a member whom better-auth has let in. */
export function vouchFor(author: Omit<Author, "sessionId">): Authorised {
  return { ...author, sessionId: null } as Authorised;
}

/** What `require_author` raises, as the answer to the caller. */
const LOSSES: Record<string, () => AppError> = {
  UGT01: unauthorized,
  UGT03: readOnly,
  UGM01: () => new AppError("unauthorized", "Sign in again: your session has just ended."),
  UGM03: () => new AppError("forbidden", "Your role has just changed and no longer allows this: ask an owner."),
};

/** The answer to a change whose author has lost the authority, by the error of pg or of Prisma; undefined for any other error. */
export function lossOfAuthority(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, meta } = error as {
    code?: string;
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
  };
  const answer = LOSSES[meta?.driverAdapterError?.cause?.originalCode ?? code ?? ""]?.();
  if (answer) answer.cause = error;
  return answer;
}
