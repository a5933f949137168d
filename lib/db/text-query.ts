import type { Duplex } from "node:stream";
import type pg from "pg";
import utils from "pg/lib/utils.js";

/** A row as the server sent it: each column's text, in order. */
export type TextRow = (string | null)[];

/** The part of pg's connection that queries use, its own `Query` and pg-cursor included. */
interface Wire {
  stream: Duplex;
  /** by name */
  parsedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(rows: object): void;
  sync(): void;
}

/** No connection was available, so the statement was not sent. */
export class Unsent extends Error {
  constructor(cause: unknown) {
    super("not sent", { cause });
  }
}

type OnEnd = (error: Error | null | undefined, rows?: TextRow[]) => void;

/** A pg client's query timeout in milliseconds; pg has none per query (github.com/brianc/node-postgres/pull/2655). */
interface Limited {
  connectionParameters: { query_timeout: number };
}

const nobody: OnEnd = () => undefined;

/**
 * A prepared statement with rows left as text. pg asks the server to describe the columns on every execution, and
 * creates an object per row: for one short row these cost more than everything else
 * (docs/decisions.md).
 */
class TextQuery implements pg.Submittable {
  private readonly rows: TextRow[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly name: string,
    readonly text: string,
    readonly values: unknown[],
    private onEnd: OnEnd,
  ) {}

  /**
   * Runs the query on a client, within that client's query timeout. pg's own timer stores a callback in a property of
   * the query, and V8 allocates such a function in the old space: it kept all rows until the next full collection.
   */
  runOn(client: pg.ClientBase) {
    const { connectionParameters } = client as unknown as Limited;
    const limit = connectionParameters.query_timeout;
    // One step later, so that an answer that arrived while this process was blocked is read first.
    const giveUp = () => this.end(new Error("Query read timeout"));
    this.timer = setTimeout(() => setImmediate(giveUp), limit);
    connectionParameters.query_timeout = 0;
    try {
      client.query(this);
    } finally {
      connectionParameters.query_timeout = limit;
    }
  }

  submit(connection: unknown) {
    const { name, text, values } = this;
    const wire = connection as Wire;
    wire.stream.cork();
    try {
      if (name === "" || wire.parsedStatements[name] === undefined) wire.parse({ name, text });
      wire.bind({ statement: name, values, valueMapper: utils.prepareValue });
      wire.execute({});
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: TextRow }) {
    this.rows.push(fields);
  }

  handleCommandComplete() {
    // The rows are counted by their array.
  }

  handleReadyForQuery() {
    this.end(null, this.rows);
  }

  handleError(error: Error) {
    this.end(error);
  }

  /** Called again when the client is closed because the query took too long. */
  private end(error: Error | null, rows?: TextRow[]) {
    clearTimeout(this.timer);
    const { onEnd } = this;
    this.onEnd = nobody;
    onEnd(error, rows);
  }
}

/**
 * Runs a statement on a connection, given or from the pool, and returns its rows as text; an unnamed statement is
 * parsed each time.
 */
export function queryText(place: pg.Pool | pg.ClientBase, statement: pg.QueryConfig): Promise<TextRow[]> {
  const { name = "", text, values = [] } = statement;
  return new Promise((resolve, reject) => {
    if (!("totalCount" in place)) {
      new TextQuery(name, text, values, (error, rows = []) => (error ? reject(error) : resolve(rows))).runOn(place);
      return;
    }
    // With callbacks, because each promise on this path is measurable.
    place.connect((refused, client, release) => {
      if (!client) return reject(new Unsent(refused));
      const onEnd: OnEnd = (error, rows = []) => {
        // Discard a connection that failed.
        release(error ?? undefined);
        if (error) reject(error);
        else resolve(rows);
      };
      new TextQuery(name, text, values, onEnd).runOn(client);
    });
  });
}
