import { UserGroupsError } from "./error.js";
import type { Pieces } from "./request.js";

/** The lines of a body, without their ends. @throws {UserGroupsError} when the body ends within a line */
export async function* linesOf({ next, stop }: Pieces): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let piece = await next(); piece; piece = await next()) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") throw new UserGroupsError("unreachable", "The connection closed before the end of the export.");
  } finally {
    stop();
  }
}
