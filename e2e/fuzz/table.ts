import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";
import { ROWS, type Row } from "./extent";

/** Prints a table of the generated values after all tests. */
export default class Table implements Reporter {
  private readonly lines: string[] = [];

  onTestEnd(test: TestCase, { status, duration, annotations }: TestResult) {
    const texts = annotations.flatMap(({ type, description = "" }) => (type === ROWS ? [description] : []));
    for (const { seed, rows } of texts.map((text) => JSON.parse(text) as { seed: number; rows: Row[] })) {
      const failures = status === test.expectedStatus ? 0 : 1;
      this.lines.push("", `${test.title}: ${failures} failures, ${Math.round(duration / 1000)} s, FUZZ_SEED=${seed}`);
      this.lines.push(line(["", "generated", "accepted", "refused"]));
      for (const { what, generated, accepted, refused } of rows)
        this.lines.push(line([what, generated, accepted, refused]));
    }
  }

  onEnd() {
    process.stdout.write(`${this.lines.join("\n")}\n\n`);
  }

  printsToStdio() {
    return false;
  }
}

function line([what = "", ...numbers]: (string | number)[]): string {
  return `  ${String(what).padEnd(40)}${numbers.map((number) => String(number).padStart(10)).join("")}`;
}
