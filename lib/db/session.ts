import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type pg from "pg";
import { Connection, type ConnectionConfig } from "@/lib/db/connection";

/** read_only_sql_transaction, PostgreSQL's code for a change on a standby or in a read-only session */
export const READ_ONLY = "25006";

/** The database is a standby: it may lag behind, and refuses changes. */
export class StandbyError extends Error {
  override readonly name = "StandbyError";
  readonly code = READ_ONLY;

  constructor() {
    super("the database is a standby");
  }
}

/**
 * The fields of pg's client that show whether the server owes an answer; pg does not say so after a query timeout
 * (https://github.com/brianc/node-postgres/issues/3399).
 */
interface Internals {
  connection: EventEmitter & { stream: Duplex };
  readyForQuery: boolean | undefined;
  processID: number | null;
  _ending: boolean;
}

const internalsOf = (client: pg.ClientBase) => client as unknown as Internals;

const sessions = new Set<Session>();

/** Ends all sessions of this process: they may lead to a server that is no longer the primary. */
export function leaveSessions() {
  for (const session of sessions) session.leave();
}

/** A connection that refuses a standby, which PostgreSQL reports at login (`in_hot_standby`). */
export class Session extends Connection {
  /** whether it has refused a change: a session begun while the database was read-only stays read-only */
  isReadOnly = false;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    const { connection } = internalsOf(this);
    connection.on("errorMessage", ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.isReadOnly = true;
    });
    connection.on("parameterStatus", (parameter: { parameterName: string; parameterValue: string }) => {
      if (parameter.parameterName !== "in_hot_standby" || parameter.parameterValue !== "on") return;
      connection.emit("error", new StandbyError());
      connection.stream.destroy();
    });
    // Registered before connecting, which its creator does immediately.
    sessions.add(this);
    onClosed(this, () => sessions.delete(this));
  }

  /** Ends the session, which may lead to a former primary. */
  leave() {
    abandon(this);
  }
}

/**
 * A session that ends only after the server's answer: closing the socket would not end a backend that waits to commit.
 */
export class PatientSession extends Session {
  override leave() {
    if (owesAnswer(this)) this.once("drain", () => abandon(this));
    else abandon(this);
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    if (!owesAnswer(this)) return callback ? (super.end(callback) as undefined) : super.end();
    const internals = internalsOf(this);
    // Only the first call waits; the session is no longer handed out.
    if (!internals._ending) this.once("drain", () => void super.end());
    internals._ending = true;
    if (callback) {
      internals.connection.once("end", callback);
      return undefined;
    }
    return new Promise((resolve) => internals.connection.once("end", resolve));
  }
}

/** Whether a statement was sent and is unfinished, on an open socket. */
export function owesAnswer(client: pg.ClientBase): boolean {
  const { readyForQuery, connection } = internalsOf(client);
  return readyForQuery === false && !connection.stream.destroyed;
}

/** Calls back when the socket has closed. */
export function onClosed(client: pg.ClientBase, callback: () => void) {
  internalsOf(client).connection.once("end", callback);
}

/** Closes the socket immediately. */
export function abandon(client: pg.ClientBase) {
  internalsOf(client).connection.stream.destroy();
}

/** The backend's pid, as PostgreSQL or PgBouncer reported it. */
export function backendOf(client: pg.ClientBase): number | null {
  return internalsOf(client).processID;
}
