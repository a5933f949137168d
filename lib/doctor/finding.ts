/** What was found out about one thing. */
export interface Finding {
  name: string;
  state: "good" | "doubtful" | "wrong";
  /** what was seen, in a sentence */
  says: string;
  /** what to do about it */
  todo?: string;
}

/** One thing is as it should be. */
export function good(name: string, says: string): Finding {
  return { name, state: "good", says };
}

/** One thing works, but perhaps not as it is meant to. */
export function doubtful(name: string, says: string, todo: string): Finding {
  return { name, state: "doubtful", says, todo };
}

/** One thing is broken. */
export function wrong(name: string, says: string, todo: string): Finding {
  return { name, state: "wrong", says, todo };
}

const MARKS = { good: "✓", doubtful: "!", wrong: "✗" };

/** Findings for a terminal: a line for each, and under it what to do. */
export function report(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, says, todo }) => [
    `${MARKS[state]} ${name.padEnd(width)}  ${says}`,
    ...(todo ? [`  ${" ".repeat(width)}  → ${todo}`] : []),
  ]);
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  return `${lines.join("\n")}\n\n${count("good")} good, ${count("doubtful")} doubtful, ${count("wrong")} wrong\n`;
}
