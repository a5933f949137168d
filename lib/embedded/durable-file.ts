import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file atomically and durably: after a crash it is complete, or as it was before. */
export async function writeDurably(path: string, content: string | Uint8Array) {
  await rename(await writeDraft(path, content), path);
  await syncFolder(dirname(path));
}

/** Like {@link writeDurably}, but leaves a file that exists as it is: the first of two writers wins. */
export async function createDurably(path: string, content: string | Uint8Array) {
  const draft = await writeDraft(path, content);
  try {
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(draft);
  }
}

async function writeDraft(path: string, content: string | Uint8Array): Promise<string> {
  const draft = `${path}.new-${process.pid}`;
  // Created, never opened: a link in a folder of PostgreSQL's account must not lead root elsewhere.
  await rm(draft, { force: true });
  await syncAndClose(await open(draft, "wx", 0o600), (handle) => handle.writeFile(content));
  return draft;
}

/** Flushes a folder's entries to disk. */
export async function syncFolder(path: string) {
  await syncAndClose(await open(path));
}

async function syncAndClose(handle: FileHandle, work: (handle: FileHandle) => Promise<void> = async () => undefined) {
  try {
    await work(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
