import Papa from "papaparse";

/** A row of a file as it stands there. */
export interface Row {
  /** where it begins, counted from 1 */
  line: number;
  cells: string[];
  /** what keeps it from being read */
  fault?: string;
}

/** A file that cannot be read any further, in words for whoever sent it. */
export class FileError extends Error {}

/** The most characters of a row: fields at their largest, escaped, and some more. A quote that is never closed ends here. */
const LONGEST_ROW = 1_048_576;
const SEPARATOR = /[,;\t]/;

/** The rows of a CSV file (RFC 4180); commas, semicolons or tabs separate the values, whichever the first line has. */
export async function* readCsv(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let parser: Papa.Parser | undefined;
  let line = 1;
  for await (const { text, isLast, take } of growing(texts, () => line)) {
    parser ??= parserFor(text, isLast);
    if (!parser) continue;
    const { data, errors, meta }: Papa.ParseResult<string[]> = parser.parse(text, 0, !isLast);
    const faults = new Map(errors.map(({ row, code }) => [row, code]));
    for (const [index, cells] of data.entries()) {
      const fault = faults.has(index) ? "its quotes are not in pairs, or something stands beside them" : undefined;
      yield { line, cells, ...(fault && { fault }) };
      line += 1 + cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    }
    take(isLast ? text.length : meta.cursor);
  }
}

/** Knows the separators by the first line, once it is there. */
function parserFor(text: string, isLast: boolean): Papa.Parser | undefined {
  const [newline] = /\r\n|\n|\r(?!$)/.exec(text) ?? [];
  if (!newline && !isLast) return undefined;
  const [head = ""] = text.split(newline ?? "\n", 1);
  return new Papa.Parser({ delimiter: SEPARATOR.exec(head)?.[0] ?? ",", newline: (newline ?? "\n") as "\n" });
}

/** The lines of a file of JSON lines, each as the only cell of its row. */
export async function* readLines(texts: AsyncIterable<string>): AsyncGenerator<Row> {
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
  /** what is left of the file so far */
  text: string;
  isLast: boolean;
  /** says how much of it has been read */
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
      throw new FileError(`The row that begins in line ${lineOf()} does not end: is a quote there never closed?`);
    }
  }
  if (text !== "") yield { text, isLast: true, take };
}
