import { execFileSync } from "node:child_process";
import os from "node:os";
import type { Result, Summary } from "./compare";
import { type Goal, isReached, isShort } from "./goals";
import type { OpenResult } from "./open-loop";

/** Prints a line. */
export function print(line: string) {
  process.stdout.write(`${line}\n`);
}

/** The machine and the commit of this run's figures. */
export function circumstances(): { machine: string; commit: string } {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : ", with changes";
  const cores = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return {
    machine: `${cores.length} × ${cores[0]?.model.trim()}, ${memory} GiB, Node ${process.version}`,
    commit: `${git("rev-parse", "--short", "HEAD")}${changed}`,
  };
}

/** Prints a case's result, one line per contender. */
export function printResult({ what, connections, goal, contenders, ratios }: Result) {
  print(`\n${what}, ${connections} connection${connections === 1 ? "" : "s"}`);
  print("               req/s            p50 ms    p99 ms     CPU s   µs/req   RSS MiB   errors");
  for (const [name, summary] of Object.entries(contenders)) print(lineOf(name, summary));
  for (const [name, { median, low, high }] of Object.entries(ratios)) {
    const range = `${low.toFixed(2)}–${high.toFixed(2)}`;
    print(`  ours/${name.padEnd(10)} requests ${median.toFixed(2)} (95 %: ${range}); goal: at least ${goal}`);
  }
}

function lineOf(name: string, { perSecond, spread, p50, p99, errors, cpu, rss, requests }: Summary): string {
  const cell = (value: number, width: number, digits = 0) => value.toFixed(digits).padStart(width);
  return [
    `  ${name.padEnd(10)}`,
    `${cell(perSecond, 7)} ±${cell(spread * 50, 3)} %`,
    cell(p50, 10, 2),
    cell(p99, 9, 2),
    cell(cpu, 9, 2),
    cell((cpu / requests) * 1e6, 8),
    cell(rss, 9),
    cell(errors, 8),
  ].join(" ");
}

/** Prints a rate's result in the open loop, one line per server. */
export function printOpenResult({ share, rate, contenders }: OpenResult) {
  print(`\nGET existing, ${rate} requests/s on a timetable: ${share * 100} % of our maximum`);
  print("             answered/s    p50 ms    p99 ms   lag p99   errors");
  for (const [name, { perSecond, p50, p99, lag, errors }] of Object.entries(contenders)) {
    const times = [p50, p99, lag].map((time) => time.toFixed(2).padStart(9));
    const cells = [name.padEnd(10), perSecond.toFixed(0).padStart(10), ...times, String(errors).padStart(8)];
    print(`  ${cells.join(" ")}`);
  }
}

/** Prints the goals, and sets the exit code if one is missed by more than noise explains. */
export function printGoals(goals: Goal[]) {
  print("");
  for (const goal of goals) {
    const verdict = isReached(goal) ? "" : isShort(goal) ? "  SHORT" : "  short, within the noise";
    print(`${goal.what.padEnd(54)} ${goal.value.toFixed(2).padStart(8)}  ${goal.bound} ${goal.goal}${verdict}`);
  }
  process.exitCode = goals.some(isShort) ? 1 : 0;
}
