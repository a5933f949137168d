import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** V8 has seen enough of a kind by its seventh object. */
const ENOUGH = 8;

/**
 * Has the engine lay out requests and responses as fast objects. It decides by the first seven of a kind, by what is still known of
 * their fields at the seventh: a full collection just before it, between two calls of a health check say, leaves the object no fields
 * of its own, and a response, which has more than forty, is then a dictionary for as long as the process lives.
 */
export function settleShapes(): void {
  // All are held until the last is made, or a collection might come here, too.
  const made: unknown[] = [];
  while (made.length < ENOUGH) {
    const req = new IncomingMessage(new Socket());
    made.push(new ServerResponse(req).writeHead(200));
  }
}
