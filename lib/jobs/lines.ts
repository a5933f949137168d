import Papa from "papaparse";

/** A row of a file, unparsed. */
export interface RawRow {
  /** its first line, counted from 1 */
  line: number;
  cells: string[];
  /** why it is unreadable */
  fault?: string;
}

/** A file cannot be read, or a job cannot continue; the message is for the job's author. */
export class JobError extends Error {}

/** The most characters of a row: the largest fields, escaped, with a margin. Limits an unclosed quote. */
const LONGEST_ROW = 1_048_576;
const SEPARATOR = /[,;\t]/;
/** A first line that names the separator, for Excel. */
const SEPARATOR_LINE = /^"?sep=([,;|\t])\1*"?$/i;

/**
 * The rows of a CSV file (RFC 4180). The first line decides the separator: comma, semicolon, tab, or what `sep=` names.
 */
export async function* readCsv(texts: AsyncIterable<string>): AsyncGenerator<RawRow> {
  let parser: Papa.Parser | undefined;
  let line = 1;
  for await (const { text, isLast, take } of growing(texts, () => line)) {
    parser ??= parserFor(text, isLast);
    if (!parser) continue;
    const { data, errors, meta }: Papa.ParseResult<string[]> = parser.parse(text, 0, !isLast);
    const faults = new Map(errors.map(({ row, code }) => [row, code]));
    for (const [index, cells] of data.entries()) {
      const fault = faults.has(index) ? "unbalanced quotes, or text outside them" : undefined;
      const isSeparatorLine = line === 1 && /^sep=[,;|\t]?$/i.test(cells.join(""));
      if (!isSeparatorLine) yield { line, cells, ...(fault && { fault }) };
      line += 1 + cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    }
    take(isLast ? text.length : meta.cursor);
  }
}

/** Detects the separator, once the first line is complete. */
function parserFor(text: string, isLast: boolean): Papa.Parser | undefined {
  const [newline] = /\r\n|\n|\r(?!$)/.exec(text) ?? [];
  if (!newline && !isLast) return undefined;
  const [head = ""] = text.split(newline ?? "\n", 1);
  const delimiter = SEPARATOR_LINE.exec(head)?.[1] ?? SEPARATOR.exec(head)?.[0] ?? ",";
  return new Papa.Parser({ delimiter, newline: (newline ?? "\n") as "\n" });
}

/** The lines of a JSON Lines file, each as a row's only cell. */
export async function* readLines(texts: AsyncIterable<string>): AsyncGenerator<RawRow> {
  let line = 1;
  for await (const { text, isLast, take } of growing(texts, () => line)) {
    const lines = text.split("\n");
    const rest = isLast ? "" : (lines.pop() ?? "");
    for (const one of lines) {
      yield { line, cells: [one] };
      line++;
    }
    take(text.length - rest.length);
  }
}

interface Growing {
  /** the unread rest so far */
  text: string;
  isLast: boolean;
  /** marks this many characters as read */
  take(length: number): void;
}

async function* growing(texts: AsyncIterable<string>, lineOf: () => number): AsyncGenerator<Growing> {
  let text = "";
  const take = (length: number) => {
    text = text.slice(length);
  };
  for await (const more of texts) {
    text += more;
    yield { text, isLast: false, take };
    if (text.length > LONGEST_ROW) {
      throw new JobError(`The row starting in line ${lineOf()} does not end. Check for an unclosed quote.`);
    }
  }
  if (text !== "") yield { text, isLast: true, take };
}
