import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

const DROPPED = new Set(["upgrade", "http2-settings", "connection"]);

/**
 * Passes websockets to Next, and serves a request that offers another upgrade as an ordinary request.
 * Development only: hot reloading needs a listener for upgrades, which then receives all of them.
 */
export function replayUpgrades(server: Server, next: Server) {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === "websocket") {
      next.emit("upgrade", request, socket, head);
      return;
    }
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      const [name = "", value = ""] = request.rawHeaders.slice(at, at + 2);
      if (!DROPPED.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
    }
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
    server.emit("connection", socket);
  });
}
