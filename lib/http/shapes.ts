import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** V8 has settled a class by its seventh object. */
const ENOUGH = 8;

/**
 * Makes V8 finish its in-object slack tracking of requests and responses. At the seventh object of a class it fixes the
 * number of in-object properties, by the maps it still knows: after a full collection just before, such as between two
 * health checks, it knows none, and a response, with more than forty, then stays in dictionary mode for the life of the
 * process.
 */
export function settleShapes(): void {
  // Keep all until the last is made, or a collection might come here too.
  const made: unknown[] = [];
  while (made.length < ENOUGH) {
    const req = new IncomingMessage(new Socket());
    made.push(new ServerResponse(req).writeHead(200));
  }
}
