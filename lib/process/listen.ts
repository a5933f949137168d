import { existsSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { StartError } from "@/lib/errors";

/** The place where a process listens: a socket for the other process, or a port. */
type Place = { path: string } | { host: string; port: number };

/**
 * Makes the server listen; returns its port, or 0 for a socket.
 * @throws {StartError} when it cannot listen there
 */
export async function listen(server: Server, where: Place): Promise<number> {
  // Left by a previous process that was killed.
  if ("path" in where) rmSync(where.path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if ("path" in where) {
        // The folder disappears with the parent process, which has reported why it ended.
        if (!existsSync(dirname(where.path))) process.exit(1);
        return reject(error);
      }
      const { host, port } = where;
      const problem =
        error.code === "EADDRINUSE"
          ? "is in use, perhaps by another instance: stop what uses it, or set PORT to a free one"
          : `cannot be opened (${error.code}): set HOST to an address of this machine, and PORT to one it may use`;
      reject(new StartError(`Port ${port} on ${host} ${problem}.`));
    });
    server.listen(where, resolve);
  });
  return "path" in where ? 0 : (server.address() as AddressInfo).port;
}
