import type { Duplex } from "node:stream";
import type pg from "pg";
import utils from "pg/lib/utils.js";

/** A row as the server sent it: the text of each column, in their order. */
export type TextRow = (string | null)[];

/** What of a connection of pg a query uses, its own `Query` and pg-cursor among them. */
interface Wire {
  stream: Duplex;
  /** by name */
  parsedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(rows: object): void;
  sync(): void;
}

/** There was no connection for a statement: it was not sent. */
export class Unsent extends Error {
  constructor(cause: unknown) {
    super("not sent", { cause });
  }
}

type OnEnd = (error: Error | null | undefined, rows?: TextRow[]) => void;

/** What a client of pg is told of how long a query may take, in milliseconds. */
interface Limited {
  connectionParameters: { query_timeout: number };
}

const nobody: OnEnd = () => undefined;

/**
 * A prepared statement whose rows stay text. pg asks the server to describe the columns with every execution, and makes
 * an object of each row: for one short row these cost more than all else (docs/decisions/018-read-hot-path-rows-as-text.md).
 */
export class TextQuery implements pg.Submittable {
  private readonly rows: TextRow[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly name: string,
    readonly text: string,
    readonly values: unknown[],
    private onEnd: OnEnd,
  ) {}

  /**
   * Has a client run it, for as long as that lets a query take. pg would see to that by a callback of its own, and V8 makes
   * a function that is written into a property in the old space: with it all rows stayed until the next full collection.
   */
  runOn(client: pg.ClientBase) {
    const { connectionParameters } = client as unknown as Limited;
    const limit = connectionParameters.query_timeout;
    this.timer = setTimeout(() => this.end(new Error("Query read timeout")), limit);
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
    // How many rows there were is seen from them.
  }

  handleReadyForQuery() {
    this.end(null, this.rows);
  }

  handleError(error: Error) {
    this.end(error);
  }

  /** A client that is closed since this took too long tells it so once more. */
  private end(error: Error | null, rows?: TextRow[]) {
    clearTimeout(this.timer);
    const { onEnd } = this;
    this.onEnd = nobody;
    onEnd(error, rows);
  }
}

/** Runs a statement on a connection, or on one that the pool has free, and gives its rows as text; without a name it is prepared for this time alone. */
export function queryText(place: pg.Pool | pg.ClientBase, statement: pg.QueryConfig): Promise<TextRow[]> {
  const { name = "", text, values = [] } = statement;
  return new Promise((resolve, reject) => {
    if (!("totalCount" in place)) {
      new TextQuery(name, text, values, (error, rows = []) => (error ? reject(error) : resolve(rows))).runOn(place);
      return;
    }
    // By callbacks, as each promise between here and there is felt.
    place.connect((refused, client, release) => {
      if (!client) return reject(new Unsent(refused));
      const onEnd: OnEnd = (error, rows = []) => {
        // A connection that failed is not used again.
        release(error ?? undefined);
        if (error) reject(error);
        else resolve(rows);
      };
      new TextQuery(name, text, values, onEnd).runOn(client);
    });
  });
}
