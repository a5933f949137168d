import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** V8 has settled a class by its seventh object. */
const ENOUGH = 8;

/**
 * Makes V8 finish its in-object slack tracking of requests and responses. At the seventh object of a class, V8 fixes
 * the number of in-object properties from the maps that are still alive. Just after a full collection, such as between
 * two health checks, none are: responses, with more than forty properties, would then stay in dictionary mode for good.
 */
export function settleShapes(): void {
  // Keep all until the last is made: a collection in between would drop their maps.
  const made: unknown[] = [];
  while (made.length < ENOUGH) {
    const req = new IncomingMessage(new Socket());
    made.push(new ServerResponse(req).writeHead(200));
  }
}
