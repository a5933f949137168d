import { READ_ONLY } from "@/lib/db/session";
import { Unsent } from "@/lib/db/text-query";
import { AppError, readOnly, unauthorized, unavailable } from "@/lib/errors";

/**
 * The fate of a failed statement: never sent, lost with its connection, rolled back, given up for a lock, or refused by
 * an unusable database.
 */
export type DatabaseFailure = "unsent" | "broken" | "rolled back" | "locked" | "refused";

/** Whether an error means the database is a standby. */
export function isStandby(error: unknown): boolean {
  // A standby refuses changes with the same code as a read-only transaction.
  return error instanceof Error && (error.name === "StandbyError" || /during recovery$/.test(error.message));
}

/** The answer to a database failure. */
export function away(error: unknown): AppError {
  if (isStandby(error)) return unavailable(error, "The database is a standby.");
  // Behind PgBouncer, only a refused change reveals this.
  if (codeOf(error) === READ_ONLY) {
    return unavailable(error, "The database takes no changes: it is a standby, or set to read-only.");
  }
  return unavailable(error);
}

/** The code of PostgreSQL's error or of the system's. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** PostgreSQL's code behind an answer of ours; undefined for other errors. */
export function causeCode(error: unknown): string | undefined {
  return error instanceof AppError ? codeOf(error.cause) : undefined;
}

/** Whether PostgreSQL cancelled a statement that took too long, and not for a lock. */
export function ranOutOfTime(error: unknown): boolean {
  return causeCode(error) === "57014";
}

/** A foreign key violation: on these paths, the group's environment was deleted after the look-up. */
export function isOrphan(error: unknown): boolean {
  return codeOf(error) === "23503";
}

/** Prisma's errors wrap the driver's. */
interface MaybeOfPrisma {
  code?: string;
  meta?: { driverAdapterError?: { cause?: { kind?: string; originalCode?: string } } };
}

/** The errors that `require_author` and `require_scope` raise, as answers to the caller. */
const LOSSES: Record<string, () => AppError> = {
  UGT01: unauthorized,
  UGT03: readOnly,
  UGD01: () => unavailable(undefined, "The definitions of this environment changed repeatedly."),
  UGM01: () => new AppError("unauthorized", "Your session has just ended. Sign in again."),
  UGM03: () => new AppError("forbidden", "Your role has just changed and no longer allows this. Ask an owner."),
};

/** The answer to an author who has lost the authority, from an error of pg or Prisma; undefined for other errors. */
export function lossOfAuthority(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, meta } = error as MaybeOfPrisma;
  const answer = LOSSES[meta?.driverAdapterError?.cause?.originalCode ?? code ?? ""]?.();
  if (answer) answer.cause = error;
  return answer;
}

/** Rethrows the error, as an answer if it is a loss of authority. */
export function throwLoss(error: unknown): never {
  throw lossOfAuthority(error) ?? error;
}

/**
 * SQLSTATE classes (PostgreSQL, appendix A) that blame the database, not the service. Our own statements are fixed, so
 * these include missing objects and privileges: schema, table, column, type, function.
 */
const REFUSED = /^(08|25006|25P03|28|3D000|3F000|42P01|42501|42703|42704|42883|53|55P03|57|58)/;
/** Node's codes for a failed TLS handshake, for example because of an expired certificate. */
const UNTRUSTED = /CERT|^ERR_(?:SSL|TLS)_|^UNABLE_TO_|^HOSTNAME_MISMATCH$/;
const BROKEN = /^(ECONNRESET|EPIPE|08...|57P0.)$/;

/** Failures that waiting does not cure, such as a wrong password or database. */
const LASTING = /^(28|3D)/;

/** Transaction conflicts, and a read-only session, as after a switchover. */
const ROLLED_BACK = /^(40001|40P01|25006)$/;

/** The kind of a failure; undefined when the database is not to blame. */
export function classify(error: unknown): DatabaseFailure | undefined {
  if (error instanceof Unsent) {
    const failure = classify(error.cause);
    return failure === undefined || LASTING.test(codeOf(error.cause) ?? "") ? failure : "unsent";
  }
  if (error instanceof AppError || !(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if ((code && ROLLED_BACK.test(code)) || isTermination(error)) return "rolled back";
  if (code === undefined) return driver(error);
  if (BROKEN.test(code)) return "broken";
  if (code === "55P03") return "locked";
  if (REFUSED.test(code) || UNTRUSTED.test(code)) return "refused";
  return "syscall" in error ? "refused" : undefined;
}

/**
 * Whether PostgreSQL ended the session before it committed, as in a shutdown. A session ended after its commit, while
 * it waits for a standby, closes silently (`SyncRepWaitForLSN`); PgBouncer, which may use the same code, names no
 * routine.
 */
function isTermination(error: Error): boolean {
  return codeOf(error) === "57P01" && "routine" in error && error.routine === "ProcessInterrupts";
}

/** Whether an error of pg or Prisma means that the database is unavailable. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", meta } = error as MaybeOfPrisma;
  const { kind = "", originalCode = "" } = meta?.driverAdapterError?.cause ?? {};
  return PRISMA_AWAY.test(code) || DRIVER_AWAY.has(kind) || REFUSED.test(originalCode) || classify(error) !== undefined;
}

/**
 * Prisma's codes: unreachable, timed out, closed, no connection or transaction in time, a transaction conflict; and
 * Node's codes that Prisma's errors carry.
 */
const PRISMA_AWAY =
  /^(P(1001|1002|1008|1017|2024|2028|2034)|EAI_AGAIN|ECONNABORTED|EHOSTDOWN|EHOSTUNREACH|ENETDOWN|ENETUNREACH)$/;
const DRIVER_AWAY = new Set([
  "DatabaseDoesNotExist",
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
  "TlsConnectionError",
  "TooManyConnections",
]);

/** pg's own failures have no code: a closed client, connect and read timeouts, a failed TLS handshake. */
function driver({ message }: Error): DatabaseFailure | undefined {
  if (/not queryable/.test(message)) return "unsent";
  if (/^Connection terminated unexpectedly/.test(message)) return "broken";
  return /timeout|terminated|server does not support SSL/i.test(message) ? "refused" : undefined;
}
