import { existsSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { StartError } from "@/lib/errors";

/** Where a process listens: at a socket for another process of ours, or at a port. */
export type Place = { path: string } | { host: string; port: number };

/**
 * Has the server listen; gives its port, 0 for a socket.
 * @throws {StartError} when it may not listen there
 */
export async function listen(server: Server, where: Place): Promise<number> {
  // Left there by the one before it, if that was killed.
  if ("path" in where) rmSync(where.path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if ("path" in where) {
        // Its folder goes with the process that started this one, which has said why it ended.
        if (!existsSync(dirname(where.path))) process.exit(1);
        return reject(error);
      }
      const { host, port } = where;
      const problem =
        error.code === "EADDRINUSE"
          ? "is taken: set PORT to a free one"
          : `cannot be listened on (${error.code}): set HOST to an address of this machine, PORT to one it may use`;
      reject(new StartError(`Port ${port} of ${host} ${problem}.`));
    });
    server.listen(where, resolve);
  });
  return "path" in where ? 0 : (server.address() as AddressInfo).port;
}
