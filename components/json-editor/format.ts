import { type Edit, format } from "jsonc-parser";

/** The changes of white space that set a JSON text out with two spaces; every token keeps its spelling and its place. */
export function formatEdits(text: string): Edit[] {
  return format(text, undefined, { insertSpaces: true, tabSize: 2, eol: "\n" });
}

/** The JSON text set out with two spaces, every token as it was spelled. */
export function formatJson(text: string): string {
  let formatted = "";
  let end = 0;
  for (const { offset, length, content } of formatEdits(text).sort((a, b) => a.offset - b.offset)) {
    formatted += text.slice(end, offset) + content;
    end = offset + length;
  }
  return formatted + text.slice(end);
}
