/** A prepared statement, parsed once per connection under its name; behind PgBouncer it is parsed each time. */
export interface Statement {
  name: string;
  text: string;
}

/** Writes a statement: its name, then its SQL as a template. What is inserted is SQL too, never a value. */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...sql: (string | number)[]): Statement => ({
    name,
    text: String.raw({ raw: parts }, ...sql),
  });
