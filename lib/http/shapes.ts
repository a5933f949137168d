import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** V8 has seen enough of a kind by its seventh object. */
const ENOUGH = 8;

/**
 * Has V8 end its in-object slack tracking of requests and responses. By the seventh object of a class it decides how many in-object
 * properties all later ones have, by the maps it still knows: a full collection just before, between two calls of a health check
 * say, leaves none, and a response, which has more than forty, is then in dictionary mode for as long as the process lives.
 */
export function settleShapes(): void {
  // All are held until the last is made, or a collection might come here, too.
  const made: unknown[] = [];
  while (made.length < ENOUGH) {
    const req = new IncomingMessage(new Socket());
    made.push(new ServerResponse(req).writeHead(200));
  }
}
