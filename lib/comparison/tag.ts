import { createHash } from "node:crypto";

/** What two environments have of a part, as a tag; with the id of the row there that belongs to it. */
export function tagOf({ name, here, there }: { name: string; here: string; there: string }, id?: number): string {
  return createHash("sha256")
    .update(JSON.stringify([name, here, there, id]))
    .digest("base64url");
}
