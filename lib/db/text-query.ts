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

/**
 * A prepared statement whose rows stay text. pg asks the server to describe the columns with every execution, and makes
 * an object of each row: for one short row these cost more than all else (docs/performance.md).
 */
export class TextQuery implements pg.Submittable {
  private readonly rows: TextRow[] = [];

  constructor(
    readonly name: string,
    readonly text: string,
    readonly values: unknown[],
    /** pg puts its own in its place, to end its wait. */
    readonly callback: (error: Error | null | undefined, rows?: TextRow[]) => void,
  ) {}

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
    this.callback(null, this.rows);
  }

  handleError(error: Error) {
    this.callback(error);
  }
}

/** Runs a statement on a connection, or on one that the pool has free, and gives its rows as text; without a name it is prepared for this time alone. */
export function queryText(place: pg.Pool | pg.PoolClient, statement: pg.QueryConfig): Promise<TextRow[]> {
  const { name = "", text, values = [] } = statement;
  return new Promise((resolve, reject) => {
    if ("release" in place) {
      place.query(new TextQuery(name, text, values, (error, rows = []) => (error ? reject(error) : resolve(rows))));
      return;
    }
    // By callbacks, as each promise between here and there is felt.
    place.connect((refused, client, release) => {
      if (!client) return reject(refused);
      const onEnd = (error: Error | null | undefined, rows: TextRow[] = []) => {
        // A connection that failed is not used again.
        release(error ?? undefined);
        if (error) reject(error);
        else resolve(rows);
      };
      client.query(new TextQuery(name, text, values, onEnd));
    });
  });
}
