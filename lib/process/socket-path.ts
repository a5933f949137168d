import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { isAlive } from "@/lib/embedded/process";

const FOLDER = "user-groups-";

/** A new socket path for the pages' process, inaccessible to other users of the machine. */
export function makeSocketPath(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), `${FOLDER}${process.pid}-`)), "pages");
}

/** Removes the folders of killed services: their process has ended, and nobody listens there. */
export async function removeStaleSockets() {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^user-groups-(\d+)-\w+$/.exec(name)?.[1]);
    const folder = path.join(tmpdir(), name);
    if (!pid || isAlive(pid) || statSync(folder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    // A process in another container may be alive although its id means nothing here.
    if (!(await isListening(path.join(folder, "pages")))) removeSocketPath(path.join(folder, "pages"));
  }
}

function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => resolve(true));
    socket.once("error", () => resolve(false)).once("connect", () => socket.destroy());
  });
}

/** Removes what {@link makeSocketPath} made. */
export function removeSocketPath(socketPath: string) {
  rmSync(path.dirname(socketPath), { recursive: true, force: true });
}
