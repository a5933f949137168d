/** The result of one check. */
export interface Finding {
  name: string;
  state: "good" | "doubtful" | "wrong";
  /** the observation, in a sentence */
  says: string;
  /** the fix */
  todo?: string;
}

/** The check passed. */
export function good(name: string, says: string): Finding {
  return { name, state: "good", says };
}

/** It works, but perhaps not as intended. */
export function doubtful(name: string, says: string, todo: string): Finding {
  return { name, state: "doubtful", says, todo };
}

/** It is broken. */
export function wrong(name: string, says: string, todo: string): Finding {
  return { name, state: "wrong", says, todo };
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
