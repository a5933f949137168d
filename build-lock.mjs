import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const LOCK = "node_modules/.cache/build.lock";
/** A holder touches its lock every second; without that, its process id may by now be another program's. */
const LOST_AFTER_MS = 30_000;

/**
 * Runs the work while no other start builds in this checkout, and ends what it has spawned when it is stopped itself.
 * @param {() => Promise<void>} work
 */
export async function withBuildLock(work) {
  mkdirSync(path.dirname(LOCK), { recursive: true });
  for (let hasTold = false; !take(); await sleep(200)) {
    if (!hasTold) process.stderr.write("Another start is building here: waiting for it …\n");
    hasTold = true;
  }
  const beat = setInterval(() => {
    const now = new Date();
    if (existsSync(LOCK)) utimesSync(LOCK, now, now);
  }, 1_000);
  const release = () => rmSync(LOCK, { force: true });
  process.on("exit", release);
  try {
    await work();
  } finally {
    clearInterval(beat);
    process.off("exit", release);
    release();
  }
}

/**
 * Waits for a build tool; ends it when this process is told to stop, so that it does not go on writing behind the next start.
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<boolean>} whether it did its work
 */
export async function endOf(child) {
  // When this process is killed its tool goes on for a moment: its id keeps the lock until then.
  writeFileSync(LOCK, `${process.pid} ${child.pid}`);
  /** @type {NodeJS.Signals | undefined} */
  let told;
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    told = signal;
    child.kill(signal);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const [code] = await once(child, "close");
  process.off("SIGINT", stop).off("SIGTERM", stop);
  if (told) process.exit(told === "SIGINT" ? 130 : 143);
  return code === 0;
}

function take() {
  try {
    const file = openSync(LOCK, "wx");
    writeFileSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    if (!isHeld()) rmSync(LOCK, { force: true });
    return false;
  }
}

function isHeld() {
  try {
    if (Date.now() - statSync(LOCK).mtimeMs > LOST_AFTER_MS) return false;
    const text = readFileSync(LOCK, "utf8");
    // It is written a moment after it is made.
    return text === "" || text.split(" ").map(Number).some(isAlive);
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
