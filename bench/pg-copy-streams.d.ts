// The parts we use: the package has no types.
declare module "pg-copy-streams" {
  import type { Readable, Writable } from "node:stream";
  import type { Submittable } from "pg";

  /** Sends rows for `COPY … FROM STDIN`. */
  export function from(text: string): Writable & Submittable;
  /** Receives the rows of `COPY … TO STDOUT`. */
  export function to(text: string): Readable & Submittable;
}
