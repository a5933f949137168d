/** The result of a check. */
export interface Verdict {
  state: "good" | "doubtful" | "wrong";
  /** the observation, in a sentence */
  says: string;
  /** the fix */
  todo?: string;
}

/** A check's name and result. */
export interface Finding extends Verdict {
  name: string;
}

/** The check passed. */
export const good = (says: string): Verdict => ({ state: "good", says });

/** It works, but perhaps not as intended. */
export const doubtful = (says: string, todo: string): Verdict => ({ state: "doubtful", says, todo });

/** It is broken. */
export const wrong = (says: string, todo: string): Verdict => ({ state: "wrong", says, todo });

/** Lists the checks that have a result. */
export function named(results: Record<string, Verdict | undefined>): Finding[] {
  return Object.entries(results).flatMap(([name, result]) => (result ? [{ name, ...result }] : []));
}

const MARKS = { good: "✓", doubtful: "!", wrong: "✗" };

/** Formats findings for a terminal: a line each, followed by the fix. */
export function report(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, says, todo }) => [
    `${MARKS[state]} ${name.padEnd(width)}  ${says}`,
    ...(todo ? [`  ${" ".repeat(width)}  → ${todo}`] : []),
  ]);
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  return `${lines.join("\n")}\n\n${count("good")} good, ${count("doubtful")} doubtful, ${count("wrong")} wrong\n`;
}
