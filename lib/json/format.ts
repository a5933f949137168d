import { format } from "jsonc-parser";

/** JSON text indented by two spaces, every token as spelled. */
export function formatJson(text: string): string {
  const edits = format(text, undefined, { insertSpaces: true, tabSize: 2, eol: "\n" });
  let formatted = "";
  let end = 0;
  // The scanner reports edits in the text's order.
  for (const { offset, length, content } of edits) {
    formatted += text.slice(end, offset) + content;
    end = offset + length;
  }
  return formatted + text.slice(end);
}
