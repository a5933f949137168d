import { UserGroupsError } from "./error.js";
import type { Pieces } from "./request.js";

/** In characters, longer than any group's line. */
const MAX_LINE = 16_777_216;

/**
 * The lines of a body, without line breaks.
 * @throws {UserGroupsError} when the body ends within a line, or a line is too long
 */
export async function* linesOf({ next, stop }: Pieces): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let piece = await next(); piece; piece = await next()) {
      const lines = decoder.decode(piece, { stream: true }).split("\n");
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE) throw new UserGroupsError("unexpected_answer", "A line of the export is too long.");
      yield* lines;
    }
    if (rest !== "") throw new UserGroupsError("unreachable", "The connection closed before the end of the export.");
  } finally {
    stop();
  }
}
