import { type Edit, format } from "jsonc-parser";

/** The edits that indent JSON by two spaces; tokens keep their spelling and order. */
export function formatEdits(text: string): Edit[] {
  return format(text, undefined, { insertSpaces: true, tabSize: 2, eol: "\n" });
}

/** JSON text indented by two spaces, every token as spelled. */
export function formatJson(text: string): string {
  let formatted = "";
  let end = 0;
  for (const { offset, length, content } of formatEdits(text).sort((a, b) => a.offset - b.offset)) {
    formatted += text.slice(end, offset) + content;
    end = offset + length;
  }
  return formatted + text.slice(end);
}
